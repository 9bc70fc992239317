"""A push costs only what it changed: what was measured is reused, what runs is kept, and the comment says which."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.demo import sample_pr
from bot.demo.github.people import Opening
from gatekit.domain.ids import short
from gatekit.domain.sweep import GateState, JobOrigin, SweepState
from gatekit.domain.verdict import CurveOutcome, Judged
from tests.worlds.bench.bench_pr import CURVES, DRAFT, LABEL, LAWS, LEAN, SELF, THIRD, Setting, curve
from tests.worlds.bench.wide_bench import wide
from tests.worlds.bot.bot_world import BotWorld, bot_world
from tests.worlds.github.actions import unheard

NEAR_AGAIN = sample_pr.second_push().edits  # changes one recipe of four
TITLES = {"README.md": b"nothing that is measured"}


async def origins(world: BotWorld) -> dict[str, JobOrigin]:
    return {row.gate.config_key: row.source.origin for row in (await world.sweep()).rows}


async def test_what_was_measured_is_reused_and_only_what_changed_runs(world: BotWorld) -> None:
    await world.label()
    await world.finish_all()
    measured = world.pull.head
    await world.push(NEAR_AGAIN)
    assert await origins(world) == {DRAFT: "reused", LEAN: "started", SELF: "reused", THIRD: "reused"}
    assert len(world.cluster.started) == 5
    assert "3 gates reused: nothing that could change a measurement differs." in world.gates
    assert f"on curve, reused from sweep 1 (`{measured[:7]}`, " in world.gates
    assert "`drafting.draft_model`, `launch.args.model-draft` differ from sweep 1." in world.gates
    assert "3 of 4 on curve, 1 running" in world.gates
    await world.finish_all()
    assert world.check == ("completed", "success")


async def test_what_runs_is_kept_running_under_its_own_name(world: BotWorld) -> None:
    await world.label()
    jobs = {key: await world.job(key) for key in (DRAFT, SELF, THIRD)}
    await world.push(NEAR_AGAIN)
    assert await origins(world) == {DRAFT: "adopted", LEAN: "started", SELF: "adopted", THIRD: "adopted"}
    assert {key: await world.job(key) for key in jobs} == jobs
    assert "3 jobs kept running: nothing that could change a measurement differs." in world.gates
    before = (await world.sweeps())[1]
    assert [row.state for row in before.rows].count(GateState.HANDED_ON) == 3
    await world.finish_all()
    assert world.check == ("completed", "success")
    assert len(world.cluster.started) == 5


@pytest.mark.parametrize("gates", [4, 44])
async def test_a_push_that_changes_nothing_measured_costs_no_job_and_seven_calls(tmp_path: Path, gates: int) -> None:
    """Whatever the sweep's size, and however often it is pushed: comment and check run are written once."""
    edits = wide(gates - 4) if gates > 4 else {}
    async with bot_world(tmp_path, Setting(edits=edits, laws=LAWS, show_seconds=10.0, max_jobs=50)) as world:
        await world.label()
        started = len(world.cluster.started)
        for _ in range(2):
            asked = len(world.github.calls)
            await world.push({"README.md": str(asked).encode()})
            sweep = await world.sweep()
            assert (sweep.state, {row.source.origin for row in sweep.rows}) == (SweepState.DONE, {JobOrigin.REUSED})
            assert len(world.github.calls) - asked == 7, [call.path for call in world.github.calls[asked:]]
        assert len(sweep.rows) == len(world.cluster.started) == started
        assert world.check[0] == "completed"


async def test_a_commit_that_left_the_pull_request_gives_nothing(world: BotWorld) -> None:
    first = world.pull.head
    await world.push(TITLES)
    await world.label()
    await world.finish_all()
    world.people.move(world.repo, "leaner", first, by="pat")
    await world.settled()
    assert set((await origins(world)).values()) == {JobOrigin.STARTED}
    assert "sweep 1 measured it on a commit that is not in this pull request any more." in world.gates


async def test_a_job_answers_for_the_commit_that_it_was_started_for_and_for_those_that_adopted_it(
    world: BotWorld,
) -> None:
    await world.label()
    first = world.pull.head
    await world.push(TITLES)
    await world.finish_all()
    world.people.move(world.repo, "leaner", first, by="pat")
    await world.settled()
    assert set((await origins(world)).values()) == {JobOrigin.REUSED}
    assert {row.source.head for row in (await world.sweep()).rows} == {first}
    assert all(one.head == first for row in (await world.sweep()).rows for one in row.past)  # the job was sweep 1's


async def test_jobs_of_a_commit_that_left_are_ended(world: BotWorld) -> None:
    first = world.pull.head
    await world.push(TITLES)
    await world.label()
    jobs = [await world.job(key) for key in (DRAFT, LEAN, SELF, THIRD)]
    world.people.move(world.repo, "leaner", first, by="pat")
    await world.settled()
    assert set((await origins(world)).values()) == {JobOrigin.STARTED}
    assert set(world.cluster.cancelled) >= set(jobs)


async def test_the_label_off_and_on_again_measures_anew_and_shows_every_measurement(world: BotWorld) -> None:
    await world.label()
    await world.finish_all()
    await world.unlabel()
    await world.label()
    assert set((await origins(world)).values()) == {JobOrigin.STARTED}
    assert "the label was taken off and added again on this commit, which asks for a new measurement." in world.gates
    await world.finish_all()
    assert len(world.cluster.started) == 8
    assert "Every measurement of 4 gates" in world.gates
    assert world.gates.count("3.700 in sweep 1 (") == world.gates.count("3.700 in sweep 2 (") == 1


async def toggled(world: BotWorld, *, in_order: bool = True) -> None:
    """Off and on again, faster than anybody can look."""
    hooks = world.github.hooks
    seen = len(hooks.deliveries)
    async with unheard(world):
        world.people.remove_label(world.repo, world.pull, LABEL, by="maria")
        world.people.add_label(world.repo, world.pull, LABEL, by="maria")
    told = hooks.deliveries[seen:]
    for delivery in told if in_order else reversed(told):
        hooks.redeliver(delivery)
    await world.settled()


async def test_the_label_off_and_on_again_before_we_look_measures_anew_all_the_same(world: BotWorld) -> None:
    await world.label()
    await world.finish(DRAFT, 3.7)
    await toggled(world)
    assert set((await origins(world)).values()) == {JobOrigin.STARTED}
    assert (await world.sweeps())[1].ended_because == f"the label {LABEL} was taken off and added again"
    assert len(world.cluster.started) == 8
    assert len(world.cluster.running) == 4


async def test_so_it_does_not_where_nothing_was_measured_yet(world: BotWorld) -> None:
    await world.label()
    await toggled(world)
    assert [one.state for one in await world.sweeps()] == [SweepState.RUNNING]
    assert len(world.cluster.started) == 4


async def test_in_the_wrong_order_nothing_that_runs_is_lost(world: BotWorld) -> None:
    await world.label()
    await world.finish(DRAFT, 3.7)
    await toggled(world, in_order=False)
    assert len(world.cluster.running) == 3
    await world.finish_all()
    assert (await world.sweep()).state is SweepState.DONE


async def test_a_label_off_and_on_with_a_push_between_reuses(world: BotWorld) -> None:
    await world.label()
    await world.finish_all()
    await world.unlabel()
    await world.push(TITLES)
    await world.label()
    assert set((await origins(world)).values()) == {JobOrigin.REUSED}


async def test_a_gate_that_could_not_be_measured_is_never_reused(world: BotWorld) -> None:
    await world.label()
    world.cluster.fail(await world.job(SELF), "engine-failed: it did not start", "no more memory")
    await world.finish_all()
    await world.push(TITLES)
    found = await origins(world)
    assert (found[SELF], found[DRAFT]) == (JobOrigin.STARTED, JobOrigin.REUSED)
    assert "sweep 1 came to no measurement of it." in world.gates


async def test_a_corrected_curve_judges_the_old_measurement_without_a_job(world: BotWorld) -> None:
    await world.label()
    await world.finish_all()
    assert (await world.row(DRAFT)).verdict.outcome is CurveOutcome.ON_CURVE  # type: ignore[union-attr]
    fixed = {"goldens/tiny_draft.yaml": curve("draft-near.gguf", {1: 1.85, 4: 3.0})}
    assert fixed.keys() <= CURVES.keys()
    world.people.push(world.repo, "main", fixed, by="maria")
    await world.push(TITLES)
    row = await world.row(DRAFT)
    assert row.source.origin is JobOrigin.REUSED
    assert isinstance(row.verdict, Judged)
    assert (row.verdict.outcome, row.verdict.golden, row.verdict.realized.al) == (
        CurveOutcome.ABOVE,
        3.0,
        pytest.approx(3.7),
    )
    assert len(world.cluster.started) == 4


@pytest.mark.parametrize("change", ["DELETE FROM materials", "UPDATE materials SET packed = x'00'"])
async def test_raw_material_that_is_not_what_was_judged_gives_nothing(world: BotWorld, change: str) -> None:
    await world.label()
    await world.finish_all()
    with closing(sqlite3.connect(world.parts.settings.database)) as conn, conn:
        conn.execute(change)
    await world.push(TITLES)
    assert set((await origins(world)).values()) == {JobOrigin.STARTED}
    assert "the raw scrapes of sweep 1 are gone, or are not those that were judged." in world.gates


async def test_another_pull_request_with_the_same_branch_content_takes_nothing(world: BotWorld) -> None:
    await world.label()
    await world.finish_all()
    world.people.branch(world.repo, "twin", source="leaner")
    other = world.people.open_pull(world.repo, Opening("twin", "pat", world.pull.title))
    world.people.add_label(world.repo, other, "non-canary-full-sweep-enabled", by="maria")
    await world.settled()
    newest = (await world.store.recent(1))[0]
    assert newest.pr.number == other.number
    assert {row.source.origin for row in newest.rows} == {JobOrigin.STARTED}


async def test_an_adopted_job_that_fails_is_tried_again_for_the_new_head(world: BotWorld) -> None:
    await world.label()
    job = await world.job(DRAFT)
    await world.push(TITLES)
    world.cluster.lose(job)
    await world.settled()
    await world.later(300)
    row = await world.row(DRAFT)
    assert (row.attempt, row.source.origin) == (2, JobOrigin.ADOPTED)
    assert await world.job(DRAFT) == f"gk-1-{short(row.gate.key)}-2"
    await world.finish_all()
    assert world.check == ("completed", "neutral")
