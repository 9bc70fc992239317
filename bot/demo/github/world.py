"""What the stand-in knows: people, repositories, pull requests, comments, check runs, the App and its installation."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import count

from bot.demo.github.app import App, Tokens
from bot.demo.github.objects import Entry, Files, History, entries
from bot.demo.github.reviews import InlineComment, Review
from bot.demo.github.urls import Urls
from bot.demo.github.workflows import ActionsRun
from gatekit.domain.ids import Login, Sha

Json = dict[str, object]
EPOCH = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)  # when the story begins; every act moves the clock by a second


class Role(StrEnum):
    """What a collaborator may do, by GitHub's `role_name`."""

    ADMIN = "admin"
    MAINTAIN = "maintain"
    WRITE = "write"
    TRIAGE = "triage"
    READ = "read"

    @property
    def permission(self) -> str:
        """The older, coarser word."""
        return {Role.MAINTAIN: "write", Role.TRIAGE: "read"}.get(self, self.value)


@dataclass(slots=True)
class User:
    id: int
    login: Login
    type: str = "User"  # or Bot, Organization


@dataclass(slots=True)
class Label:
    id: int
    name: str


@dataclass(slots=True)
class Reaction:
    id: int
    user: User
    content: str
    created: datetime


@dataclass(slots=True)
class Comment:
    id: int
    issue: int
    user: User
    body: str
    created: datetime
    updated: datetime
    by_app: bool
    reactions: dict[int, Reaction] = field(default_factory=dict)


@dataclass(slots=True)
class CheckRun:
    id: int
    head: Sha
    app_id: int
    said: Json  # the fields of the API that the App may set
    started: datetime


@dataclass(slots=True)
class Pull:
    id: int
    number: int
    title: str
    body: str
    user: User
    head_repo: "Repo | None"  # None: the fork was deleted
    head_ref: str
    head: Sha
    base_ref: str
    base: Sha  # tip of the base branch when the head last moved: GitHub does not follow the base
    created: datetime
    updated: datetime
    draft: bool = False
    labels: list[str] = field(default_factory=list)
    mergeable: bool | None = True  # None: GitHub is still computing it
    closed: datetime | None = None
    merged: datetime | None = None
    merged_by: User | None = None
    merge_sha: Sha | None = None


@dataclass(slots=True)
class Repo:
    id: int
    owner: User
    name: str
    default_branch: str
    created: datetime
    private: bool = False
    parent: "Repo | None" = None
    branches: dict[str, Sha] = field(default_factory=dict)
    roles: dict[Login, Role] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)
    comments: dict[int, Comment] = field(default_factory=dict)
    checks: dict[int, CheckRun] = field(default_factory=dict)
    runs: dict[int, ActionsRun] = field(default_factory=dict)
    reviews: dict[int, Review] = field(default_factory=dict)
    inline: dict[int, InlineComment] = field(default_factory=dict)
    owners_errors: list[Json] = field(default_factory=list)  # what GitHub would say of CODEOWNERS
    numbers: "count[int]" = field(default_factory=lambda: count(1))

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"


def nowhere(event: str, payload: Json) -> None:
    """Nobody listens yet."""


@dataclass(slots=True)
class World:
    """`emit(event, payload)` is called for every webhook that GitHub would send to the App."""

    app: App
    tokens: Tokens
    history: History = field(default_factory=History)
    users: dict[Login, User] = field(default_factory=dict)
    repos: dict[str, Repo] = field(default_factory=dict)
    teams: dict[str, set[str]] = field(default_factory=dict)  # `organisation/team` → logins
    own_roles: dict[str, str] = field(default_factory=dict)  # by login: a role that GitHub did not define
    associations: dict[str, str] = field(default_factory=dict)  # by login, where GitHub says another than we would
    urls: Urls = field(default_factory=Urls)
    emit: Callable[[str, Json], None] = nowhere
    ids: "count[int]" = field(default_factory=lambda: count(1001))
    ticks: "count[int]" = field(default_factory=lambda: count(1))

    @classmethod
    def create(cls, app: App, now: Callable[[], datetime] | None = None) -> "World":
        """`now` is the clock that tokens are held against; everything else has a clock of its own."""
        return cls(app, Tokens(app, now or (lambda: datetime.now(UTC))))

    def tick(self) -> datetime:
        return EPOCH + timedelta(seconds=next(self.ticks))

    def user(self, login: str, kind: str = "User") -> User:
        """The account of that name; whoever is named exists."""
        name = Login(login)
        if name not in self.users:
            self.users[name] = User(next(self.ids), name, kind)
        return self.users[name]

    @property
    def bot(self) -> User:
        return self.user(f"{self.app.slug}[bot]", "Bot")

    def add_repo(self, full_name: str, files: Mapping[str, bytes | Entry], *, private: bool = False) -> Repo:
        """A repository with one commit on `main`; its owner is an organization and the App is installed on it."""
        owner, _, name = full_name.partition("/")
        repo = Repo(next(self.ids), self.user(owner, "Organization"), name, "main", self.tick(), private)
        self.repos[full_name.lower()] = repo
        self.app.installed_on.add(repo.id)
        repo.branches["main"] = self.history.commit(entries(files), (), owner, "Begin", self.tick()).sha
        return repo

    def label(self, repo: Repo, name: str) -> Label:
        if name not in repo.labels:
            repo.labels[name] = Label(next(self.ids), name)
        return repo.labels[name]

    def files(self, sha: Sha) -> Files:
        return self.history.commits[sha].files

    def resolve(self, repo: Repo, ref: str) -> Sha | None:
        """The commit of a branch name, `refs/heads/…`, `owner:branch` or SHA; None: there is none."""
        owner, colon, branch = ref.partition(":")
        if colon:
            family = (other for other in self.repos.values() if (other.parent or other) is (repo.parent or repo))
            heads = {str(other.owner.login): other.branches for other in family}
            return heads.get(owner, {}).get(branch)
        if (sha := repo.branches.get(ref.removeprefix("refs/heads/"))) is not None:
            return sha
        return Sha(ref) if ref in self.history.commits else None
