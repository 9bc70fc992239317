"""Whose `/use` is believed, and which run is refused although somebody would like it to stand."""

from dataclasses import replace

import pytest

from bot.demo.github.merging import Merging
from bot.demo.github.people import Opening
from bot.demo.github.world import Role
from gatekit.comments.slots import Slot
from gatekit.domain.sweep import SweepState
from tests.worlds.bot.bot_world import BotWorld
from tests.worlds.github.actions import RUN, a_run, edit, measured, reaction, say, unheard, use
from tests.worlds.github.standin import forked

TITLES = {"README.md": b"nothing that is measured"}


@pytest.mark.parametrize(
    ("role", "association", "accepted"),
    [
        (Role.WRITE, "MEMBER", True),
        (Role.WRITE, "CONTRIBUTOR", True),  # a private member
        (Role.MAINTAIN, "NONE", True),
        (Role.TRIAGE, "CONTRIBUTOR", False),
        (Role.READ, "NONE", False),
        (None, "FIRST_TIME_CONTRIBUTOR", False),
        (None, "COLLABORATOR", True),
        (None, "OWNER", True),
    ],
)
async def test_who_may(world: BotWorld, role: Role | None, association: str, accepted: bool) -> None:
    await measured(world)
    world.github.world.user("someone")
    if role is not None:
        world.people.invite(world.repo, "someone", role)
    world.github.world.associations["someone"] = association
    command = await say(world, "/use 1", by="someone")
    assert reaction(command) == ("+1" if accepted else "-1")
    assert ("its author has no write access to this repository" in use(world)) is not accepted


async def test_a_bot_account_is_not_heard(world: BotWorld) -> None:
    await measured(world)
    world.github.world.user("helper[bot]", "Bot")
    world.people.invite(world.repo, "helper[bot]", Role.ADMIN)
    assert reaction(await say(world, "/use 1", by="helper[bot]")) is None
    assert use(world) == ""


async def test_somebody_elses_edit_is_nobodys_word(world: BotWorld) -> None:
    await measured(world)
    comment = await say(world, "Looks good.")
    await edit(world, comment, "/use 1", by="tom")
    assert reaction(comment) == "-1"
    assert "somebody else edited it, so it is nobody's word: post the command yourself" in use(world)
    await edit(world, comment, "/use 1 ", by="maria")
    assert reaction(comment) == "+1"


async def test_an_edit_that_nobody_told_us_of_is_not_believed(world: BotWorld) -> None:
    await measured(world)
    comment = await say(world, "Looks good.")
    async with unheard(world):
        world.people.edit_comment(world.repo, comment, "/use 1", by="tom")
    await say(world, "/use", by="pat")
    assert reaction(comment) == "-1"
    assert "it was edited, and by whom could not be found out: post the command again" in use(world)


async def test_a_comment_deleted_after_acceptance_takes_its_run_away(world: BotWorld) -> None:
    await measured(world)
    command = await say(world, "/use 1")
    world.people.delete_comment(world.repo, command, by="maria")
    await world.settled()
    assert use(world).startswith("**No run is selected.**")
    await world.push(TITLES)
    assert (await world.sweep()).id == 2


async def test_two_maintainers_who_contradict_each_other_within_a_second(world: BotWorld) -> None:
    await measured(world)
    a_run(world)
    first = world.people.comment(world.repo, world.pull, "/use 1", by="maria")
    second = world.people.comment(world.repo, world.pull, f"/use {RUN}", by="pat")
    second.created = second.updated = first.created
    await world.settled()
    assert (reaction(first), reaction(second)) == (None, "+1")


async def test_a_sweep_of_another_pull_request_with_the_same_branch_content(world: BotWorld) -> None:
    await measured(world)
    world.people.branch(world.repo, "twin", source="leaner")
    other = world.people.open_pull(world.repo, Opening("twin", "pat", world.pull.title))
    comment = world.people.comment(world.repo, other, "/use 1", by="maria")
    await world.settled()
    assert reaction(comment) == "-1"
    assert "sweep 1 belongs to another pull request" in world.says(Slot.USE)


async def test_a_run_of_a_fork_with_the_same_branch_name(world: BotWorld) -> None:
    fork = forked(world.github.world, world.repo, "mallory")
    world.people.branch(fork, "leaner")
    foreign = world.people.push(fork, "leaner", {"x": b"y"}, by="mallory")
    a_run(world, head=foreign.sha)
    assert reaction(await say(world, f"/use {RUN}")) == "-1"
    assert "is not a commit of this pull request" in use(world)
    assert reaction(await say(world, "/reuse-sweep-run")) == "-1"


async def test_a_run_of_another_repository(world: BotWorld) -> None:
    other = world.github.world.add_repo("gatekit-demo/other", {"a": b"b"})
    run = a_run(world)
    del world.repo.runs[run.id]
    other.runs[run.id] = replace(run, head=other.branches["main"])
    assert reaction(await say(world, f"/use {RUN}")) == "-1"
    assert f"there is no sweep and no workflow run {RUN} in this repository" in use(world)


async def test_a_command_on_a_closed_pull_request_does_nothing(world: BotWorld) -> None:
    await measured(world)
    world.people.close(world.repo, world.pull, by="maria")
    await world.settled()
    assert reaction(await say(world, "/use 1")) is None
    assert world.reply == "`maria`'s command does nothing: this pull request is not open."


async def test_a_strangers_command_on_a_merge_of_long_ago_starts_nothing(world: BotWorld) -> None:
    """It was merged before anybody wanted something of the bot here: there is nothing to make up for."""
    async with unheard(world):
        Merging(world.people).merge(world.repo, world.pull, by="maria")
    await say(world, "/use 1", by="stranger")
    assert world.reply == "`stranger`'s command does nothing: this pull request is not open."
    assert (await world.sweeps(), world.repo.checks, world.cluster.submitted) == ((), {}, [])


async def test_the_same_comment_webhook_again_changes_nothing(world: BotWorld) -> None:
    await measured(world)
    command = await say(world, "/use 1")
    before = list(world.journal)
    for delivery in [one for one in world.github.hooks.deliveries if one.event == "issue_comment"]:
        world.github.hooks.redeliver(delivery)
    await world.settled()
    assert world.journal == before
    assert reaction(command) == "+1"
    assert (await world.sweep()).state is SweepState.DONE
