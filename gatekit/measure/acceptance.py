"""Two scrapes of the generation workers → what was drafted and accepted between them.

AL = 1 + Σ Δaccepted / Σ Δdrafts: summed over series (data-parallel ranks) and workers first, divided once.
"""

from collections.abc import Mapping
from itertools import pairwise

from gatekit.domain.verdict import NotMeasured, Why
from gatekit.engines.counters import Counters, Counts, Unread, added
from gatekit.formats.prometheus import Scrape
from gatekit.measure.gained import gains

FULL_DRAFT = 0.9  # of K: a shorter mean draft is worth a warning


def measure(
    before: Mapping[str, Scrape], after: Mapping[str, Scrape], counters: Counters, k: int | None = None
) -> Counts | NotMeasured:
    """Scrapes by worker → counts with at least one draft whose positions add up, or why there are none."""
    counts = difference(before, after, counters, k)
    if isinstance(counts, NotMeasured):
        return counts
    if counts.drafts == 0:
        return NotMeasured(Why.NO_DRAFTS, "The engine drafted nothing during the replay: speculation is not on.")
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


def _same_workers(before: Mapping[str, Scrape], after: Mapping[str, Scrape]) -> None:
    if not before or not after:
        which = "before" if not before else "after"
        raise Unread(Why.COUNTERS_MISSING, f"No worker was scraped {which} the replay.")
    odd = sorted(before.keys() ^ after.keys())
    if odd:
        raise Unread(Why.COUNTERS_MISSING, f"Worker {odd[0]} was scraped only on one side of the replay.")
