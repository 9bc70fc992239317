"""Which gates of a new plan need no GPU: what was measured, or runs, for a commit that this pull request has now."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from gatekit.domain.gates import Gate, GatePlan
from gatekit.domain.ids import GateKey, Sha, SweepId
from gatekit.domain.verdict import Judged
from gatekit.plan.reuse_key import differing, parts_of


@dataclass(frozen=True, slots=True)
class Commits:
    """The commits of a pull request as GitHub lists them now."""

    known: frozenset[Sha]
    complete: bool  # False: there are more, which were not read

    def holds(self, sha: Sha) -> bool | None:
        """None: could not find out."""
        return True if sha in self.known else False if self.complete else None


@dataclass(frozen=True, slots=True)
class Measurement:
    """A verdict that was measured for this pull request, under this reuse key."""

    key: GateKey
    sweep: SweepId  # whose number its job carries
    attempt: int
    heads: tuple[Sha, ...]  # whose sweeps its job answered for, the one that it was started for first
    measured: datetime
    verdict: Judged
    intact: bool  # its raw material is still there, as it was judged


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A gate of the pull request's running sweep whose job has begun, and is not judged."""

    key: GateKey
    sweep: SweepId
    heads: tuple[Sha, ...]  # that its job was started for, and goes on for


class Anew(StrEnum):
    """Why a gate gets a job although something like it was gated on this pull request before."""

    ASKED = "asked"  # somebody asked for new measurements of this head
    DIFFERS = "differs"  # something that could change the measurement is not the same
    LEFT = "left"  # its commit is not in the pull request any more
    UNSURE = "unsure"  # whether its commit is still in the pull request could not be found out
    RAW = "raw"  # its raw material is gone, or is not what was judged
    UNMEASURED = "unmeasured"  # it came to no measurement


@dataclass(frozen=True, slots=True)
class Start:
    """A job of its own. `why` is None where nothing like it was gated on this pull request before."""

    why: Anew | None = None
    parts: tuple[str, ...] = ()  # of the reuse key, that differ
    sweep: SweepId | None = None  # that had something like it


@dataclass(frozen=True, slots=True)
class Adopt:
    """The job that runs already answers for the new head too."""

    sweep: SweepId  # whose gate it is until now


@dataclass(frozen=True, slots=True)
class Reuse:
    measurement: Measurement
    head: Sha  # of those that it answers for, one that is in the pull request


Choice: TypeAlias = Start | Adopt | Reuse


@dataclass(frozen=True, slots=True)
class Known:
    """What a choice is made from, all of one pull request."""

    measurements: Sequence[Measurement]  # of the plan's keys, newest first
    under_way: Sequence[UnderWay]
    commits: Commits
    before: tuple[SweepId, GatePlan] | None  # its last sweep, to say what differs
    anew: bool = False  # somebody asked for new measurements of this head


def choose(plan: GatePlan, known: Known) -> Mapping[GateKey, Choice]:
    """One choice for every gate of the plan. A measurement goes before a job that runs, the newest first."""
    return {gate.key: _choice(gate, plan.node_digest, known) for gate in plan.gates}


def _choice(gate: Gate, node_digest: str, known: Known) -> Choice:
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
