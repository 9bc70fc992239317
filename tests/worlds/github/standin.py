"""A small GitHub for tests: who watches every call, people who take things back, one repository, one pull request."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

from bot.demo.github.app import App, make_app
from bot.demo.github.faults import Moment, Trouble
from bot.demo.github.hooks import Delivery, Hooks
from bot.demo.github.people import Opening, People
from bot.demo.github.server import Call, StandIn
from bot.demo.github.views.repos import label_view
from bot.demo.github.world import Pull, Repo, Role, World
from gatekit.domain.ids import Login

FILES = {"README.md": b"# Benchmarks\n", "configs/demo.yaml": b"a: 1\n", "configs/runners.yaml": b"b: 2\n"}
REPO = "gatekit-demo/bench"


@cache
def _keys() -> App:
    """Keys are slow to make; every world of a test run signs with the same pair."""
    return make_app(secret="webhook secret")


def an_app() -> App:
    keys = _keys()
    return App(keys.id, keys.slug, keys.private_key, keys.public_key, keys.webhook_secret)


@dataclass(frozen=True, slots=True)
class Crowd(People):
    """They also take back what they did."""

    def remove_label(self, repo: Repo, pull: Pull, name: str, *, by: str) -> None:
        if name in pull.labels:
            pull.labels.remove(name)
            self.tell(repo, pull, "unlabeled", by, {"label": label_view(self.world, repo, repo.labels[name])})

    def set_draft(self, repo: Repo, pull: Pull, *, draft: bool, by: str) -> None:
        pull.draft = draft
        self.tell(repo, pull, "converted_to_draft" if draft else "ready_for_review", by, {})

    def reopen(self, repo: Repo, pull: Pull, *, by: str) -> None:
        pull.closed = None
        self.tell(repo, pull, "reopened", by, {})


def forked(world: World, repo: Repo, owner: str) -> Repo:
    made = Repo(next(world.ids), world.user(owner), repo.name, repo.default_branch, world.tick(), repo.private, repo)
    made.branches.update(repo.branches)
    made.roles[Login(owner)] = Role.ADMIN
    world.repos[made.full_name.lower()] = made
    return made


def resend(hooks: Hooks, delivery: Delivery) -> Delivery:
    """What somebody who captured a signed body can do: the same bytes under a fresh id."""
    hooks.emit(delivery.event, delivery.payload)
    return hooks.deliveries[-1]


Observer: TypeAlias = Callable[[Moment, Call], Awaitable[None]]


@dataclass
class WatchedGitHub(StandIn):
    """The stand-in, and who looks at each call on its way."""

    observers: list[Observer] = field(default_factory=list)

    @property
    def people(self) -> Crowd:
        return Crowd(self.world)

    def on_request(self, observer: Observer) -> None:
        """`observer(moment, call)` is awaited before each call is applied, and again before its answer leaves."""
        self.observers.append(observer)

    async def on_the_way(self, moment: Moment, call: Call, trouble: Trouble | None) -> None:
        for observer in self.observers:
            await observer(moment, call)
        await super().on_the_way(moment, call, trouble)


@dataclass(frozen=True, slots=True)
class Scene:
    """`maria` maintains the repository; `pat` opened a pull request from the branch `faster`."""

    world: World
    repo: Repo
    pull: Pull

    @property
    def people(self) -> Crowd:
        return Crowd(self.world)


def scene() -> Scene:
    world = World.create(an_app())
    people = People(world)
    repo = world.add_repo(REPO, FILES)
    people.invite(repo, "maria", Role.MAINTAIN)
    people.invite(repo, "pat", Role.WRITE)
    people.branch(repo, "faster")
    people.push(repo, "faster", {"configs/demo.yaml": b"a: 2\n"}, by="pat")
    return Scene(world, repo, people.open_pull(repo, Opening("faster", "pat", title="Draft more")))
