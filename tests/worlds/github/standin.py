"""A small GitHub for tests: one repository with one pull request."""

from dataclasses import dataclass
from functools import cache

from bot.demo.github.app import App, make_app
from bot.demo.github.people import Opening, People
from bot.demo.github.world import Pull, Repo, Role, World

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
class Scene:
    """`maria` maintains the repository; `pat` opened a pull request from the branch `faster`."""

    world: World
    repo: Repo
    pull: Pull

    @property
    def people(self) -> People:
        return People(self.world)


def scene() -> Scene:
    world = World.create(an_app())
    people = People(world)
    repo = world.add_repo(REPO, FILES)
    people.invite(repo, "maria", Role.MAINTAIN)
    people.invite(repo, "pat", Role.WRITE)
    people.branch(repo, "faster")
    people.push(repo, "faster", {"configs/demo.yaml": b"a: 2\n"}, by="pat")
    return Scene(world, repo, people.open_pull(repo, Opening("faster", "pat", title="Draft more")))
