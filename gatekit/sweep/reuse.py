"""Which gates of a new plan need no GPU: what was measured, or runs, for a commit that this pull request has now."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gatekit.domain.gates import Gate, GatePlan
from gatekit.domain.ids import GateKey, Sha, SweepId
from gatekit.domain.reuse import Adopt, Anew, Choice, Commits, Measurement, Reuse, Start, UnderWay
from gatekit.plan.reuse_key import differing, parts_of


@dataclass(frozen=True, slots=True)
class ReuseFacts:
    """What a choice is made from, all of one pull request."""

    measurements: Sequence[Measurement]  # of the plan's keys, newest first
    under_way: Sequence[UnderWay]
    commits: Commits
    before: tuple[SweepId, GatePlan] | None  # its last sweep, to say what differs
    anew: bool = False  # somebody asked for new measurements of this head


def choose(plan: GatePlan, known: ReuseFacts) -> Mapping[GateKey, Choice]:
    """One choice for every gate of the plan. A measurement goes before a job that runs, the newest first."""
    return {gate.key: _choice(gate, plan.node_digest, known) for gate in plan.gates}


def _choice(gate: Gate, node_digest: str, known: ReuseFacts) -> Choice:
    objections: list[Start] = []
    if known.anew:
        return Start(Anew.ASKED, sweep=known.before[0] if known.before else None)
    for one in known.measurements:
        if one.key != gate.key:
            continue
        found = _in_pull(one.heads, known.commits)
        if not isinstance(found, Anew) and one.intact:
            return Reuse(one, found)
        objections.append(Start(found if isinstance(found, Anew) else Anew.RAW, sweep=one.sweep))
    for running in known.under_way:
        if running.key == gate.key:
            found = _in_pull(running.heads, known.commits)
            if not isinstance(found, Anew):
                return Adopt(running.sweep)
            objections.append(Start(found, sweep=running.sweep))
    return objections[0] if objections else _compared(gate, node_digest, known.before)


def _in_pull(heads: Sequence[Sha], commits: Commits) -> Sha | Anew:
    """The first of the heads that is in the pull request, or why none is."""
    answers = {head: commits.holds(head) for head in heads}
    found = next((head for head, held in answers.items() if held), None)
    return found or (Anew.UNSURE if None in answers.values() else Anew.LEFT)


def _compared(gate: Gate, node_digest: str, before: tuple[SweepId, GatePlan] | None) -> Start:
    """Against the last sweep's gate for the same configuration and recipe, if it had one."""
    if before is None:
        return Start()
    sweep, plan = before
    alike = _alike(gate, plan.gates)
    if alike is None:
        return Start()
    parts = differing(parts_of(alike, plan.node_digest), parts_of(gate, node_digest))
    return Start(Anew.DIFFERS, parts, sweep) if parts else Start(Anew.UNMEASURED, (), sweep)


def _alike(gate: Gate, others: Iterable[Gate]) -> Gate | None:
    """The one of the same configuration that shares most of recipe, drafting and representative."""
    same = [other for other in others if other.config_key == gate.config_key]

    def likeness(other: Gate) -> tuple[bool, bool, bool, bool]:
        return (
            other.key == gate.key,
            other.recipe == gate.recipe,
            other.drafting == gate.drafting,
            other.representative == gate.representative,
        )

    return max(same, key=likeness, default=None)
