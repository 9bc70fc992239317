"""The gate plan: which real-verification runs a change needs, and which points cannot have one."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from gatekit.bench.matrix.changelog import Log, new_entries
from gatekit.bench.matrix.points import Point
from gatekit.bench.matrix.runners import read_runners
from gatekit.bench.recipes.shelf import Tree, read_tree
from gatekit.bench.repo.settings import RepoSettings
from gatekit.bench.repo.snapshot import Snapshot, in_the_way
from gatekit.cluster.policy import Cluster
from gatekit.domain.errors import BadInput, Refusal
from gatekit.domain.gates import GatePlan, PlanWarning, Unresolved, Unusable, WarningCode
from gatekit.engines.forced_acceptance import row_forces
from gatekit.engines.registry import ENGINES, Registry
from gatekit.formats.yaml_document import ReadYaml, read_yaml
from gatekit.goldens.curve import Curve
from gatekit.plan.append_only import added_points
from gatekit.plan.candidate import Candidate, candidate_of
from gatekit.plan.compare import compare
from gatekit.plan.grouping import GateGround, gates_of
from gatekit.plan.locate import RecipeLines
from gatekit.plan.placement import place
from gatekit.plan.selection import gated_keys, named_keys, select, uncovered
from gatekit.serving.drafts import DraftReader, PointDrafts

MOST_GATES = 1_000  # of a sweep
ROUNDING = 0.005  # golden ALs have two decimals


@dataclass(frozen=True, slots=True)
class PlanSources:
    """What a plan is made from: the head that is judged, the base that judges it, and the commit where they part."""

    head: Snapshot
    base: Snapshot
    fork_point: Snapshot | None  # None: the base
    settings: RepoSettings
    curves: Mapping[str, Curve]
    read: ReadYaml = read_yaml  # may remember what it gave: a second plan meets mostly the same files
    engines: Registry = ENGINES


@dataclass(frozen=True, slots=True)
class _Sorted:
    """The speculative points of a plan, each in one of two places."""

    points: int
    candidates: tuple[Candidate, ...]
    unresolved: tuple[Unresolved, ...]
    warnings: tuple[PlanWarning, ...]
    repeats: tuple[str, ...]  # of the recipes of the candidates


def plan(sources: PlanSources, clusters: Mapping[str, Cluster] | None, node_digest: str) -> GatePlan:
    """The plan for the changelog entries that the head adds. `clusters` by runner; None: do not ask about clusters.

    Raises BadInput where the changelog or a master config cannot be read or breaks a rule, Violations where several
    rules are broken, and Refusal for too many gates.
    """
    log = changelog_of(sources)
    entries = new_entries(log.before, log.now, log.path)
    head = _head(sources)
    selected = select(entries, head.master.entries)
    both = compare(sources.fork_point or sources.base, head, sources.settings.layout)
    keys, added = gated_keys(selected), added_points(selected, both)
    points = [point for key, of_key in both.points.items() if key in keys for point in of_key]
    found = _sort(sources, head, _chosen(points, added), clusters)
    ground = GateGround(node_digest, clusters, sources.engines)
    return _plan(sources.head, found, uncovered(both, named_keys(selected)), ground)


def plan_keys(
    sources: PlanSources, keys: Set[str] | None, clusters: Mapping[str, Cluster] | None, node_digest: str
) -> GatePlan:
    """The plan for these config keys, None for every key; nothing is said of uncovered keys. Raises as `plan`."""
    head = _head(sources)
    found = _sort(sources, head, _chosen(head.master.points(keys), None), clusters)
    return _plan(sources.head, found, (), GateGround(node_digest, clusters, sources.engines))


def changelog_of(sources: PlanSources) -> Log:
    """The head's changelog beside that of the commit where it left the base. Raises BadInput where it has none."""
    parted = sources.fork_point or sources.base
    path = sources.settings.layout.at(sources.head).changelog
    head = sources.head.files.get(path)
    if head is None:
        problem = in_the_way(sources.head, path)
        raise BadInput(path, problem or "no such file; add it, or name yours in `layout.changelog`")
    return Log(path, parted.files.get(sources.settings.layout.at(parted).changelog), head)


def _head(sources: PlanSources) -> Tree:
    layout, read = sources.settings.layout, sources.read
    return read_tree(sources.head, layout, read_runners(sources.base, layout, read), sources.engines.parallelism, read)


def _chosen(points: Sequence[Point], among: Set[Point] | None) -> Sequence[Point]:
    """The speculative ones; `among`: of these only."""
    return [point for point in points if point.speculative and (among is None or point in among)]


def _sort(sources: PlanSources, head: Tree, points: Sequence[Point], clusters: Mapping[str, Cluster] | None) -> _Sorted:
    """`points`: speculative ones."""
    reader, lines = DraftReader(head.shelf, head.layout, sources.engines), RecipeLines(head)
    candidates: list[Candidate] = []
    unresolved: list[Unresolved] = []
    warnings: dict[PlanWarning, None] = {}
    repeats: dict[str, None] = {}
    for point in points:
        try:
            drafts = reader.read(point)
            candidate = candidate_of(drafts, sources.settings, sources.curves)
            warnings |= dict.fromkeys(forced_differently(drafts, candidate.golden.al))
            if clusters is not None:
                warnings |= dict.fromkeys(place(candidate, clusters, sources.engines))
            candidates.append(candidate)
            repeats |= dict.fromkeys(drafts.recipe.repeats)
        except Unusable as no:
            said = lines.said(no, point)
            unresolved.append(Unresolved(point.config_key, point.framework, point.concurrency, no.reason, said))
    return _Sorted(len(points), tuple(candidates), tuple(unresolved), tuple(warnings), tuple(repeats))


def _plan(head: Snapshot, found: _Sorted, missing: tuple[str, ...], ground: GateGround) -> GatePlan:
    gates = gates_of(found.candidates, ground)
    if len(gates) > MOST_GATES:
        raise Refusal(f"The change asks for {len(gates):,} gates, and a sweep has at most {MOST_GATES:,}: split it.")
    placed = sum(len(gate.concurrencies) for gate in gates) + len(found.unresolved)
    if placed != found.points:
        raise AssertionError(f"{found.points} points were planned and {placed} stand in the plan")
    return GatePlan(
        head.sha, found.points, gates, found.unresolved, missing, found.warnings, ground.node_digest, found.repeats
    )


def forced_differently(drafts: PointDrafts, golden: float) -> tuple[PlanWarning, ...]:
    """What the row, or the recipe's generation role, forces where that is not the golden AL of what is drafted."""
    k, role = drafts.real.speculation.k, drafts.real.role
    said: list[tuple[str, float | None]] = [("row", row_forces(dict(drafts.point.settings)))]
    own_places = (role.args_at, role.env_at, "environment.", "env.")
    said += [
        ("recipe", drafts.real.forced.length(knob.knob, knob.value, k))
        for knob in drafts.real.stripped.knobs
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
