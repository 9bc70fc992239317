"""The counters between the two scrapes: what moved from one sample to the next, and whether any ever fell."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gatekit.acceptance import fallen
from gatekit.confidence import Increment
from gatekit.counters import Scrape, SeriesNames, read_scrape
from gatekit.refusal import BadInput
from gatekit.result import Slice
from gatekit.verdict import NotMeasured, Why


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


def increments(ends: Ends, slices: Sequence[Slice], names: SeriesNames) -> Samples | NotMeasured:
    """Scrape before, samples, scrape after → increments. A counter that fell on the way means a restart.

    The two ends alone do not show a restart where the counters began at zero: what the new engine counts looks like
    growth.
    """
    unread = 0
    workers = []
    for worker, first in ends.before.items():
        scrapes = [first]
        for part in sorted((part for part in slices if part.worker == worker), key=lambda part: part.seconds):
            scrape = _usable(part, first, names)
            unread += scrape is None
            if scrape is not None:
                scrapes.append(scrape)
        scrapes.append(ends.after[worker])
        fell = _fell(scrapes, names)
        if fell is not None:
            reason = f"{fell} on {worker} went back while the replay ran: the engine restarted."
            return NotMeasured(Why.COUNTER_WENT_BACK, reason)
        workers.append(tuple(_moves(scrapes, names)))
    return Samples(tuple(workers), unread)


def _usable(part: Slice, first: Scrape, names: SeriesNames) -> Scrape | None:
    try:
        scrape = read_scrape(part.text)
    except BadInput:
        return None
    for family in (names.drafts, names.accepted):
        values = scrape.counter(family)
        if values is None or values.keys() != (first.counter(family) or {}).keys():
            return None
    return scrape


def _fell(scrapes: Sequence[Scrape], names: SeriesNames) -> str | None:
    for family in names.families:
        seen = [values for scrape in scrapes if (values := scrape.counter(family)) is not None]
        if any(fallen(earlier, later) for earlier, later in pairwise(seen)):
            return family
    return None


def _moves(scrapes: Sequence[Scrape], names: SeriesNames) -> Iterator[Increment]:
    totals = [(_total(scrape, names.drafts), _total(scrape, names.accepted)) for scrape in scrapes]
    for (drafts, accepted), (later_drafts, later_accepted) in pairwise(totals):
        yield Increment(later_drafts - drafts, later_accepted - accepted)


def _total(scrape: Scrape, family: str) -> int:
    return int(sum((scrape.counter(family) or {}).values()))
