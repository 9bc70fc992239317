"""Runs of the repository's sweep workflow."""

from bot.demo.github.workflows import WORKFLOW, ActionsRun, RunArtifact
from gatekit.ids import Sha
from tests.worlds.bot_world import BotWorld

RUN = 17_345_678_901


def a_run(
    world: BotWorld,
    number: int = RUN,
    *,
    head: Sha | None = None,
    artifacts: tuple[str, ...] = ("results_bmk",),
    expired: bool = False,
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
        artifacts=tuple(RunArtifact(number + n, name, expired) for n, name in enumerate(artifacts, 1)),
    )
    for name, value in changes.items():
        setattr(run, name, value)
    world.repo.runs[number] = run
    return run
