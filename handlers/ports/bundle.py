"""The bundle of ports that every handler gets. `bot` fills it; tests pass worlds."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from gatekit.cluster.policy import Cluster
from gatekit.domain.ids import GateKey, PrRef
from gatekit.domain.job import Material
from gatekit.domain.sweep import Sweep
from gatekit.formats.yaml_document import ReadYaml
from gatekit.goldens.curve import Curve
from gatekit.use.conversation import CommentEdit, PrComment
from handlers.ports.github import Checks, Comments, Conversation, PullRequests, WorkflowRuns
from handlers.ports.memory import SignOffs, Sweeps, Uses
from handlers.ports.signoff import SignOffReads


class CommentReads(Protocol):
    async def comments(self, pr: PrRef) -> tuple[PrComment, ...]: ...


class EditReads(Protocol):
    async def edits(self, pr: PrRef) -> Mapping[int, CommentEdit]: ...


class SweepReads(Protocol):
    async def find(self, number: int) -> Sweep | None: ...

    async def history(self, pr: PrRef) -> tuple[Sweep, ...]: ...


class UseReads(Protocol):
    @property
    def pulls(self) -> PullRequests: ...

    @property
    def conversation(self) -> CommentReads: ...

    @property
    def runs(self) -> WorkflowRuns: ...

    @property
    def sweeps(self) -> SweepReads: ...

    @property
    def uses(self) -> EditReads: ...


@dataclass(frozen=True, slots=True)
class Site:
    """What the operator gave us, read once at start."""

    clusters: Mapping[str, Cluster]  # by the runner that they serve
    curves: Mapping[str, Curve]  # our own golden curves
    node_digest: str  # of the node program: the measuring code
    public_url: str | None
    read: ReadYaml  # may remember what it read before


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
