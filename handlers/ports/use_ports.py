"""What the handlers of `/use` ask for. `bot` implements these; tests pass worlds."""

from collections.abc import Mapping
from typing import Protocol

from gatekit.domain.audit import Note
from gatekit.domain.ids import PrRef, Repo
from gatekit.use.conversation import CommentEdit, PrComment
from gatekit.use.decision import Decision, Reaction
from gatekit.use.merge import Merge
from gatekit.use.workflow_runs import Artifact, WorkflowRun


class Conversation(Protocol):
    """What people say on a pull request. Raises LookupFailed where it could not be had, or was not confirmed."""

    async def comments(self, pr: PrRef) -> tuple[PrComment, ...]:
        """All comments of the conversation, oldest first."""

    async def react(self, pr: PrRef, wanted: Mapping[int, Reaction]) -> None:
        """Our reactions to comments of this pull request become these, by comment; all others that it gave go."""

    async def mark(self, pr: PrRef, comment: int, reaction: Reaction, *, edited: bool) -> None:
        """Our reaction to one comment, which `react` knows nothing of. `edited`: it may have had the other one."""


class WorkflowRuns(Protocol):
    """Runs of GitHub Actions. Raises LookupFailed where the answer could not be had."""

    async def run(self, repo: Repo, number: int) -> WorkflowRun | None:
        """None: GitHub knows no such run in this repository."""

    async def completed(self, repo: Repo, workflow: str, branch: str) -> tuple[WorkflowRun, ...]:
        """The workflow's latest completed runs for pull requests from a branch of this name, newest first."""

    async def artifacts(self, repo: Repo, run: int) -> tuple[Artifact, ...]: ...

    async def rows(self, repo: Repo, artifact: Artifact) -> int:
        """How many result rows it holds, as far as it had to be read.

        Raises BadInput where it is not what it should be, and NotThere where it is gone by now.
        """


class Uses(Protocol):
    """The bot's own memory of `/use`. Every write is durable when it returns."""

    async def edited(self, pr: PrRef, edit: CommentEdit) -> None: ...

    async def edits(self, pr: PrRef) -> Mapping[int, CommentEdit]:
        """The last edit of each comment that we heard of."""

    async def keep(self, pr: PrRef, decision: Decision | None, note: Note | None) -> None:
        """What the commands came to, until it is kept anew; `note` goes into the audit, once."""

    async def kept(self, pr: PrRef) -> Decision | None: ...

    async def keep_merge(self, merge: Merge) -> None:
        """The answer to a merge, once and for all: where one is kept for this pull request, that one stays.

        It goes into the audit.
        """

    async def kept_merge(self, pr: PrRef) -> Merge | None: ...
