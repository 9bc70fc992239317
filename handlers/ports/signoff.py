"""What the handlers of sign-offs ask for. `bot` implements these; tests pass worlds."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from gatekit.domain.ids import Login, PrRef, Repo, Sha
from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.evidence.results import EvalResult, MeasuredPoint
from gatekit.signoff.evidence.upstream import UpstreamPage, UpstreamPull
from gatekit.signoff.evidence.workflow_jobs import Lane
from gatekit.signoff.resource import Access, Resource
from gatekit.signoff.scope import ChangedFile
from gatekit.signoff.trigger import ReviewState
from gatekit.use.workflow_runs import Artifact


@dataclass(frozen=True, slots=True)
class Filed:
    """A sign-off as GitHub has it now."""

    resource: Resource
    pull: int  # number of the pull request that it belongs to
    author: Login
    bot: bool
    body: CommentText
    created: datetime
    updated: datetime  # of a review: when it was submitted, GitHub does not say when it was edited
    review: ReviewState | None  # of a review


@dataclass(frozen=True, slots=True)
class PageAt:
    """One file as one commit has it."""

    sha: Sha
    at: datetime
    path: str
    data: bytes


class SignOffReads(Protocol):
    """Every method raises LookupFailed where the answer could not be had."""

    async def access(self, repo: Repo, login: Login) -> Access: ...

    async def changed_files(self, pr: PrRef) -> tuple[ChangedFile, ...]:
        """As far as GitHub lists them; whether these are all, their number tells."""

    async def complaints(self, repo: Repo, commit: Sha) -> tuple[str, ...]:
        """GitHub's own about CODEOWNERS at a commit, one clause each."""

    async def member(self, repo: Repo, team: str, login: Login) -> bool:
        """`team`: `@organisation/team`, asked through the repository's installation."""

    async def filed(self, pr: PrRef, resource: Resource) -> Filed | None:
        """None: it is not there any more. A comment may turn out to be one of another pull request."""

    async def revisions(self, repo: Repo, commit: Sha, path: str, moment: datetime) -> tuple[PageAt, ...]:
        """The revision of a file that was current at a moment, a few before it and all after it up to a commit.

        Oldest first; none where the file never was there.
        """

    async def lanes(self, repo: Repo, run: int) -> tuple[Lane, ...]:
        """The jobs of a run's latest attempt."""

    async def evals(self, repo: Repo, artifact: Artifact) -> tuple[EvalResult, ...]:
        """Its eval rows. Raises BadInput where it is not what it should be."""

    async def points(self, repo: Repo, artifact: Artifact) -> tuple[MeasuredPoint, ...]:
        """Its benchmark rows. Raises BadInput where it is not what it should be."""

    async def upstream_pull(self, repo: Repo, upstream: Repo, number: int) -> UpstreamPull | None:
        """A pull request of another, public repository, asked through this repository's installation."""

    async def upstream_page(self, url: str) -> UpstreamPage:
        """A page of one of the hosts that may be asked, without following it anywhere."""
