"""`append-only`: entries that add points to curves that stand there already. Only the added points are gated."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from gatekit.bench.matrix.changelog import Scenario
from gatekit.bench.matrix.points import Point
from gatekit.domain.errors import BadInput, refuse_all
from gatekit.formats.fields import Fields
from gatekit.plan.compare import SCENARIOS, ComparedTrees, beside_agentic
from gatekit.plan.selection import Selected, named_keys

TAKE_OUT = "or take `append-only` out of its changelog entry"
NAMED = 5  # concurrencies in one sentence


@dataclass(frozen=True, slots=True)
class _Config:
    """A config that append-only entries name, before and now."""

    key: str
    where: str  # of the first entry that names it
    scenarios: frozenset[Scenario]  # of all entries that name it
    now: Fields
    before: Fields
    points: tuple[Point, ...]
    points_before: tuple[Point, ...]

    @property
    def added(self) -> tuple[Point, ...]:
        known = frozenset(self.points_before)
        return tuple(point for point in self.points if point not in known)


def added_points(selected: Sequence[Selected], both: ComparedTrees) -> frozenset[Point] | None:
    """The points that append-only entries add; None: the entries are of the other kind.

    Every point that stood there must stand there still, served by the same recipe, and nothing else may change: all
    entries are append-only, and so is every config that differs. Raises BadInput and Violations; each names what it is
    about.
    """
    if not any(one.entry.append_only for one in selected):
        return None
    refuse_all(_mixed(selected))
    refuse_all(chain(_new(selected, both), _beside(selected, both)))
    configs = tuple(_configs(selected, both))
    refuse_all(no for config in configs for no in _changed(config, both))
    refuse_all(_nothing_added(configs))
    return frozenset(point for config in configs for point in config.added)


def _mixed(selected: Sequence[Selected]) -> Iterator[BadInput]:
    for one in selected:
        if not one.entry.append_only:
            yield BadInput(
                one.entry.where, "lacks `append-only: true`, which another new entry has; give it to all, or to none"
            )


def _new(selected: Sequence[Selected], both: ComparedTrees) -> Iterator[BadInput]:
    """Curves that nothing can be appended to, because they are not there yet."""
    known = {} if both.before is None else both.before.master.entries
    for one in selected:
        for key, where in one.keys.items():
            if key not in known:
                yield BadInput(where, f"is append-only, but `{key}` is a new config; {TAKE_OUT}")
                continue
            before, now = _scenarios(known[key]), _scenarios(both.head.master.entries[key])
            asked = one.entry.scenarios or [scenario for scenario in Scenario if scenario in now]
            for scenario in sorted(asked):
                if scenario not in before:
                    yield BadInput(where, f"is append-only, but `{key}` had no {scenario} before; {TAKE_OUT}")


def _beside(selected: Sequence[Selected], both: ComparedTrees) -> Iterator[BadInput]:
    """Changes to what no entry names."""
    known = {} if both.before is None else both.before.master.entries
    named, now = named_keys(selected), both.head.master.entries
    for key, entry in now.items():
        if key not in named and both.differs(key):
            yield entry.bad(f"changes `{key}`, which no append-only entry names; move it to another pull request")
    for key, entry in known.items():
        if key not in now:
            yield entry.bad(f"held `{key}` before this change, whose entries are append-only; put it back")


def _configs(selected: Sequence[Selected], both: ComparedTrees) -> Iterator[_Config]:
    known = {} if both.before is None else both.before.master.entries
    for key in {key: None for one in selected for key in one.keys}:
        naming = [one.entry for one in selected if key in one.keys]
        yield _Config(
            key=key,
            where=naming[0].where,
            scenarios=frozenset(scenario for scenario in Scenario if any(entry.covers(scenario) for entry in naming)),
            now=both.head.master.entries[key],
            before=known[key],
            points=both.points.get(key, ()),
            points_before=both.points_before.get(key, ()),
        )


def _changed(config: _Config, both: ComparedTrees) -> Iterator[BadInput]:
    """What earlier points, or scenarios outside the entries, would not survive."""
    yield from _changed_fields(config)
    yield from _changed_scenarios(config)
    if Scenario.AGENTIC_CODING in config.scenarios:
        yield from _changed_points(config, both)
    yield from _changed_recipes(config, both)


def _changed_points(config: _Config, both: ComparedTrees) -> Iterator[BadInput]:
    standing = frozenset(config.points)
    gone = [point for point in config.points_before if point not in standing]
    if gone:
        yield BadInput(
            _row_that_changed(config.key, both),
            f"changes what stood there before: `{config.key}` at concurrency {_concurrencies(gone)}; restore it, "
            f"{TAKE_OUT}",
        )
    kinds = {point.speculative for point in config.points_before}
    strange = [point for point in config.added if kinds and point.speculative not in kinds]
    if strange:
        yield config.now.bad(
            f"adds `{config.key}` at concurrency {_concurrencies(strange)} to no curve that stands there, for "
            f"speculative and other points have curves of their own; move it to another pull request, {TAKE_OUT}"
        )


def _changed_fields(config: _Config) -> Iterator[BadInput]:
    before, now = config.before.data, config.now.data
    for name in {**before, **now}:
        if name != SCENARIOS and before.get(name) != now.get(name):
            yield config.now.bad(
                f"changes `{name}` of `{config.key}`, which has points from before; restore it, {TAKE_OUT}", name
            )


def _changed_scenarios(config: _Config) -> Iterator[BadInput]:
    """Scenarios that the entries leave out stay as they are, and no scenario goes away."""
    before, now = (_scenarios(fields) for fields in (config.before, config.now))
    for scenario in Scenario:
        if scenario in before and scenario not in now:
            yield config.now.bad(f"has no {scenario} any more; put it back, {TAKE_OUT}", SCENARIOS)
        elif scenario not in config.scenarios and before.get(scenario) != now.get(scenario):
            yield config.now.bad(
                f"changes {scenario} of `{config.key}`, which its append-only entries leave out; restore it, or add it "
                "to `scenario-type`",
                SCENARIOS,
                scenario,
            )


def _scenarios(fields: Fields) -> Mapping[str | int, object]:
    found = fields.value(SCENARIOS)
    return found if isinstance(found, dict) else {}


def _row_that_changed(key: str, both: ComparedTrees) -> str:
    """The first row that is not what it was; where rows are gone from the end, the config."""
    before, now = (
        () if tree is None else tuple(row.fields for row in tree.master.rows({key}))
        for tree in (both.before, both.head)
    )
    for at, row in enumerate(now):
        if at >= len(before) or before[at].data != row.data:
            return row.where
    return both.head.master.entries[key].where


def _changed_recipes(config: _Config, both: ComparedTrees) -> Iterator[BadInput]:
    by_place: dict[str, list[Point]] = {}
    standing = frozenset(config.points)
    for point in config.points_before:
        where = both.recipe_change(point) if point in standing else None
        if where is not None:
            by_place.setdefault(where, []).append(point)
    for where, points in by_place.items():
        yield BadInput(
            where,
            f"serves what stood there before in another way: `{config.key}` at concurrency {_concurrencies(points)}; "
            f"restore it, {TAKE_OUT}",
        )


def _nothing_added(configs: Sequence[_Config]) -> Iterator[BadInput]:
    if any(config.added or beside_agentic(config.before.data) != beside_agentic(config.now.data) for config in configs):
        return
    for where in dict.fromkeys(config.where for config in configs):
        yield BadInput(where, f"is append-only and adds no point to its configs; add one, {TAKE_OUT}")


def _concurrencies(points: Sequence[Point]) -> str:
    shown = ", ".join(str(point.concurrency) for point in points[:NAMED])
    return f"{shown} and {len(points) - NAMED} more" if len(points) > NAMED else shown
