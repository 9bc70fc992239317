"""The counters between the two scrapes: what moved from one sample to the next, and whether any ever fell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gatekit.cluster.result import Slice
from gatekit.domain.errors import BadInput
from gatekit.domain.scrape import Scrape
from gatekit.domain.verdict import NotMeasured, Unmeasured
from gatekit.engines.counters import Counters, Unread
from gatekit.formats.prometheus import read_scrape
from gatekit.measure.acceptance import fallen, gains


@dataclass(frozen=True, slots=True)
class Increment:
    """What one worker counted between two samples. Seconds since the replay began; None: outside of all samples."""

    drafts: int
    accepted: int
    begin: float | None = None
    end: float | None = None
    generated: int | None = None


@dataclass(frozen=True, slots=True)
class Samples:
    """Increments of each worker in the order of time. `unread`: samples whose text could not be used."""

    workers: tuple[tuple[Increment, ...], ...]
    unread: int


@dataclass(frozen=True, slots=True)
class Ends:
    """The scrapes around the replay, by worker."""

    before: Mapping[str, Scrape]
    after: Mapping[str, Scrape]


@dataclass(frozen=True, slots=True)
class _Sample:
    seconds: float | None
    scrape: Scrape


def increments(ends: Ends, slices: Sequence[Slice], counters: Counters, k: int) -> Samples | NotMeasured:
    """Scrape before, samples, scrape after → increments. A counter that fell on the way means a restart.

    The two ends alone do not show a restart where the counters began at zero: what the new engine counts looks like
    growth.
    """
    unread = 0
    workers = []
    for worker, first in ends.before.items():
        samples, missed = _samples(worker, first, slices, counters)
        scrapes = [*(sample.scrape for sample in samples), ends.after[worker]]
        fell = _fell(scrapes, counters)
        if fell is not None:
            reason = f"{fell} on {worker} went back while the replay ran: the engine restarted."
            return NotMeasured(Unmeasured.COUNTER_WENT_BACK, reason)
        found, odd = _moves(worker, [*samples, _Sample(None, ends.after[worker])], counters, k)
        workers.append(found)
        unread += missed + odd
    return Samples(tuple(workers), unread)


def _samples(worker: str, first: Scrape, slices: Sequence[Slice], counters: Counters) -> tuple[list[_Sample], int]:
    """The scrape before and every sample that can be read, in the order of time; how many cannot."""
    found, unread = [_Sample(None, first)], 0
    for part in sorted((part for part in slices if part.worker == worker), key=lambda part: part.seconds):
        try:
            scrape = read_scrape(part.text)
        except BadInput:
            unread += 1
            continue
        found.append(_Sample(part.seconds, scrape))
    return found, unread


def _fell(scrapes: Sequence[Scrape], counters: Counters) -> str | None:
    for family in counters.families:
        seen = [values for scrape in scrapes if (values := scrape.counter(family)) is not None]
        if any(fallen(earlier, later) for earlier, later in pairwise(seen)):
            return family
    return None


def _moves(worker: str, samples: Sequence[_Sample], counters: Counters, k: int) -> tuple[tuple[Increment, ...], int]:
    """The increments between samples; one that does not go on from the sample before it is left out and counted."""
    found: list[Increment] = []
    odd = 0
    last, *later = samples
    for sample in later:
        try:
            counts = counters.read(gains(worker, last.scrape, sample.scrape, counters), k)
        except Unread:
            odd += 1
            continue
        found.append(Increment(counts.drafts, counts.accepted, last.seconds, sample.seconds, counts.generated))
        last = sample
    return tuple(found), odd
