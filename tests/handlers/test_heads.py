"""Pushes, closing, merging, reopening: what becomes of the gates of a head that nobody looks at any more."""

import pytest

from bot.demo import sample_pr
from bot.demo.github.faults import Stale
from bot.demo.github.merging import Merging
from gatekit.domain.sweep import Cause, SweepState
from tests.worlds.bench.bench_pr import LABEL, LEAN, RECIPES, SETTINGS
from tests.worlds.bot.bot_world import BotWorld
from tests.worlds.github.actions import RUN, a_run

NEAR_AGAIN = sample_pr.second_push().edits


async def test_a_push_plans_the_new_head_and_lets_go_of_what_changed(world: BotWorld) -> None:
    await world.label()
    old, changed = world.pull.head, await world.job(LEAN)
    await world.push(NEAR_AGAIN)
    new, before = await world.sweeps()
    assert (before.state, before.ended_because) == (SweepState.SUPERSEDED, f"the head moved to {world.pull.head[:7]}")
    assert (new.head, new.cause, new.sender) == (world.pull.head, Cause.PUSH, "pat")
    assert world.cluster.cancelled == [changed]
    assert len(world.cluster.running) == 4
    assert f"head `{world.pull.head[:7]}` · sweep 2" in world.gates
    assert "1 earlier sweep" in world.gates
    assert "`pat` pushed while `non-canary-full-sweep-enabled` was on" in world.gates
    assert [run.said["status"] for run in world.checks(old)] == ["completed"]
    assert world.check == ("in_progress", None)


async def test_the_new_heads_verdicts_are_its_own(world: BotWorld) -> None:
    await world.label()
    await world.finish_all()
    assert world.check == ("completed", "neutral")
    await world.push(NEAR_AGAIN)
    await world.finish_all()
    assert world.gates.startswith("**Acceptance length: 4 of 4 on curve**")
    assert world.check == ("completed", "success")


async def test_a_push_without_a_label_does_nothing(world: BotWorld) -> None:
    await world.push(NEAR_AGAIN)
    assert (world.reply, world.gates, await world.sweeps()) == ("", "", ())


async def test_a_push_by_a_bot_account_counts(world: BotWorld) -> None:
    """GitHub does not list a bot among the collaborators; to have pushed is proof enough."""
    await world.label()
    world.github.world.user("tidy[bot]", "Bot")
    await world.push(NEAR_AGAIN, by="tidy[bot]")
    assert (await world.sweep()).sender == "tidy[bot]"
    assert len(world.cluster.running) == 4


async def test_a_push_that_github_does_not_show_yet_is_planned_when_it_does(world: BotWorld) -> None:
    await world.label()
    world.github.faults.on("GET", "/repos/*/pulls/*", Stale(), times=1)
    await world.push(NEAR_AGAIN)
    newest, _ = await world.sweeps()
    assert newest.head == world.pull.head
    assert world.reply == ""


async def test_of_two_pushes_in_a_row_only_the_last_is_planned(world: BotWorld) -> None:
    await world.label()
    world.people.push(world.repo, "leaner", {"README.md": b"one"}, by="pat")
    await world.push(NEAR_AGAIN)
    assert (await world.sweep()).head == world.pull.head
    assert len(await world.sweeps()) == 2


async def test_a_forced_push_back_to_a_measured_head_is_measured_again_only_where_the_answer_is_gone(
    world: BotWorld,
) -> None:
    await world.label()
    first = world.pull.head
    await world.push(NEAR_AGAIN)
    world.people.move(world.repo, "leaner", first, by="pat")
    await world.settled()
    sweep = await world.sweep()
    assert (sweep.head, sweep.state) == (first, SweepState.RUNNING)
    assert len(world.cluster.running) == 4


async def test_a_push_that_cannot_be_planned_says_why_and_leaves_nothing_running(world: BotWorld) -> None:
    await world.label()
    old = world.pull.head
    await world.push({"configs/demo-master.yaml": b"a: [\n"})
    assert world.reply.startswith(f"`{world.pull.head[:7]}` could not be planned, so no gate runs: ")
    assert [one.state for one in await world.sweeps()] == [SweepState.SUPERSEDED]
    assert world.cluster.running == []
    assert [run.said["status"] for run in world.checks(old)] == ["completed"]


@pytest.mark.parametrize("what", ["a second primary", "evals-only", "broken settings"])
async def test_a_push_that_is_refused_leaves_nothing_of_the_old_head_running(world: BotWorld, what: str) -> None:
    await world.label()
    if what == "broken settings":
        world.people.push(world.repo, "main", {SETTINGS: b"mood: good\n"}, by="maria")
    else:
        await world.label("evals-only" if what == "evals-only" else "full-sweep-enabled")
    await world.push(NEAR_AGAIN)
    assert world.reply != ""
    assert (await world.sweep()).state.value in ("superseded", "cancelled")
    assert world.cluster.running == []


async def test_closing_cancels_the_sweep_and_its_jobs(world: BotWorld) -> None:
    await world.label()
    await world.finish(LEAN, 2.1)
    head = world.pull.head
    world.people.close(world.repo, world.pull, by="maria")
    await world.settled()
    ended = await world.sweep()
    assert (ended.state, ended.ended_because) == (SweepState.CANCELLED, "the pull request was closed")
    assert world.cluster.running == []
    assert world.checks(head)[0].said["status"] == "completed"
    assert "1 below, 3 cancelled" in world.gates


async def test_after_a_merge_the_jobs_go_on_for_the_commit_that_landed(world: BotWorld) -> None:
    await world.label()
    await world.finish(LEAN, 2.1)
    head, jobs = world.pull.head, world.cluster.running
    sha = Merging(world.people).merge(world.repo, world.pull, by="maria")
    await world.settled()
    newest, before = await world.sweeps()
    assert (before.state, before.ended_because) == (
        SweepState.SUPERSEDED,
        f"the pull request was merged as {sha[:7]}",
    )
    assert (newest.head, world.cluster.running, world.cluster.cancelled) == (sha, jobs, [])
    assert world.checks(head)[0].said["status"] == "completed"
    await world.finish_all()
    assert world.gates.startswith("**Acceptance length: 3 of 4 on curve, 1 below**")


async def test_after_a_merge_that_reuses_a_run_nothing_runs(world: BotWorld) -> None:
    await world.label()
    a_run(world)
    world.people.comment(world.repo, world.pull, f"/use {RUN}", by="maria")
    await world.settled()
    Merging(world.people).merge(world.repo, world.pull, by="maria")
    await world.settled()
    ended = await world.sweep()
    assert (ended.state, ended.ended_because) == (SweepState.CANCELLED, "the pull request was merged")
    assert world.cluster.running == []


async def test_a_label_on_a_closed_pull_request_does_nothing(world: BotWorld) -> None:
    world.people.close(world.repo, world.pull, by="maria")
    await world.label()
    assert (world.reply, world.gates, await world.sweeps()) == ("", "", ())


async def test_reopening_takes_up_the_label_again(world: BotWorld) -> None:
    await world.label()
    world.people.close(world.repo, world.pull, by="maria")
    await world.settled()
    world.people.reopen(world.repo, world.pull, by="maria")
    await world.settled()
    assert [one.state for one in await world.sweeps()] == [SweepState.RUNNING, SweepState.CANCELLED]
    assert len(world.cluster.running) == 4


async def test_reopening_is_no_way_around_write_access(world: BotWorld) -> None:
    await world.label(by="tom")
    world.people.close(world.repo, world.pull, by="tom")
    world.people.reopen(world.repo, world.pull, by="tom")
    await world.settled()
    assert "`tom` reopened this pull request" in world.reply
    assert (await world.sweeps(), world.cluster.submitted) == ((), [])


async def test_what_is_done_for_a_head_stays_done_when_it_is_reopened(world: BotWorld) -> None:
    await world.label()
    await world.finish_all()
    world.people.close(world.repo, world.pull, by="maria")
    world.people.reopen(world.repo, world.pull, by="maria")
    await world.settled()
    assert [one.state for one in await world.sweeps()] == [SweepState.DONE]


async def test_reopening_without_a_label_starts_nothing(world: BotWorld) -> None:
    world.people.close(world.repo, world.pull, by="maria")
    world.people.reopen(world.repo, world.pull, by="maria")
    await world.settled()
    assert (world.reply, await world.sweeps()) == ("", ())


async def test_the_base_may_move_on_without_changing_what_the_pull_request_adds(world: BotWorld) -> None:
    """Its changelog entries are those since the fork point, though the base has other new ones by now."""
    theirs = world.github.world.files(world.repo.branches["main"])[sample_pr.CHANGELOG].data
    entry = b"- config-keys: [tiny-fp32-demo-llamacpp]\n  description: [Another.]\n  pr-link: https://github.example\n"
    world.people.push(world.repo, "main", {sample_pr.CHANGELOG: theirs + entry, "README.md": b"new"}, by="maria")
    await world.label()
    assert len(world.cluster.started) == 4
    assert "Without a gate: 1 exempt-framework." in world.gates


async def test_a_push_that_touches_no_recipe_of_the_plan_is_planned_all_the_same(world: BotWorld) -> None:
    await world.label(LABEL)
    await world.push({f"{RECIPES}/notes.txt": b"nothing"})
    assert len(await world.sweeps()) == 2
