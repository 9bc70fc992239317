"""`/gate help` and `/gate status` are answered, and what is not there yet says so."""

import pytest

from tests.worlds.bot.bot_world import BotWorld
from tests.worlds.github.actions import RUN, a_run, edit, reaction, say


async def test_help_names_the_labels_and_the_commands(world: BotWorld) -> None:
    assert reaction(await say(world, "/gate help")) == "+1"
    assert world.reply.startswith("A sweep starts with one of the labels `full-sweep-fail-fast`, ")
    assert "`/use <run>`" in world.reply


async def test_status_says_how_the_newest_sweep_stands_and_which_run_does(world: BotWorld) -> None:
    await say(world, "/gate status")
    assert world.reply == "There is no sweep of this pull request yet."
    await world.label()
    await world.finish_all()
    a_run(world)
    await say(world, f"/use {RUN}")
    await say(world, "/gate status")
    assert world.reply.startswith("**Acceptance length: 3 of 4 on curve, 1 below** · head ")
    stands = f"Workflow run {RUN} of `{world.pull.head[:7]}` stands for this pull request."
    assert world.reply.endswith(f"· sweep 1 · done\n\n{stands}")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("/gate run", "is not there yet. Until then: add a sweep label"),
        ("/gate run --fresh", "is not there yet. Until then: take the sweep label off and add it again"),
        ("/gate what", "`/gate what` is no command: write `/gate help`"),
    ],
)
async def test_what_is_no_command_yet(world: BotWorld, body: str, said: str) -> None:
    assert reaction(await say(world, body)) == "-1"
    assert said in world.reply
    assert (await world.sweeps(), world.cluster.submitted) == ((), [])


async def test_somebody_without_write_access_gets_no_more(world: BotWorld) -> None:
    assert reaction(await say(world, "/gate status", by="stranger")) == "-1"
    assert world.reply == "`stranger`'s command does not count: it needs write access to this repository."


async def test_it_is_answered_once_and_anew_after_its_authors_edit(world: BotWorld) -> None:
    comment = await say(world, "/gate what")
    for delivery in [one for one in world.github.hooks.deliveries if one.event == "issue_comment"]:
        world.github.hooks.redeliver(delivery)
    await world.settled()
    await edit(world, comment, "/gate help", by="tom")  # somebody else's word
    assert reaction(comment) == "-1"
    await edit(world, comment, "/gate status")
    assert reaction(comment) == "+1"


async def test_a_comment_without_a_command_costs_nothing(world: BotWorld) -> None:
    before = len(world.github.calls)
    await say(world, "Through the gate.")
    assert len(world.github.calls) == before
