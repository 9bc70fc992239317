"""A sweep as it is stored and shown: the plan for one head, and what became of each gate."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from gatekit.gates import Gate, GatePlan
from gatekit.ids import Login, PrRef, Sha, SweepId
from gatekit.verdict import Verdict


class Cause(StrEnum):
    """What made the sweep start."""

    LABEL = "label"  # the sender added it
    PUSH = "push"  # the sender pushed while it was on


class SweepState(StrEnum):
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"  # by a newer head


class GateState(StrEnum):
    WAITING = "waiting"  # planned, nothing submitted
    SUBMITTING = "submitting"  # the intention is stored; the job may or may not exist
    RUNNING = "running"  # the executor knows the job
    ENDED = "ended"  # the executor has nothing left to do; not judged yet
    JUDGED = "judged"
    CANCELLED = "cancelled"

    @property
    def open(self) -> bool:
        return self not in (GateState.JUDGED, GateState.CANCELLED)


@dataclass(frozen=True, slots=True)
class GateRow:
    gate: Gate
    state: GateState
    attempt: int  # from 1; 0: nothing submitted yet
    verdict: Verdict | None = None
    log_tail: tuple[str, ...] = ()  # of a gate that failed; already redacted, not yet escaped


@dataclass(frozen=True, slots=True)
class Sweep:
    id: SweepId
    pr: PrRef
    head: Sha
    label: str
    sender: Login
    cause: Cause
    state: SweepState
    ended_because: str | None
    announced: bool  # the plan stands on the PR; before that nothing is submitted
    enforce: bool  # the repository's mode when the sweep was planned: may a verdict fail the check run?
    created: datetime
    plan: GatePlan
    rows: tuple[GateRow, ...]  # in the order of plan.gates

    @property
    def finished(self) -> bool:
        return all(not row.state.open for row in self.rows)
