"""Sweep labels, from the hand that sets one to what stands on the pull request."""

from pathlib import Path

import pytest

from bot.demo.github.faults import Answer
from gatekit.domain.sweep import SweepState
from tests.worlds.bench.bench_pr import BASE, DRAFT, LABEL, LEAN, SELF, SETTINGS, THIRD, Setting
from tests.worlds.bot.bot_world import BotWorld, bot_world

OTHER = "full-sweep-enabled"  # another primary label
PERMISSION = "/repos/*/collaborators/*/permission"


async def test_a_label_plans_runs_and_judges(world: BotWorld) -> None:
    world.cluster.out_of_reach = True
    await world.label()
    assert world.gates.startswith("**Acceptance length: 4 gates planned**")
    assert world.check == ("queued", None)
    world.cluster.out_of_reach = False
    await world.settled()
    assert world.gates.startswith("**Acceptance length: 0 of 4 on curve, 4 running**")
    assert "4 gates on 4 GPUs, for 8 of 9 speculative points. Without a gate: 1 exempt-framework." in world.gates
    await world.finish(DRAFT, 3.7)
    await world.finish(LEAN, 2.1)
    assert "1 of 4 on curve, 1 below, 2 running" in world.gates
    assert world.check == ("in_progress", None)
    await world.finish(SELF, 4.9)
    await world.finish(THIRD, 2.1)
    assert world.gates.startswith("**Acceptance length: 3 of 4 on curve, 1 below**")
    assert world.check == ("completed", "neutral")
    assert (await world.sweep()).state is SweepState.DONE
    assert world.reply == ""


async def test_the_plan_and_the_check_run_stand_on_the_pull_request_before_any_job_starts(world: BotWorld) -> None:
    await world.label()
    first, second, *rest = world.journal
    assert (first, second) == ("POST comments", "POST check-runs")
    steps = [entry.partition(" ")[0] for entry in rest]
    assert [step for step in steps if step != "PATCH"] == ["submit", "start"] * 4
    assert "PATCH" in steps  # what runs is shown meanwhile


async def test_a_sweep_that_is_all_on_curve_is_a_success_only_where_no_point_is_left_out(world: BotWorld) -> None:
    """The exempt point is no reason against it."""
    await world.label()
    for config_key, al in ((DRAFT, 3.7), (LEAN, 3.7), (SELF, 4.9), (THIRD, 2.1)):
        await world.finish(config_key, al)
    assert world.check == ("completed", "success")


async def test_somebody_without_write_access_gets_one_sentence(world: BotWorld) -> None:
    await world.label(by="tom")
    assert world.reply == (
        "No sweep was started: `tom` added `non-canary-full-sweep-enabled`, and a sweep needs write access to this "
        "repository. Ask a maintainer to remove the label and add it again."
    )
    assert (world.gates, world.checks(), world.cluster.submitted, await world.sweeps()) == ("", [], [], ())


async def test_a_stranger_is_not_let_in_either(world: BotWorld) -> None:
    await world.label(by="stranger")
    assert "`stranger` added" in world.reply
    assert await world.sweeps() == ()


async def test_a_permission_that_cannot_be_looked_up_once_is_asked_again(world: BotWorld) -> None:
    world.github.faults.on("GET", PERMISSION, Answer(502), times=2)  # a call, and its own second try
    await world.label()
    assert (world.reply, len(world.cluster.started)) == ("", 4)


async def test_a_permission_that_cannot_be_looked_up_at_all_grants_nothing(world: BotWorld) -> None:
    world.github.faults.on("GET", PERMISSION, Answer(502), times=100)
    await world.label()
    assert "Something went wrong on our side, again and again" in world.reply
    assert (world.gates, world.checks(), world.cluster.submitted, await world.sweeps()) == ("", [], [], ())


async def test_two_primary_labels_are_one_too_many(world: BotWorld) -> None:
    world.people.add_label(world.repo, world.pull, OTHER, by="maria")
    await world.label()
    assert f"`{OTHER}` and `{LABEL}` are on this pull request, but a sweep takes one of them" in world.reply
    assert await world.sweeps() == ()
    await world.unlabel(OTHER)
    assert (await world.sweep()).label == LABEL
    assert len(world.cluster.started) == 4
    assert world.reply == "Settled: sweep 1 was planned; see its comment."


async def test_a_second_primary_label_does_not_disturb_a_running_sweep(world: BotWorld) -> None:
    await world.label()
    await world.label(OTHER)
    assert "remove all but one" in world.reply
    await world.unlabel(LABEL)
    assert [one.state for one in await world.sweeps()] == [SweepState.RUNNING]
    assert world.cluster.cancelled == []
    assert world.reply.startswith("Settled: sweep 1")


@pytest.mark.parametrize("label", ["bug", "full-sweep", "FULL-SWEEP-FAIL-FAST", "agentx-fast", "evals-only", "🚀", " "])
async def test_any_other_label_does_nothing(world: BotWorld, label: str) -> None:
    await world.label(label, by="tom")
    assert (world.reply, world.gates, await world.sweeps()) == ("", "", ())
    await world.unlabel(label, by="tom")
    assert (world.reply, world.gates, await world.sweeps()) == ("", "", ())


async def test_any_other_label_does_not_disturb_a_running_sweep(world: BotWorld) -> None:
    await world.label()
    before = (world.gates, world.journal[:])
    await world.label("bug", by="tom")
    await world.unlabel("bug", by="tom")
    assert (world.gates, world.journal) == before
    assert len(world.cluster.running) == 4


async def test_a_label_that_is_gone_before_we_look_starts_nothing(world: BotWorld) -> None:
    world.people.add_label(world.repo, world.pull, LABEL, by="maria")
    await world.unlabel()
    assert (world.reply, world.gates, await world.sweeps(), world.cluster.submitted) == ("", "", (), [])


async def test_with_evals_only_there_is_nothing_to_gate(world: BotWorld) -> None:
    world.people.add_label(world.repo, world.pull, "evals-only", by="maria")
    await world.label()
    assert world.reply == (
        "Nothing to gate: `evals-only` is on this pull request. Remove it to have acceptance length gated."
    )
    assert (await world.sweeps(), world.cluster.submitted) == ((), [])


async def test_removing_the_label_cancels_the_sweep_and_its_jobs(world: BotWorld) -> None:
    await world.label()
    await world.finish(DRAFT, 3.7)
    await world.unlabel(by="pat")
    assert "This sweep was cancelled: the label `non-canary-full-sweep-enabled` was removed by pat." in world.gates
    assert world.check == ("completed", "neutral")
    assert world.cluster.running == []
    assert sorted(world.cluster.cancelled) == sorted(set(world.cluster.started) - {await world.job(DRAFT)})


async def test_a_job_that_does_not_stop_is_asked_again_until_it_is_gone(world: BotWorld) -> None:
    await world.label()
    world.cluster.stubborn = True
    await world.unlabel()
    assert len(world.cluster.running) == 4
    world.cluster.stubborn = False
    await world.settled()
    assert world.cluster.running == []
    asked = len(world.cluster.cancelled)
    await world.settled()
    assert len(world.cluster.cancelled) == asked


async def test_removing_and_adding_it_on_the_same_head_measures_anew(world: BotWorld) -> None:
    await world.label()
    await world.finish_all()
    await world.unlabel()
    await world.label()
    assert [(one.id, one.state) for one in await world.sweeps()] == [(2, SweepState.RUNNING), (1, SweepState.DONE)]
    assert len(world.cluster.started) == 8
    await world.finish_all()
    assert [run.said["external_id"] for run in world.checks()] == ["1", "2"]
    assert all(run.said["status"] == "completed" for run in world.checks())
    assert "1 earlier sweep" in world.gates


async def test_a_draft_pull_request_runs_like_any_other(tmp_path: Path) -> None:
    async with bot_world(tmp_path, Setting(draft=True)) as world:
        await world.label()
        assert len(world.cluster.started) == 4


async def test_a_fork_is_refused(tmp_path: Path) -> None:
    async with bot_world(tmp_path, Setting(forked_by="fay")) as world:
        await world.label()
        assert "this pull request comes from a fork" in world.reply
        assert (await world.sweeps(), world.cluster.submitted) == ((), [])


async def test_labels_have_the_names_that_the_default_branch_gives_them(tmp_path: Path) -> None:
    """The pull request's own copy of the settings says something else, and is not asked."""
    base = {SETTINGS: BASE[SETTINGS] + b"labels: {primary: {measure: {}}}\n"}
    edits = {SETTINGS: BASE[SETTINGS] + b"labels: {primary: {mine: {}}}\n"}
    async with bot_world(tmp_path, Setting(base=base, edits=edits)) as world:
        await world.label("mine")
        await world.label(LABEL)
        assert await world.sweeps() == ()
        await world.label("measure")
        assert (await world.sweep()).label == "measure"
        assert len(world.cluster.started) == 4
