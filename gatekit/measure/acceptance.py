"""Two scrapes of the generation workers → what was drafted and accepted between them, or why that cannot be known."""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from gatekit.domain.scrape import Labels, Scrape, Values, whole
from gatekit.domain.verdict import NotMeasured, Unmeasured
from gatekit.engines.counters import Counters, Counts, Gained, Gains, Unread, added

_EVERYBODYS = ("process_", "python_")  # beginnings of what every program's client library says of itself


def gains(worker: str, first: Scrape, last: Scrape, counters: Counters) -> Gains:
    """The gain of every family per series. Raises Unread on any sign of a restart, and where a series is no count."""
    _same_process(worker, first, last, counters)
    found: dict[str, Gained] = {}
    gone: dict[str, str] = {}
    for family in counters.families:
        earlier, later = first.counter(family), last.counter(family)
        new = earlier is None and later is not None
        if new and family in counters.growing and _can_grow(first, counters):
            earlier = {}
        if earlier is not None and later is None and not earlier:
            later = {}
        if earlier is not None and later is not None:
            found[family] = dict(_deltas(worker, family, earlier, later, family in counters.growing))
        elif earlier is not None or later is not None:
            gone[family] = "before" if earlier is None else "after"
    return Gains(worker, found, gone)


def fallen(earlier: Values, later: Values) -> bool:
    """Did any series that both scrapes hold go back?"""
    return any(later[labels] < value for labels, value in earlier.items() if labels in later)


def _can_grow(first: Scrape, counters: Counters) -> bool:
    """Was this engine scraped before it counted, and not something else?"""
    named = [name for name in first.names if not name.startswith(_EVERYBODYS)]
    return not named or any(name.startswith(counters.prefix) for name in named)


def _same_process(worker: str, first: Scrape, last: Scrape, counters: Counters) -> None:
    ours = {f"{family}_created" for family in counters.families}
    for name, values in first.starts.items():
        if name.endswith("_created") and name not in ours:
            continue
        now = last.starts.get(name, {})
        if any(labels in now and now[labels] != value for labels, value in values.items()):
            raise Unread(
                Unmeasured.ENGINE_RESTARTED,
                f"The engine of {worker} restarted during the replay ({name} changed).",
            )


def _deltas(worker: str, family: str, earlier: Values, later: Values, may_appear: bool) -> Iterator[tuple[Labels, int]]:
    if earlier.keys() - later.keys() or (later.keys() - earlier.keys() and not may_appear):
        problem = f"the series of {family} on {worker} are not the same before and after the replay"
        raise Unread(Unmeasured.ENGINE_RESTARTED, f"The engine restarted or was joined by another: {problem}.")
    for labels, value in later.items():
        start, end = whole(earlier.get(labels, 0)), whole(value)
        if start is None or end is None:
            raise Unread(
                Unmeasured.COUNTERS_MISSING,
                f"{worker} has a series of {family} that is twice there or no count.",
            )
        if end < start:
            problem = f"{family} on {worker} went back from {start:,} to {end:,}"
            advice = "the engine restarted, or two engines answer at one address"
            raise Unread(Unmeasured.COUNTER_WENT_BACK, f"{problem}: {advice}.")
        yield labels, end - start


FULL_DRAFT = 0.9  # of K: a shorter mean draft is worth a warning


def measure(
    before: Mapping[str, Scrape], after: Mapping[str, Scrape], counters: Counters, k: int | None = None
) -> Counts | NotMeasured:
    """Scrapes by worker → counts with at least one draft whose positions add up, or why there are none."""
    counts = difference(before, after, counters, k)
    if isinstance(counts, NotMeasured):
        return counts
    if counts.drafts == 0:
        return NotMeasured(Unmeasured.NO_DRAFTS, "The engine drafted nothing during the replay: speculation is not on.")
    return positions_disagree(counts) or counts


def difference(
    before: Mapping[str, Scrape], after: Mapping[str, Scrape], counters: Counters, k: int | None
) -> Counts | NotMeasured:
    """Counter differences per series, summed. Any sign of a restart or a missing counter is a NotMeasured."""
    try:
        _same_workers(before, after)
        moved = [gains(worker, first, after[worker], counters) for worker, first in before.items()]
        return added([counters.read(gained, k) for gained in moved])
    except Unread as no:
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
    return NotMeasured(Unmeasured.POSITIONS_DISAGREE, f"The engine's counters contradict each other: {problem}.")


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
    return NotMeasured(
        Unmeasured.DRAFT_LONGER_THAN_K, f"{problem}, but K is {k}: the engine was launched with another K."
    )


def short_drafts(counts: Counts, k: int) -> str | None:
    """A warning where the mean draft is well under K: adaptive drafting, or a K that was not taken."""
    if counts.draft_tokens is None or counts.draft_tokens >= FULL_DRAFT * k * counts.drafts:
        return None
    mean = counts.draft_tokens / counts.drafts
    return f"A draft was {mean:.2f} tokens long on average, under {FULL_DRAFT} × K ({k}): is drafting adaptive?"


def _same_workers(before: Mapping[str, Scrape], after: Mapping[str, Scrape]) -> None:
    if not before or not after:
        which = "before" if not before else "after"
        raise Unread(Unmeasured.COUNTERS_MISSING, f"No worker was scraped {which} the replay.")
    odd = sorted(before.keys() ^ after.keys())
    if odd:
        raise Unread(Unmeasured.COUNTERS_MISSING, f"Worker {odd[0]} was scraped only on one side of the replay.")
