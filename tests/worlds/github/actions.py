"""Runs of the repository's sweep workflow, and what people say of them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.demo.github.workflows import RESULTS, WORKFLOW, ActionsRun, RunArtifact
from bot.demo.github.world import Comment
from gatekit.comments.slots import Slot
from gatekit.domain.ids import Sha
from tests.worlds.bot.bot_world import BotWorld
from tests.worlds.crashes.crash_drill import CrashDrill

RUN = 17_345_678_901


def a_run(
    world: BotWorld | CrashDrill,
    number: int = RUN,
    *,
    head: Sha | None = None,
    artifacts: tuple[str, ...] = ("results_bmk",),
    expired: bool = False,
    data: bytes = RESULTS,
    **changes: object,
) -> ActionsRun:
    """Completed with results for the pull request's head, if not told otherwise."""
    run = ActionsRun(
        id=number,
        head=head or world.pull.head,
        branch=world.pull.head_ref,
        by="pat",
        started=world.github.world.tick(),
        path=WORKFLOW,
        artifacts=tuple(RunArtifact(number + n, name, expired, data) for n, name in enumerate(artifacts, 1)),
    )
    for name, value in changes.items():
        setattr(run, name, value)
    world.repo.runs[number] = run
    return run


async def say(world: BotWorld, body: str, by: str = "maria") -> Comment:
    comment = world.people.comment(world.repo, world.pull, body, by=by)
    await world.settled()
    return comment


async def edit(world: BotWorld, comment: Comment, body: str, by: str = "maria") -> None:
    world.people.edit_comment(world.repo, comment, body, by=by)
    await world.settled()


def reaction(comment: Comment) -> str | None:
    found = [one.content for one in comment.reactions.values()]
    assert len(found) < 2
    return found[0] if found else None


def use(world: BotWorld) -> str:
    return world.says(Slot.USE)


async def measured(world: BotWorld) -> None:
    await world.label()
    await world.finish_all()


@asynccontextmanager
async def unheard(world: BotWorld) -> AsyncIterator[None]:
    """What happens on GitHub meanwhile is told to nobody."""
    target, world.github.hooks.target = world.github.hooks.target, None
    yield
    await world.github.hooks.settled()
    world.github.hooks.target = target
