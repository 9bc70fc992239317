"""What handlers ask of GitHub: pull requests, conversations, workflow runs, comments and check runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from gatekit.bench.repo.snapshot import Snapshot
from gatekit.comments.slots import AnySlot
from gatekit.domain.check_run import CheckReport
from gatekit.domain.ids import GHOST, Login, PrRef, Repo, Sha
from gatekit.domain.reuse import Commits
from gatekit.use.conversation import PrComment
from gatekit.use.decision import Reaction
from gatekit.use.merge import Landing
from gatekit.use.workflow_runs import Artifact, WorkflowRun


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


class CommentReads(Protocol):
    """What people say on a pull request. Raises LookupFailed where it could not be had."""

    async def comments(self, pr: PrRef) -> tuple[PrComment, ...]:
        """All comments of the conversation, oldest first."""


class Conversation(CommentReads, Protocol):
    """With our reactions to it. Raises LookupFailed where one was not confirmed."""

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


class Comments(Protocol):
    async def upsert(self, pr: PrRef, slot: AnySlot, body: str) -> None:
        """Make the slot's comment read `body` (its marker is added here). Never posts twice."""

    async def amend(self, pr: PrRef, slot: AnySlot, body: str) -> None:
        """The same where we know of a comment in this slot; else nothing is asked and nothing posted."""


class Checks(Protocol):
    async def put(self, repo: Repo, report: CheckReport, *, first: bool = False) -> None:
        """Make our check run of this name and external id on this SHA say what the report says.

        `first`: the external id was made a moment ago, so that nobody can have made its check run.
        """
