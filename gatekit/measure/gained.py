"""Two scrapes of one worker → what its counters gained, or why that cannot be known."""

from collections.abc import Iterator

from gatekit.domain.verdict import Why
from gatekit.engines.counters import Counters, Gained, Gains, Unread
from gatekit.formats.prometheus import Labels, Scrape, Values, whole

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
            raise Unread(Why.ENGINE_RESTARTED, f"The engine of {worker} restarted during the replay ({name} changed).")


def _deltas(worker: str, family: str, earlier: Values, later: Values, may_appear: bool) -> Iterator[tuple[Labels, int]]:
    if earlier.keys() - later.keys() or (later.keys() - earlier.keys() and not may_appear):
        problem = f"the series of {family} on {worker} are not the same before and after the replay"
        raise Unread(Why.ENGINE_RESTARTED, f"The engine restarted or was joined by another: {problem}.")
    for labels, value in later.items():
        start, end = whole(earlier.get(labels, 0)), whole(value)
        if start is None or end is None:
            raise Unread(Why.COUNTERS_MISSING, f"{worker} has a series of {family} that is twice there or no count.")
        if end < start:
            problem = f"{family} on {worker} went back from {start:,} to {end:,}"
            advice = "the engine restarted, or two engines answer at one address"
            raise Unread(Why.COUNTER_WENT_BACK, f"{problem}: {advice}.")
        yield labels, end - start
