"""A merge says once, on the commit that lands, whose measurements stand for it; without any, its gates run."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.demo.github.faults import Answer
from bot.demo.github.merging import Merging, Way
from bot.demo.github.people import Opening
from bot.demo.github.world import CheckRun
from gatekit.domain.sweep import Cause, SweepState
from tests.worlds.bench.bench_pr import BASE, SETTINGS, Setting
from tests.worlds.bot.bot_world import BotWorld, bot_world
from tests.worlds.github.actions import RUN, a_run, say, unheard

REPORT = {SETTINGS: b"reuse: {merge-without-use: report}\n"}


async def land(world: BotWorld, way: Way = Way.SQUASH) -> str:
    sha = Merging(world.people).merge(world.repo, world.pull, way, by="maria")
    await world.settled()
    return sha


def answers(world: BotWorld, sha: str) -> list[CheckRun]:
    return [run for run in world.checks(sha) if run.said["name"] == "sweep reuse"]


def answer(world: BotWorld, sha: str) -> CheckRun:
    (run,) = answers(world, sha)
    assert run.said["status"] == "completed"
    return run


def told(run: CheckRun) -> dict[str, Any]:
    """The JSON for workflows."""
    text: str = run.said["output"]["text"]  # type: ignore[index]
    found: dict[str, Any] = json.loads(text.removeprefix("```json\n").removesuffix("\n```"))
    return found


def summary(run: CheckRun) -> str:
    found: str = run.said["output"]["summary"]  # type: ignore[index]
    return found


@pytest.mark.parametrize("way", list(Way))
async def test_a_selected_run_stands_for_the_merge_however_it_was_merged(world: BotWorld, way: Way) -> None:
    await world.push({"README.md": b"a second commit"})
    head = world.pull.head
    a_run(world, attempt=3)
    await say(world, f"/use {RUN}")
    sha = await land(world, way)
    run = answer(world, sha)
    assert run.said["conclusion"] == "success"
    assert told(run) == {
        "schema": 1,
        "outcome": "reused",
        "reuse": True,
        "source": "workflow",
        "run": RUN,
        "attempt": 3,
        "head_sha": head,
        "merge_sha": sha,
        "pull_request": world.pull.number,
        "by": "maria",
        "reason": None,
        "sweep": None,
        "pull_requests": [],
    }
    assert f"Workflow run {RUN} of `{head[:7]}` stands for this pull request, by `/use {RUN}` of `maria`" in summary(
        run
    )
    assert await world.sweeps() == ()


@pytest.mark.parametrize("way", list(Way))
async def test_without_one_the_gates_run_for_the_merge_and_what_was_measured_is_not_run_again(
    world: BotWorld, way: Way
) -> None:
    await world.push({"README.md": b"a second commit"})
    await world.label()
    await world.finish_all()
    sha = await land(world, way)
    newest, older = await world.sweeps()
    assert (newest.head, newest.cause, newest.sender, older.state) == (sha, Cause.MERGE, "maria", SweepState.DONE)
    assert len(newest.rows) == 4
    assert len(world.cluster.started) == 4
    run = answer(world, sha)
    assert (run.said["conclusion"], told(run)["outcome"], told(run)["sweep"]) == ("neutral", "rerun", 2)
    assert "nobody who may posted `/use <run>`. Sweep 2 gates this commit" in summary(run)
    assert "`maria` merged, and no run stood for the pull request" in world.gates


async def test_gates_of_a_merge_that_was_never_measured_run_to_their_end(world: BotWorld) -> None:
    sha = await land(world)
    assert len(world.cluster.running) == 4
    await world.finish_all()
    sweep = await world.sweep()
    assert (sweep.head, sweep.state) == (sha, SweepState.DONE)


async def test_a_repository_may_want_it_said_only(tmp_path: Path) -> None:
    async with bot_world(tmp_path, Setting(base=REPORT)) as world:
        run = answer(world, await land(world))
        assert (told(run)["outcome"], told(run)["sweep"], world.cluster.started) == ("reported", None, [])
        assert "The repository wants that said, and nothing run" in summary(run)


async def test_a_merge_that_changes_nothing_gated_starts_nothing(tmp_path: Path) -> None:
    async with bot_world(tmp_path, Setting(edits={"perf-changelog.yaml": BASE["perf-changelog.yaml"]})) as world:
        run = answer(world, await land(world))
        assert (told(run)["outcome"], told(run)["sweep"]) == ("rerun", None)


async def test_a_merge_that_cannot_be_planned_says_why(tmp_path: Path) -> None:
    async with bot_world(tmp_path, Setting(edits={"configs/demo-master.yaml": b"a: [\n"})) as world:
        run = answer(world, await land(world))
        assert (told(run)["outcome"], run.said["conclusion"]) == ("unplanned", "neutral")
        assert "The gates of this commit could not be planned: " in summary(run)


async def test_a_closed_pull_request_that_was_not_merged_gets_no_answer(world: BotWorld) -> None:
    world.people.close(world.repo, world.pull, by="maria")
    await world.settled()
    assert world.repo.checks == {}
    assert await world.sweeps() == ()


async def test_a_command_that_does_not_hold_any_more_is_said_with_the_reason(world: BotWorld) -> None:
    a_run(world)
    await say(world, f"/use {RUN}")
    world.repo.runs[RUN].artifacts = ()
    run = answer(world, await land(world))
    assert (told(run)["reuse"], told(run)["reason"]) == (False, "no-results")
    assert f"`/use {RUN}` of `maria` is rejected: run {RUN} has no artifacts." in summary(run)


async def test_the_same_webhook_again_and_a_later_look_give_one_answer(world: BotWorld) -> None:
    a_run(world)
    await say(world, f"/use {RUN}")
    sha = await land(world)
    (closed,) = [one for one in world.github.hooks.deliveries if one.action == "closed"]
    world.github.hooks.redeliver(closed)
    await world.settled()
    del world.repo.runs[RUN]
    await say(world, "/use 999")
    assert told(answer(world, sha))["run"] == RUN


async def test_a_merge_that_nobody_told_us_of_is_answered_at_the_next_look(world: BotWorld) -> None:
    a_run(world)
    await say(world, f"/use {RUN}")
    async with unheard(world):
        sha = Merging(world.people).merge(world.repo, world.pull, by="maria")
    assert answers(world, sha) == []
    await say(world, "/use 1 please")
    assert told(answer(world, sha))["run"] == RUN


async def test_at_a_later_look_it_is_still_known_who_merged(world: BotWorld) -> None:
    await world.label()
    async with unheard(world):
        sha = Merging(world.people).merge(world.repo, world.pull, by="maria")
    await say(world, "/use 1 please", by="stranger")
    assert told(answer(world, sha))["sweep"] == 2
    assert "`maria` merged, and no run stood for the pull request" in world.gates


async def test_settings_that_cannot_be_read_leave_no_job_of_a_merged_pull_request(world: BotWorld) -> None:
    await world.label()
    world.people.push(world.repo, "main", {SETTINGS: b"mode: [\n"}, by="maria")
    await land(world)
    assert (await world.sweep()).state is SweepState.CANCELLED
    assert world.cluster.running == []
    assert SETTINGS in world.reply


async def test_a_sweep_that_was_begun_for_a_merge_ends_where_the_answer_is_another_one_by_now(tmp_path: Path) -> None:
    """Its comment could not be written, so that nothing was answered; meanwhile somebody selected a run."""
    async with bot_world(tmp_path, Setting(retry_delays=())) as world:
        world.github.faults.on("POST", "/repos/*/issues/*/comments", Answer(502), times=2)  # the apology as well
        sha = await land(world)
        assert ((await world.sweep()).cause, answers(world, sha)) == (Cause.MERGE, [])
        a_run(world)
        await say(world, f"/use {RUN}")
        assert told(answer(world, sha))["run"] == RUN
        assert (await world.sweep()).state is SweepState.CANCELLED
        assert world.cluster.running == []


async def test_labels_that_leave_nothing_to_gate(world: BotWorld) -> None:
    world.people.add_label(world.repo, world.pull, "evals-only", by="maria")
    run = answer(world, await land(world))
    assert (told(run)["outcome"], told(run)["sweep"]) == ("rerun", None)
    assert "Nothing is gated with the labels of the pull request (`evals-only`)." in summary(run)


async def test_a_commit_of_several_pull_requests_is_refused_with_their_numbers(world: BotWorld) -> None:
    a_run(world)
    await say(world, f"/use {RUN}")
    world.people.branch(world.repo, "twin", source="leaner")
    other = world.people.open_pull(world.repo, Opening("twin", "pat", "The same again"))
    async with unheard(world):
        sha = Merging(world.people).merge(world.repo, world.pull, by="maria")
        other.merge_sha, other.closed, other.merged = sha, world.pull.closed, world.pull.merged
    for delivery in [one for one in world.github.hooks.deliveries if one.action == "closed"]:
        world.github.hooks.redeliver(delivery)
    await world.settled()
    run = answer(world, sha)
    assert (told(run)["outcome"], told(run)["pull_requests"]) == ("several", [world.pull.number, other.number])
    assert f"belongs to the pull requests {world.pull.number}, {other.number}" in summary(run)
    assert await world.sweeps() == ()


async def test_a_merge_queue_gets_its_answer_on_the_groups_head(world: BotWorld) -> None:
    a_run(world)
    await say(world, f"/use {RUN}")
    group = Merging(world.people).queue(world.repo, world.pull, by="maria")
    await world.settled()
    assert told(answer(world, group))["run"] == RUN
    assert answer(world, group).said["conclusion"] == "success"


async def test_a_merge_queue_without_a_selected_run_starts_nothing(world: BotWorld) -> None:
    group = Merging(world.people).queue(world.repo, world.pull, by="maria")
    await world.settled()
    assert (answer(world, group).said["conclusion"], told(answer(world, group))["outcome"]) == ("neutral", "at-merge")
    assert "Once this is merged, its gates run for the merge commit." in summary(answer(world, group))
    assert await world.sweeps() == ()


async def test_a_merge_queue_of_a_repository_that_wants_it_said_only(tmp_path: Path) -> None:
    async with bot_world(tmp_path, Setting(base=REPORT)) as world:
        group = Merging(world.people).queue(world.repo, world.pull, by="maria")
        await world.settled()
        assert told(answer(world, group))["outcome"] == "reported"


async def test_command_then_a_merge_of_main_then_squash_keeps_the_selection_and_starts_no_gate(world: BotWorld) -> None:
    """As a helper of maintainers does it."""
    a_run(world)
    measured = world.pull.head
    await say(world, f"/use {RUN}")
    history, people = world.github.world.history, world.people
    main = people.push(world.repo, "main", {"other.txt": b"x"}, by="otto").sha
    files = {**history.commits[world.pull.head].files, **{"other.txt": history.commits[main].files["other.txt"]}}
    parents = (world.pull.head, main)
    sync = history.commit(files, parents, "maria", "Merge main [skip-sweep]", world.github.world.tick())
    people.move(world.repo, "leaner", sync.sha, by="maria")
    await world.settled()
    run = answer(world, await land(world))
    assert (told(run)["run"], told(run)["head_sha"]) == (RUN, measured)
    assert await world.sweeps() == ()
    assert world.cluster.started == []
