"""What the handlers of sign-offs ask for. `bot` implements these; tests pass worlds."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from gatekit.ids import Login, PrRef, Repo, Sha
from gatekit.signoff.changes import ChangedFile
from gatekit.signoff.lanes import Lane
from gatekit.signoff.people import Access
from gatekit.signoff.resource import Resource
from gatekit.signoff.trigger import ReviewState
from gatekit.signoff.upstream import UpstreamPage, UpstreamPull
from gatekit.signoff_checks.verdict import SignOffVerdict


@dataclass(frozen=True, slots=True)
class PullDetails:
    """What a pull request says of itself beyond handlers.ports.Pull."""

    files: int  # that it changes
    body: str
    created: datetime


@dataclass(frozen=True, slots=True)
class Filed:
    """A sign-off as GitHub has it now."""

    resource: Resource
    author: Login
    bot: bool
    body: str
    updated: datetime
    review: ReviewState | None  # of a review


@dataclass(frozen=True, slots=True)
class PageAt:
    """One file as one commit has it."""

    sha: Sha
    at: datetime
    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Remembered:
    """What we know of a sign-off from before."""

    verdict: SignOffVerdict | None
    not_theirs: frozenset[frozenset[str]] = frozenset()  # boxes that somebody else's edit ticked
    edited: datetime | None = None  # when we heard of its last edit: GitHub does not say when a review was edited


class SignOffReads(Protocol):
    """Every method raises LookupFailed where the answer could not be had."""

    async def access(self, repo: Repo, login: Login) -> Access: ...

    async def details(self, pr: PrRef) -> PullDetails: ...

    async def changed_files(self, pr: PrRef) -> tuple[ChangedFile, ...]:
        """As far as GitHub lists them; whether these are all, their number tells."""

    async def complaints(self, repo: Repo, commit: Sha) -> tuple[str, ...]:
        """GitHub's own about CODEOWNERS at a commit, one clause each."""

    async def member(self, repo: Repo, team: str, login: Login) -> bool:
        """`team`: `@organisation/team`, asked through the repository's installation."""

    async def filed(self, pr: PrRef, resource: Resource) -> Filed | None:
        """None: it is not there any more, or belongs to another pull request."""

    async def revisions(self, repo: Repo, commit: Sha, path: str) -> tuple[PageAt, ...]:
        """The latest revisions of a file up to a commit, oldest first; none where it never was there."""

    async def lanes(self, repo: Repo, run: int) -> tuple[Lane, ...]:
        """The jobs of a run's latest attempt."""

    async def upstream_pull(self, repo: Repo, upstream: Repo, number: int) -> UpstreamPull | None:
        """A pull request of another, public repository, asked through this repository's installation."""

    async def upstream_page(self, url: str) -> UpstreamPage:
        """A page of one of the hosts that may be asked, without following it anywhere."""


class SignOffs(Protocol):
    """The bot's own memory of sign-offs. Every write is durable when it returns."""

    async def remembered(self, pr: PrRef, resource: Resource) -> Remembered: ...

    async def edited(self, pr: PrRef, resource: Resource, not_theirs: frozenset[frozenset[str]]) -> None:
        """It was edited just now. `not_theirs` takes the place of what was remembered; none: all is the author's."""

    async def keep(self, pr: PrRef, verdict: SignOffVerdict) -> None: ...
