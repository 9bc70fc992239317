"""Of the ports, those through which a `/use` is decided: nothing is written by them."""

from collections.abc import Mapping
from typing import Protocol

from gatekit.domain.ids import PrRef
from gatekit.domain.sweep import Sweep
from gatekit.use.conversation import CommentEdit, PrComment
from handlers.ports.bundle import PullRequests
from handlers.ports.use_ports import WorkflowRuns


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
