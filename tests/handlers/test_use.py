"""`/use <run>`: the latest authorized word counts, and a run stands for the pull request whose commit it measured."""

import pytest

from bot.demo.github.workflows import packed
from tests.worlds.bot.bot_world import BotWorld
from tests.worlds.github.actions import RUN, a_run, edit, measured, reaction, say, use

TITLES = {"README.md": b"nothing that is measured"}


async def test_a_finished_sweep_is_accepted_and_a_push_starts_nothing_more(world: BotWorld) -> None:
    await measured(world)
    head = world.pull.head
    command = await say(world, "Good.\n\n/use 1")
    assert reaction(command) == "+1"
    assert use(world).startswith(f"**Sweep 1 of `{head[:7]}` stands for this pull request**, by `/use 1` of `maria`.")
    await world.push(TITLES)
    assert [one.id for one in await world.sweeps()] == [1]
    assert len(world.cluster.started) == 4
    assert world.check == ("completed", "neutral")


async def test_a_label_starts_a_sweep_all_the_same(world: BotWorld) -> None:
    await measured(world)
    await say(world, "/use 1")
    await world.unlabel()
    await world.label()
    assert (await world.sweep()).id == 2


async def test_a_rebase_that_drops_the_commit_says_so_at_once_and_gates_the_new_head(world: BotWorld) -> None:
    await world.push(TITLES)
    await measured(world)
    head = world.pull.head
    command = await say(world, "/use 1")
    world.people.move(world.repo, "leaner", world.github.world.history.commits[head].parents[0], by="pat")
    await world.settled()
    assert reaction(command) == "-1"
    assert f"run 1 ran for `{head[:7]}`, which is not a commit of this pull request (any more)." in use(world)
    assert (await world.sweep()).head == world.pull.head


async def test_the_latest_command_counts_and_the_one_before_loses_its_reaction(world: BotWorld) -> None:
    await measured(world)
    a_run(world)
    first = await say(world, "/use 1")
    second = await say(world, f"/reuse-sweep-run {RUN}", by="pat")
    assert (reaction(first), reaction(second)) == (None, "+1")
    assert use(world).startswith(f"**Workflow run {RUN} of ")
    world.people.delete_comment(world.repo, second, by="pat")
    await world.settled()
    assert reaction(first) == "+1"
    assert use(world).startswith("**Sweep 1 of ")


async def test_an_edit_keeps_its_place_and_can_take_the_command_away(world: BotWorld) -> None:
    await measured(world)
    a_run(world)
    first, second = await say(world, "/use 1"), await say(world, f"/use {RUN}")
    await edit(world, first, "/use 999")
    assert (reaction(first), reaction(second)) == (None, "+1")
    await edit(world, second, "Never mind.")
    assert (reaction(first), reaction(second)) == ("-1", None)
    assert "there is no sweep and no workflow run 999 in this repository: check the number." in use(world)
    await edit(world, first, "Nor this.")
    assert reaction(first) is None
    assert use(world).startswith("**No run is selected.**")


async def test_a_bare_command_takes_the_newest_run_with_results(world: BotWorld) -> None:
    await measured(world)
    a_run(world)
    a_run(world, RUN + 1, artifacts=("logs",))
    a_run(world, RUN + 2, conclusion="failure")
    command = await say(world, "/reuse-sweep-run")
    assert reaction(command) == "+1"
    assert use(world).startswith(f"**Workflow run {RUN} of ")


async def test_a_bare_command_without_any_workflow_takes_the_newest_sweep(world: BotWorld) -> None:
    await measured(world)
    assert reaction(await say(world, "/reuse-sweep-run")) == "+1"
    assert use(world).startswith("**Sweep 1 of ")


async def test_a_bare_command_where_nothing_will_do(world: BotWorld) -> None:
    a_run(world, conclusion="failure")
    assert reaction(await say(world, "/reuse-sweep-run")) == "-1"
    assert "no finished run with results was found for a commit of this pull request" in use(world)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("/use", "it names no run"),
        ("/use\n12", "it names no run"),
        ("/use #12", "a run is named by its number alone"),
        ("/USE 12", "in lower case"),
        ("/use 1 2", "it names several runs"),
        ("/use 12 please", "a command stands alone on its line"),
        ("/use 9999999999999999999", "a run is named by its number alone"),
    ],
)
async def test_what_is_close_gets_an_answer(world: BotWorld, body: str, said: str) -> None:
    assert reaction(await say(world, body)) == "-1"
    assert said in use(world)
    assert use(world).startswith("**No run is selected.**")


@pytest.mark.parametrize("body", ["Thanks!", "please /use 12", "```\n/use 12\n```", "> /use 12", "`/use 12`"])
async def test_what_is_no_command_costs_nothing(world: BotWorld, body: str) -> None:
    calls = len(world.github.calls)
    assert reaction(await say(world, body)) is None
    assert use(world) == ""
    assert len(world.github.calls) - calls <= 5


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"status": "in_progress", "conclusion": None}, "is not over yet (`in_progress`)"),
        ({"conclusion": "timed_out"}, "ended as `timed_out`, which cannot be reused"),
        ({"event": "workflow_dispatch"}, "was started by `workflow_dispatch`, not by a pull request"),
        ({"path": ".github/workflows/renamed.yml"}, "is a run of `.github/workflows/renamed.yml`"),
        ({"artifacts": ()}, "has no artifacts"),
        ({"artifacts": ("logs",)}, "has no artifact with results (it has `logs`)"),
        ({"expired": True}, "have expired: run the sweep again"),
        ({"data": packed({"agg.json": "[]"})}, "hold no result row (`results_bmk`)"),
        ({"data": b"<html>"}, "are not usable: `results_bmk`: is no zip archive."),
        ({"data": packed({"../agg.json": "[]"})}, "`../agg.json`, which leads out of its folder."),
        ({"data": packed({"agg.json": "[" * 99})}, "is nested deeper than 32 levels."),
        ({"data": packed({"@maria.json": "{"})}, "are not usable: `results_bmk/@maria.json`: is no JSON."),
    ],
)
async def test_a_workflow_run_that_will_not_do(world: BotWorld, changes: dict[str, object], said: str) -> None:
    a_run(world, **changes)  # type: ignore[arg-type]
    assert reaction(await say(world, f"/use {RUN}")) == "-1"
    assert said in use(world)


async def test_a_bare_command_passes_over_a_run_whose_results_are_not_usable(world: BotWorld) -> None:
    a_run(world)
    a_run(world, RUN + 10, data=b"<html>")
    assert reaction(await say(world, "/reuse-sweep-run")) == "+1"
    assert use(world).startswith(f"**Workflow run {RUN} of ")


async def test_a_runs_results_are_downloaded_once(world: BotWorld) -> None:
    a_run(world)
    await say(world, f"/use {RUN}")
    await world.push(TITLES)
    await say(world, f"/use {RUN}", by="pat")
    assert len([call for call in world.github.calls if call.path.endswith("/zip")]) == 1


async def test_a_sweep_that_runs_or_measured_nothing_will_not_do(world: BotWorld) -> None:
    await world.label()
    assert reaction(await say(world, "/use 1")) == "-1"
    assert "run 1 is not over yet (`running`)" in use(world)
    await world.unlabel()
    assert reaction(await say(world, "/use 1")) == "-1"
    assert "nothing was measured in sweep 1." in use(world)


async def test_labels_that_forbid_reuse(world: BotWorld) -> None:
    await measured(world)
    world.people.add_label(world.repo, world.pull, "agentx-fast", by="maria")
    command = await say(world, "/use 1")
    assert reaction(command) == "-1"
    assert "a label of this pull request forbids reuse (`agentx-fast`): remove it first." in use(world)
    world.people.remove_label(world.repo, world.pull, "agentx-fast", by="maria")
    await world.settled()
    assert reaction(command) == "+1"


def titles(world: BotWorld) -> list[object]:
    return [run.said["output"]["title"] for run in world.checks()]  # type: ignore[index]


async def test_the_check_run_of_a_head_that_is_not_gated_follows_the_selection(world: BotWorld) -> None:
    a_run(world)
    first = await say(world, f"/use {RUN}")
    assert titles(world) == [f"Workflow run {RUN} stands for this commit"]
    a_run(world, RUN + 1)
    second = await say(world, f"/use {RUN + 1}")
    assert titles(world) == [f"Workflow run {RUN + 1} stands for this commit"]
    for comment in (first, second):
        world.people.delete_comment(world.repo, comment, by="maria")
    await world.settled()
    assert titles(world) == ["No run stands for this commit any more"]
    assert world.check == ("completed", "neutral")


async def test_a_head_that_a_sweep_answers_for_keeps_its_own_check_run(world: BotWorld) -> None:
    await measured(world)
    before = titles(world)
    command = await say(world, "/use 1")
    world.people.delete_comment(world.repo, command, by="maria")
    await world.settled()
    assert titles(world) == before
