"""Of the ports, those through which a `/use` is decided: nothing is written by them."""

from typing import Protocol

from handlers.ports import PullRequests, Sweeps
from handlers.use_ports import Conversation, Uses, WorkflowRuns


class UseReads(Protocol):
    @property
    def pulls(self) -> PullRequests: ...

    @property
    def conversation(self) -> Conversation: ...

    @property
    def runs(self) -> WorkflowRuns: ...

    @property
    def sweeps(self) -> Sweeps: ...

    @property
    def uses(self) -> Uses: ...
