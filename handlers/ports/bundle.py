"""The bundles of ports: those that only read, and all that a handler gets. `bot` fills them; tests pass worlds."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from gatekit.cluster.policy import Cluster
from gatekit.domain.ids import GateKey
from gatekit.domain.job import Material
from gatekit.domain.sweep import Sweep
from gatekit.formats.yaml_document import ReadYaml
from gatekit.goldens.curve import Curve
from handlers.ports.github import Checks, CommentReads, Comments, Conversation, PullRequests, WorkflowRuns
from handlers.ports.memory import EditReads, SignOffs, SweepHistory, Sweeps, Uses
from handlers.ports.signoff import SignOffReads


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
class ReadPorts:
    """What is read, as far as a dry run can have it too. What is out of its reach raises LookupFailed."""

    pulls: PullRequests
    conversation: CommentReads
    signoff: SignOffReads
    runs: WorkflowRuns
    sweeps: SweepHistory
    uses: EditReads
    clock: Clock
    site: Site


@dataclass(frozen=True, slots=True)
class Ports(ReadPorts):
    """All of them."""

    comments: Comments
    conversation: Conversation
    checks: Checks
    sweeps: Sweeps
    uses: Uses
    sign_offs: SignOffs
    scheduler: Scheduler
    results: Results
