"""A sweep as it is stored and shown: the plan for one head, and what became of each gate and each of its attempts."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from gatekit.domain.gates import Gate, GatePlan
from gatekit.domain.ids import JobName, Login, PrRef, Sha, SweepId, job_name
from gatekit.domain.reuse import Start, UnderWay
from gatekit.domain.verdict import Verdict


class Ending(StrEnum):
    REPLAYED = "replayed"  # the replay ran to its end: there is something to judge
    GATE_FAILED = "gate-failed"  # the gate itself ended without a replay: another attempt would end the same way
    INFRASTRUCTURE = "infrastructure"  # the cluster is to blame: another attempt may do
    BUDGET = "budget"  # the operator's time limit came first
    MEMORY = "memory"  # the gate needed more memory than the operator gives
    REFUSED = "refused"  # the cluster does not take the job as the operator's file asks for it
    CANCELLED = "cancelled"  # the bot asked for it
    UNKNOWN = "unknown"  # not understood: nothing follows from it


class Cause(StrEnum):
    """What made the sweep start."""

    LABEL = "label"  # the sender added it
    PUSH = "push"  # the sender pushed while it was on
    MERGE = "merge"  # the sender merged, and no run stood for the pull request


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
    HANDED_ON = "handed-on"  # its job answers for a gate of a newer sweep

    @property
    def open(self) -> bool:
        return self not in (GateState.JUDGED, GateState.CANCELLED, GateState.HANDED_ON)


class Pausing(StrEnum):
    """Why a cluster takes no gates for now."""

    OUT_OF_REACH = "out-of-reach"  # passes by itself
    LEFTOVERS = "leftovers"  # a job left what it could not remove: until the operator says that it is gone


@dataclass(frozen=True, slots=True)
class Pause:
    cluster: str
    why: Pausing
    since: datetime
    said: str  # for the operator


@dataclass(frozen=True, slots=True)
class ClusterReport:
    """What a cluster said of an attempt that is over."""

    ending: Ending | None = None  # None: it cannot tell
    absent: bool = False  # it knows no such job, and there is no result
    sentence: str = ""  # one sentence without a full stop
    node: str | None = None  # where the attempt ran


@dataclass(frozen=True, slots=True)
class Earlier:
    """An attempt that said nothing about its gate, so that another one followed."""

    attempt: int
    said: ClusterReport


class JobOrigin(StrEnum):
    """Where a gate's job comes from."""

    STARTED = "started"  # its own sweep
    ADOPTED = "adopted"  # it ran already, for an older head
    REUSED = "reused"  # it had been measured already


@dataclass(frozen=True, slots=True)
class JobSource:
    """Why a gate has the job that it has."""

    origin: JobOrigin = JobOrigin.STARTED
    start: Start = field(default_factory=Start)  # of STARTED: why it was not spared
    sweep: SweepId | None = None  # whose number its job carries; None: its own sweep's
    head: Sha | None = None  # of ADOPTED and REUSED: the commit that the job was for
    measured: datetime | None = None  # of REUSED


@dataclass(frozen=True, slots=True)
class Past:
    """One measurement of a gate's reuse key on this pull request."""

    sweep: SweepId
    head: Sha
    measured: datetime
    al: float


@dataclass(frozen=True, slots=True)
class GateRow:
    gate: Gate
    state: GateState
    attempt: int  # from 1; 0: nothing submitted yet
    verdict: Verdict | None = None
    log_tail: tuple[str, ...] = ()  # of a gate that failed; already redacted, not yet escaped
    earlier: tuple[Earlier, ...] = ()  # attempts before this one, oldest first
    said: ClusterReport = ClusterReport()  # of the last attempt, once it is over
    source: JobSource = field(default_factory=JobSource)
    past: tuple[Past, ...] = ()  # every measurement of its key on this pull request, oldest first


@dataclass(frozen=True, slots=True)
class SweepFacts:
    """Which sweep it is, why it began, and how it stands."""

    id: SweepId
    pr: PrRef
    head: Sha
    label: str
    sender: Login
    cause: Cause
    state: SweepState
    ended_because: str | None
    created: datetime


@dataclass(frozen=True, slots=True)
class Sweep(SweepFacts):
    """With its plan, and where each of its gates stands."""

    announced: bool  # the plan stands on the PR; before that nothing is submitted
    enforce: bool  # the repository's mode when the sweep was planned: may a verdict fail the check run?
    plan: GatePlan
    rows: tuple[GateRow, ...]  # in the order of plan.gates
    canary: bool = False  # the label's: one gate first
    fail_fast: bool = False  # the label's: one gate that cannot be measured stops what has not started in its cluster
    pauses: tuple[Pause, ...] = ()  # of the clusters on which its open gates wait
    changes: int = 0  # how often it changed since it was stored
    retired: bool = False  # its label was taken off since: a sweep of the same head measures anew

    @property
    def finished(self) -> bool:
        return all(not row.state.open for row in self.rows)


def job_of(sweep: Sweep, row: GateRow) -> JobName | None:
    """The job of the gate's last attempt; None: nothing was submitted."""
    return job_name(row.source.sweep or sweep.id, row.gate.key, row.attempt) if row.attempt else None


def under_way(sweep: Sweep) -> tuple[UnderWay, ...]:
    """Gates of a running sweep whose job has begun."""
    if sweep.state is not SweepState.RUNNING:
        return ()
    return tuple(
        UnderWay(row.gate.key, sweep.id, tuple(dict.fromkeys((row.source.head or sweep.head, sweep.head))))
        for row in sweep.rows
        if row.state.open and row.attempt
    )
