"""What handlers ask for. `bot` implements these; tests pass worlds."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.gates import GatePlan
from gatekit.domain.ids import GHOST, GateKey, Login, PrRef, Repo, Sha, SweepId
from gatekit.domain.job import Material
from gatekit.domain.reuse import Choice, Commits, Measurement
from gatekit.domain.sweep import Cause, Earlier, Sweep, SweepState
from gatekit.domain.verdict import NotMeasured, Verdict
from gatekit.use.merge import Landing
from handlers.ports.signoff import SignOffReads, SignOffs
from handlers.ports.site import Site
from handlers.ports.use_ports import Conversation, Uses, WorkflowRuns
from handlers.ports.write_ports import Checks, Comments


class Permission(StrEnum):
    """A person's permission on a repository, as GitHub names it."""

    ADMIN = "admin"
    WRITE = "write"
    READ = "read"
    NONE = "none"

    @property
    def may_write(self) -> bool:
        return self in (Permission.ADMIN, Permission.WRITE)


@dataclass(frozen=True, slots=True)
class Pull:
    """A pull request as GitHub describes it now."""

    ref: PrRef
    open: bool
    draft: bool
    merged: bool
    title: str
    author: Login
    head: Sha
    head_repo: Repo | None  # None: the fork was deleted
    base_ref: str
    default_branch: str
    labels: frozenset[str]
    head_ref: str = ""  # the branch's name, in whatever repository it is
    merge: Sha | None = None  # the commit by which it was merged
    merged_by: Login = GHOST
    url: str = ""  # where people see it
    body: str = ""
    files: int | None = None  # that it changes; None: not said
    created: datetime | None = None

    @property
    def from_fork(self) -> bool:
        return self.head_repo != self.ref.repo


@dataclass(frozen=True, slots=True)
class Parting:
    """How a head stands to its base branch now. What a pull request's JSON calls its base may be an older tip."""

    base: Sha  # the branch's tip
    fork_point: Sha  # the newest commit that both have
    commits: Commits  # that the head has and the branch has not, as far as they were read


class PullRequests(Protocol):
    """Reads. Every method raises LookupFailed where the answer could not be had."""

    async def pull(self, pr: PrRef) -> Pull: ...

    async def permission(self, repo: Repo, login: Login) -> Permission: ...

    async def parting(self, repo: Repo, base_ref: str, head: Sha) -> Parting: ...

    async def commits(self, repo: Repo, parting: Parting, head: Sha) -> Commits:
        """All commits that the head has and the base has not; not complete where there are too many to read."""

    async def landing(self, pull: Pull) -> Landing:
        """How a merged pull request came onto its base branch."""

    async def pulls_of(self, repo: Repo, commit: Sha) -> tuple[int, ...]:
        """The numbers of the merged or open pull requests to which a commit belongs, by GitHub."""

    async def snapshot(self, repo: Repo, sha: Sha) -> Snapshot:
        """All files at a commit, verified against its git tree. Raises BadInput where the archive cannot be trusted."""

    async def file(self, repo: Repo, ref: str, path: str) -> bytes | None:
        """One file at a branch or commit; None where GitHub says that it does not exist."""


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


class Sweeps(Protocol):
    """The bot's own memory of sweeps. Every write is durable when it returns."""

    async def create(self, new: NewSweep) -> Sweep:
        """Stores the sweep with its gates in one transaction; a running sweep of an older head is superseded. What each
        gate takes, and why, goes into the audit.

        A job that is to be adopted and is over by now is no job any more: its gate gets a new one.
        Where `answering(pr, head)` is a sweep already, that one is returned and nothing changes.
        """

    async def answering(self, pr: PrRef, head: Sha) -> Sweep | None:
        """The sweep that speaks for this head: the PR's latest, unless it was cancelled or retired."""

    async def retire(self, pr: PrRef) -> None:
        """The label is gone: no stored sweep answers for its head any more, so that adding it again measures anew."""

    async def get(self, sweep: SweepId) -> Sweep: ...

    async def find(self, number: int) -> Sweep | None:
        """The sweep of this number, of whatever pull request; None: there is none."""

    async def newest(self, pr: PrRef) -> Sweep | None:
        """The PR's latest sweep. No other one of it can be running."""

    async def history(self, pr: PrRef) -> tuple[Sweep, ...]:
        """All sweeps of a PR, newest first. It costs more the longer the PR lives."""

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


class Scheduler(Protocol):
    def wake(self) -> None:
        """Something changed: look at the open gates now. Also cancels the jobs of gates that nobody needs any more."""


class Results(Protocol):
    async def material(self, sweep: Sweep, gate: GateKey, attempt: int) -> Material:
        """What an attempt left behind. Raises LookupFailed where the cluster is out of reach."""


class Clock(Protocol):
    def now(self) -> datetime: ...


@dataclass(frozen=True, slots=True)
class Ports:
    pulls: PullRequests
    comments: Comments
    conversation: Conversation
    signoff: SignOffReads
    runs: WorkflowRuns
    checks: Checks
    sweeps: Sweeps
    uses: Uses
    sign_offs: SignOffs
    scheduler: Scheduler
    results: Results
    clock: Clock
    site: Site
