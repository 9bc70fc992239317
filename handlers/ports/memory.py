"""What handlers ask of the bot's memory: sweeps, `/use`, sign-offs. Every write is durable when it returns."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol, TypeAlias

from gatekit.domain.audit import Note
from gatekit.domain.gates import GatePlan
from gatekit.domain.ids import GateKey, Login, PrRef, Sha, SweepId
from gatekit.domain.reuse import Choice, Measurement
from gatekit.domain.sweep import Cause, Earlier, Sweep, SweepState
from gatekit.domain.verdict import NotMeasured, Verdict
from gatekit.signoff.checks.verdict import SignOffVerdict
from gatekit.signoff.edits import Heard
from gatekit.signoff.resource import Resource
from gatekit.use.conversation import CommentEdit
from gatekit.use.decision import Decision
from gatekit.use.merge import Merge


@dataclass(frozen=True, slots=True)
class NewSweep:
    pr: PrRef
    head: Sha
    label: str
    sender: Login
    cause: Cause
    enforce: bool
    supersedes: str  # what a running sweep of an older head is told
    plan: GatePlan
    canary: bool = False
    fail_fast: bool = False
    choices: Mapping[GateKey, Choice] = field(default_factory=dict)  # a gate without one gets a job of its own


SweepNotes: TypeAlias = Callable[[Sweep], tuple[Note, ...]]  # what each gate of a new sweep takes, and why, in words


class SweepHistory(Protocol):
    """Sweeps as the bot remembers them. Raises LookupFailed where its memory is out of reach."""

    async def find(self, number: int) -> Sweep | None:
        """The sweep of this number, of whatever pull request; None: there is none."""

    async def history(self, pr: PrRef) -> tuple[Sweep, ...]:
        """All sweeps of a PR, newest first. It costs more the longer the PR lives."""


class Sweeps(SweepHistory, Protocol):
    """The bot's own memory of sweeps. Every write is durable when it returns."""

    async def create(self, new: NewSweep, notes: SweepNotes) -> Sweep:
        """Stores the sweep with its gates in one transaction; a running sweep of an older head is superseded. What
        `notes` says of the stored sweep goes into the audit.

        A job that is to be adopted and is over by now is no job any more: its gate gets a new one.
        Where `answering(pr, head)` is a sweep already, that one is returned and nothing changes.
        """

    async def answering(self, pr: PrRef, head: Sha) -> Sweep | None:
        """The sweep that speaks for this head: the PR's latest, unless it was cancelled or retired."""

    async def retire(self, pr: PrRef) -> None:
        """The label is gone: no stored sweep answers for its head any more, so that adding it again measures anew."""

    async def get(self, sweep: SweepId) -> Sweep: ...

    async def newest(self, pr: PrRef) -> Sweep | None:
        """The PR's latest sweep. No other one of it can be running."""

    async def measured(self, pr: PrRef, keys: Collection[GateKey]) -> tuple[Measurement, ...]:
        """What was measured for this pull request under one of the keys, newest first."""

    async def unshown(self, pr: PrRef) -> frozenset[SweepId]:
        """The PR's sweeps that changed since `shown`."""

    async def shown(self, sweep: SweepId, changes: int) -> None:
        """It stands on the PR as it was after so many changes. Where it changed meanwhile, it is still unshown."""

    async def announced(self, sweep: SweepId) -> None:
        """The plan stands on the PR: from now on the scheduler may submit."""

    async def judged(self, sweep: SweepId, gate: GateKey, verdict: Verdict, log_tail: tuple[str, ...]) -> Sweep:
        """Stores the verdict of an ENDED gate; a gate that was judged already keeps its verdict."""

    async def retry(self, sweep: SweepId, gate: GateKey, earlier: tuple[Earlier, ...], not_before: datetime) -> Sweep:
        """An ENDED gate waits for its next attempt, until then at least."""

    async def passed_over(self, sweep: SweepId, verdicts: Mapping[GateKey, NotMeasured]) -> Sweep:
        """Stores the verdicts of gates that were never started; one that was, keeps what it has."""

    async def end(self, sweep: SweepId, state: SweepState, because: str) -> Sweep:
        """Ends a running sweep and cancels its open gates; one that has ended already stays as it is."""


class EditReads(Protocol):
    """Edits of comments as the bot remembers them."""

    async def edits(self, pr: PrRef) -> Mapping[int, CommentEdit]:
        """The last edit of each comment that we heard of."""


class Uses(EditReads, Protocol):
    """The bot's own memory of `/use`. Every write is durable when it returns."""

    async def edited(self, pr: PrRef, edit: CommentEdit) -> None: ...

    async def keep(self, pr: PrRef, decision: Decision | None, note: Note | None) -> None:
        """What the commands came to, until it is kept anew; `note` goes into the audit, once."""

    async def kept(self, pr: PrRef) -> Decision | None: ...

    async def keep_merge(self, merge: Merge, note: Note) -> None:
        """The answer to a merge, once and for all: where one is kept for this pull request, that one stays.

        Where it is kept, `note` goes into the audit.
        """

    async def kept_merge(self, pr: PrRef) -> Merge | None: ...


class SignOffComment(StrEnum):
    """What our comment about a sign-off says now."""

    VERDICT = "verdict"
    NOT_NEEDED = "not needed"
    HINT = "hint"
    FAILED = "failed"  # it could not be verified


@dataclass(frozen=True, slots=True)
class SignOffMemory:
    """What we know of a sign-off from before."""

    verdict: SignOffVerdict | None = None  # the last one, whatever was said since
    heard: Heard | None = None  # of its edits; None: nothing
    said: SignOffComment | None = None  # last; None: nothing
    head: Sha | None = None  # that it was said of


NOTHING = SignOffMemory()


class SignOffs(Protocol):
    """The bot's own memory of sign-offs. Every write is durable when it returns."""

    async def remembered(self, pr: PrRef, resource: Resource) -> SignOffMemory: ...

    async def answered(self, pr: PrRef) -> Mapping[Resource, SignOffMemory]:
        """Those of a pull request about which something was said."""

    async def heard(self, pr: PrRef, resource: Resource, heard: Heard) -> None: ...

    async def keep(self, pr: PrRef, verdict: SignOffVerdict) -> None:
        """It stands in our comment now."""

    async def say(self, pr: PrRef, resource: Resource, said: SignOffComment, head: Sha | None) -> None:
        """Something else stands there now."""
