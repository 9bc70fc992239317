"""The gate plan: which real-verification runs a change needs, and which points cannot have one."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from gatekit.candidate import Candidate, Drafts, Ground, candidate_of, drafts_of
from gatekit.changelog import Entry, new_entries, selected_keys
from gatekit.forced_al import forced_al, row_forces
from gatekit.gates import Gate, GatePlan, PlanWarning, Unresolved, WarningCode
from gatekit.goldens import Curve
from gatekit.grouping import gates_of
from gatekit.matrix import Point, read_master
from gatekit.placing import place
from gatekit.policy import Cluster
from gatekit.recipes import RecipeShelf
from gatekit.refusal import BadInput
from gatekit.settings import RepoSettings
from gatekit.snapshot import Snapshot
from gatekit.uncovered import uncovered
from gatekit.unusable import Unusable

ROUNDING = 0.005  # golden ALs have two decimals


@dataclass(frozen=True, slots=True)
class Sources:
    """What a plan is made from: the head that is judged, the base that judges it, and the commit where they part."""

    head: Snapshot
    base: Snapshot
    fork_point: Snapshot | None  # None: the base
    settings: RepoSettings
    curves: Mapping[str, Curve]


@dataclass(frozen=True, slots=True)
class _Sorted:
    """The points of a plan, each in one of two places."""

    candidates: tuple[Candidate, ...]
    unresolved: tuple[Unresolved, ...]
    warnings: tuple[PlanWarning, ...]


def plan(sources: Sources, clusters: Mapping[str, Cluster] | None, node_digest: str) -> GatePlan:
    """The plan for the changelog entries that the head adds. `clusters` by runner; None: do not ask about clusters.

    Raises BadInput where the changelog or a master config cannot be read.
    """
    entries = added_entries(sources)
    known = read_master(sources.head, sources.settings.layout, {}).entries
    made = plan_keys(sources, selected_keys(entries, known), clusters, node_digest)
    parted = sources.fork_point or sources.base
    return replace(made, uncovered=uncovered(parted, sources.head, sources.settings.layout, entries))


def plan_keys(
    sources: Sources, keys: Set[str] | None, clusters: Mapping[str, Cluster] | None, node_digest: str
) -> GatePlan:
    """The plan for these config keys, None for every key; nothing is said of uncovered keys. Raises BadInput."""
    layout = sources.settings.layout.at(sources.head)
    points = [point for point in read_master(sources.head, layout).points(keys) if point.speculative]
    ground = Ground(RecipeShelf(sources.head, layout), layout, sources.settings, sources.curves)
    found = _sort(points, ground, clusters)
    gates = gates_of(found.candidates, node_digest)
    _check_complete(len(points), gates, found.unresolved)
    return GatePlan(
        head=sources.head.sha,
        points=len(points),
        gates=gates,
        unresolved=found.unresolved,
        uncovered=(),
        warnings=found.warnings,
    )


def added_entries(sources: Sources) -> tuple[Entry, ...]:
    """The changelog entries that the head adds to the commit where it left the base. Raises BadInput."""
    parted = sources.fork_point or sources.base
    path = sources.settings.layout.at(sources.head).changelog
    head = sources.head.files.get(path)
    if head is None:
        raise BadInput(path, "no such file; add it, or name yours in `layout.changelog`")
    return new_entries(parted.files.get(sources.settings.layout.at(parted).changelog), head, path)


def _sort(points: Iterable[Point], ground: Ground, clusters: Mapping[str, Cluster] | None) -> _Sorted:
    candidates: list[Candidate] = []
    unresolved: list[Unresolved] = []
    warnings: dict[PlanWarning, None] = {}
    for point in points:
        try:
            drafts = drafts_of(point, ground)
            candidate = candidate_of(drafts, ground)
            warnings |= dict.fromkeys(forced_differently(drafts, candidate.golden.al))
            if clusters is not None:
                place(candidate, clusters)
            candidates.append(candidate)
        except Unusable as no:
            unresolved.append(Unresolved(point.config_key, point.framework, point.concurrency, no.reason, no.detail))
    return _Sorted(tuple(candidates), tuple(unresolved), tuple(warnings))


def forced_differently(drafts: Drafts, golden: float) -> tuple[PlanWarning, ...]:
    """What the row, or the recipe's generation role, forces where that is not the golden AL of what is drafted."""
    k, role = drafts.speculation.k, drafts.role
    said: list[tuple[str, float | None]] = [("row", row_forces(dict(drafts.point.settings)))]
    own_places = (role.args_at, role.env_at, "environment.", "env.")
    said += [
        ("recipe", forced_al(knob.knob, knob.value, k))
        for knob in drafts.stripped.knobs
        if knob.path.startswith(own_places)
    ]
    return tuple(
        PlanWarning(
            drafts.point.config_key,
            WarningCode.FORCED_AL_DIFFERS,
            f"the {where} forces {al:g}, golden AL for K={k} is {golden:g}",
        )
        for where, al in said
        if al is not None and abs(al - golden) > ROUNDING
    )


def _check_complete(points: int, gates: Sequence[Gate], unresolved: Sequence[Unresolved]) -> None:
    placed = sum(len(gate.concurrencies) for gate in gates) + len(unresolved)
    if placed != points:
        raise AssertionError(f"{points} points were planned and {placed} stand in the plan")
