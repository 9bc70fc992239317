"""Two scrapes of the generation workers → what was drafted and accepted between them.

AL = 1 + Σ Δaccepted / Σ Δdrafts: summed over series (data-parallel ranks) and workers first, divided once.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from gatekit.counters import Labels, Scrape, SeriesNames, Values, whole
from gatekit.verdict import NotMeasured, Why

FULL_DRAFT = 0.9  # of K: a shorter mean draft is worth a warning


@dataclass(frozen=True, slots=True)
class Counts:
    """What happened between two scrapes, over all workers. None: the engine does not count it."""

    drafts: int
    accepted: int
    draft_tokens: int | None
    per_position: tuple[int, ...] | None
    generated: int | None

    @property
    def al(self) -> float:
        """Realized acceptance length. Only where drafts happened."""
        return 1 + self.accepted / self.drafts


class _No(Exception):
    """Carries a NotMeasured out of the loops over workers, families and series."""

    def __init__(self, why: Why, reason: str) -> None:
        super().__init__(reason)
        self.verdict = NotMeasured(why, reason)


def measure(before: Mapping[str, Scrape], after: Mapping[str, Scrape], names: SeriesNames) -> Counts | NotMeasured:
    """Scrapes by worker → counts with at least one draft whose positions add up, or why there are none."""
    counts = difference(before, after, names)
    if isinstance(counts, NotMeasured):
        return counts
    if counts.drafts == 0:
        return NotMeasured(Why.NO_DRAFTS, "The engine drafted nothing during the replay: speculation is not on.")
    return positions_disagree(counts) or counts


def difference(before: Mapping[str, Scrape], after: Mapping[str, Scrape], names: SeriesNames) -> Counts | NotMeasured:
    """Counter differences per series, summed. Any sign of a restart or a missing counter is a NotMeasured."""
    try:
        _same_workers(before, after)
        for worker, first in before.items():
            _same_process(worker, first, after[worker], names)
        pairs = [(worker, first, after[worker]) for worker, first in before.items()]
        return Counts(
            drafts=sum(_needed(*pair, names.drafts) for pair in pairs),
            accepted=sum(_needed(*pair, names.accepted) for pair in pairs),
            draft_tokens=_optional_sum([_optional(*pair, names.draft_tokens) for pair in pairs]),
            per_position=_positions([_by_position(*pair, names.per_position) for pair in pairs]),
            generated=_optional_sum([_optional(*pair, names.generated) for pair in pairs]),
        )
    except _No as no:
        return no.verdict


def positions_disagree(counts: Counts) -> NotMeasured | None:
    """Acceptance per position must not grow, must add up to the accepted tokens, and must fit the drafts."""
    total, drafted, positions = counts.accepted, counts.draft_tokens, counts.per_position or ()
    if drafted is not None and total > drafted:
        problem = f"{total:,} draft tokens were accepted, but only {drafted:,} were drafted"
    elif positions and sum(positions) != total:
        problem = f"acceptance per position adds up to {sum(positions):,}, the accepted tokens are {total:,}"
    elif any(later > earlier for earlier, later in pairwise(positions)):
        problem = "a later position was accepted more often than the one before it"
    elif positions and positions[0] > counts.drafts:
        problem = f"the first position was accepted {positions[0]:,} times in {counts.drafts:,} drafts"
    else:
        return None
    return NotMeasured(Why.POSITIONS_DISAGREE, f"The engine's counters contradict each other: {problem}.")


def longer_than_k(counts: Counts, k: int) -> NotMeasured | None:
    """No draft may be longer than K, on average or at any position: then the engine drafts by another setting."""
    deepest = max((n for n, count in enumerate(counts.per_position or (), 1) if count > 0), default=0)
    mean = (counts.draft_tokens if counts.draft_tokens is not None else counts.accepted) / counts.drafts
    if mean > k:
        problem = f"A draft was {mean:.2f} tokens long on average"
    elif deepest > k:
        problem = f"Drafts were accepted up to position {deepest}"
    else:
        return None
    return NotMeasured(Why.DRAFT_LONGER_THAN_K, f"{problem}, but K is {k}: the engine was launched with another K.")


def short_drafts(counts: Counts, k: int) -> str | None:
    """A warning where the mean draft is well under K: adaptive drafting, or a K that was not taken."""
    if counts.draft_tokens is None or counts.draft_tokens >= FULL_DRAFT * k * counts.drafts:
        return None
    mean = counts.draft_tokens / counts.drafts
    return f"A draft was {mean:.2f} tokens long on average, under {FULL_DRAFT} × K ({k}): is drafting adaptive?"


def fallen(earlier: Values, later: Values) -> bool:
    """Did any series that both scrapes hold go back?"""
    return any(later[labels] < value for labels, value in earlier.items() if labels in later)


def _same_workers(before: Mapping[str, Scrape], after: Mapping[str, Scrape]) -> None:
    if not before or not after:
        which = "before" if not before else "after"
        raise _No(Why.COUNTERS_MISSING, f"No worker was scraped {which} the replay.")
    odd = sorted(before.keys() ^ after.keys())
    if odd:
        raise _No(Why.COUNTERS_MISSING, f"Worker {odd[0]} was scraped only on one side of the replay.")


def _same_process(worker: str, first: Scrape, last: Scrape, names: SeriesNames) -> None:
    ours = {f"{family.removesuffix('_total')}_created" for family in names.families}
    for name, values in first.starts.items():
        if name.endswith("_created") and name not in ours:
            continue
        now = last.starts.get(name, {})
        if any(labels in now and now[labels] != value for labels, value in values.items()):
            raise _No(Why.ENGINE_RESTARTED, f"The engine of {worker} restarted during the replay ({name} changed).")


def _needed(worker: str, first: Scrape, last: Scrape, family: str) -> int:
    for scrape, when in ((first, "before"), (last, "after")):
        if scrape.counter(family) is None:
            problem = f"{worker} has no counter {family} in the scrape {when} the replay"
            raise _No(Why.COUNTERS_MISSING, f"{problem}: turn speculation on, and scrape the engine itself.")
    return sum(delta for _, delta in _deltas(worker, first, last, family))


def _optional(worker: str, first: Scrape, last: Scrape, family: str | None) -> int | None:
    if family is None or first.counter(family) is None:
        return None
    return _needed(worker, first, last, family)


def _by_position(worker: str, first: Scrape, last: Scrape, family: str | None) -> Mapping[int, int] | None:
    """Engines make a position's series when it is first accepted, so here a new series started from zero."""
    if family is None or (first.counter(family) is None and last.counter(family) is None):
        return None
    totals: dict[int, int] = {}
    for labels, delta in _deltas(worker, first, last, family, may_appear=True):
        position = dict(labels).get("position", "")
        if not position.isdecimal() or len(position) > 4:
            raise _No(Why.COUNTERS_MISSING, f"{worker} has a series of {family} without a position.")
        totals[int(position)] = totals.get(int(position), 0) + delta
    return totals


def _deltas(
    worker: str, first: Scrape, last: Scrape, family: str, may_appear: bool = False
) -> Iterator[tuple[Labels, int]]:
    earlier, later = first.counter(family) or {}, last.counter(family) or {}
    if earlier.keys() - later.keys() or (later.keys() - earlier.keys() and not may_appear):
        problem = f"the series of {family} on {worker} are not the same before and after the replay"
        raise _No(Why.ENGINE_RESTARTED, f"The engine restarted or was joined by another: {problem}.")
    for labels, value in later.items():
        start, end = whole(earlier.get(labels, 0)), whole(value)
        if start is None or end is None:
            raise _No(Why.COUNTERS_MISSING, f"{worker} has a series of {family} that is twice there or no count.")
        if end < start:
            problem = f"{family} on {worker} went back from {start:,} to {end:,}"
            raise _No(Why.COUNTER_WENT_BACK, f"{problem}: the engine restarted, or two engines answer at one address.")
        yield labels, end - start


def _optional_sum(parts: list[int | None]) -> int | None:
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


def _positions(parts: list[Mapping[int, int] | None]) -> tuple[int, ...] | None:
    known = [part for part in parts if part is not None]
    if not known:
        return None  # where one worker has none, the sum over positions tells whether something is missing
    deepest = max(max(part, default=-1) for part in known)
    return tuple(sum(part.get(position, 0) for part in known) for position in range(deepest + 1))
