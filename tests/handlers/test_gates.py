"""Gates that end, well and badly, and what then stands on the pull request."""

from pathlib import Path

from gatekit.comments.slots import Slot
from gatekit.domain.ids import JobName
from gatekit.domain.job import Material
from gatekit.domain.sweep import GateState, SweepState
from gatekit.domain.verdict import CurveOutcome, Judged, NotMeasured, Unmeasured
from tests.worlds.bench.bench_pr import BASE, DRAFT, LAWS, LEAN, SELF, SETTINGS, THIRD, Setting
from tests.worlds.bench.wide_bench import GATES, wide
from tests.worlds.bot.bot_world import BotWorld, bot_world

ENFORCE = {SETTINGS: BASE[SETTINGS].replace(b"report-only", b"enforce")}
LOG = """\
loading model
using token ghp_0123456789abcdefghijABCDEFGHIJ012345
AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY
error: cannot allocate the KV cache
"""


async def outcome(world: BotWorld, config_key: str) -> CurveOutcome | Unmeasured:
    verdict = (await world.row(config_key)).verdict
    assert verdict is not None
    return verdict.outcome if isinstance(verdict, Judged) else verdict.why


async def test_each_verdict_stands_in_the_comment_when_its_gate_has_ended(world: BotWorld) -> None:
    await world.label()
    for config_key, al, said in (
        (DRAFT, 3.7, "1 of 4 on curve, 3 running"),
        (LEAN, 3.0, "1 of 4 on curve, 1 below, 2 running"),
        (SELF, 5.0, "2 of 4 on curve, 1 below, 1 running"),
        (THIRD, 2.5, "2 of 4 on curve, 1 below, 1 above"),
    ):
        await world.finish(config_key, al)
        assert said in world.gates
    assert [await outcome(world, key) for key in (LEAN, THIRD)] == [CurveOutcome.BELOW, CurveOutcome.ABOVE]


async def test_under_enforce_an_off_curve_gate_fails_the_check(tmp_path: Path) -> None:
    async with bot_world(tmp_path, Setting(base=ENFORCE)) as world:
        await world.label()
        await world.finish_all()
        assert world.check == ("completed", "failure")
        assert "Enforced: a gate below or above its curve fails the check." in world.gates


async def test_the_mode_of_a_sweep_is_the_one_that_it_was_planned_with(tmp_path: Path) -> None:
    async with bot_world(tmp_path) as world:
        await world.label()
        world.people.push(world.repo, "main", ENFORCE, by="maria")
        await world.finish_all()
        assert world.check == ("completed", "neutral")


async def test_a_gate_that_failed_shows_its_last_log_lines_without_secrets(world: BotWorld) -> None:
    await world.label()
    world.cluster.fail(await world.job(LEAN), "exit status 1", LOG)
    await world.settled()
    assert await outcome(world, LEAN) is Unmeasured.ENGINE_FAILED
    assert "The engine did not start: exit status 1." in world.gates
    assert "error: cannot allocate the KV cache" in world.gates
    assert "ghp_" not in world.gates
    assert "wJalrXUtnFEMI" not in world.gates
    await world.finish_all()
    assert world.check == ("completed", "neutral")


async def test_a_job_that_is_lost_is_tried_once_more_and_then_not_measured(world: BotWorld) -> None:
    await world.label()
    world.cluster.lose(await world.job(SELF))
    await world.settled()
    assert (await world.row(SELF)).state is GateState.WAITING
    assert "waiting, attempt 2: attempt 1 was lost" in world.gates
    await world.later(31)
    assert "running, attempt 2: attempt 1 was lost" in world.gates
    world.cluster.lose(await world.job(SELF))
    await world.later(600)
    assert await outcome(world, SELF) is Unmeasured.LOST
    assert (await world.row(SELF)).attempt == 2


async def test_a_job_that_leaves_rubbish_is_not_measured(world: BotWorld) -> None:
    await world.label()
    world.cluster.leave(await world.job(SELF), Material("{", {}, {}, "x", None, None))
    await world.settled()
    assert await outcome(world, SELF) is Unmeasured.RESULT_UNREADABLE


async def test_a_cluster_out_of_reach_costs_time_and_nothing_else(world: BotWorld) -> None:
    world.cluster.out_of_reach = True
    await world.label()
    assert world.cluster.submitted == []
    assert "4 gates planned" in world.gates
    world.cluster.out_of_reach = False
    await world.settled()
    assert len(world.cluster.started) == 4
    world.cluster.out_of_reach = True
    for name in world.cluster.started:
        world.cluster.finish(JobName(name), 3.7)
    await world.settled()
    assert "0 of 4 on curve, 4 running" in world.gates
    world.cluster.out_of_reach = False
    await world.settled()
    assert (await world.sweep()).state is SweepState.DONE
    assert sorted(world.cluster.submitted) == sorted(set(world.cluster.started))


async def test_no_more_jobs_than_the_operator_allows_run_at_once(tmp_path: Path) -> None:
    async with bot_world(tmp_path, Setting(max_jobs=2)) as world:
        await world.label()
        seen = len(world.cluster.running)
        while world.cluster.running:
            assert len(world.cluster.running) <= 2
            name = JobName(world.cluster.running[0])
            world.cluster.finish(name, LAWS[world.cluster.drafting(name)])
            await world.settled()
        assert (seen, len(world.cluster.started)) == (2, 4)
        assert (await world.sweep()).state is SweepState.DONE


async def test_jobs_that_a_cancel_has_not_ended_yet_keep_their_place(tmp_path: Path) -> None:
    async with bot_world(tmp_path, Setting(max_jobs=2)) as world:
        await world.label()
        world.cluster.stubborn = True
        await world.unlabel()
        await world.label()
        assert len(world.cluster.running) == 2
        world.cluster.stubborn = False
        await world.settled()
        assert len(world.cluster.running) == 2
        assert len(world.cluster.started) == 4


async def test_a_comment_that_a_person_deleted_comes_back_once(world: BotWorld) -> None:
    await world.label()
    (comment,) = world.comments(Slot.GATES)
    world.people.delete_comment(world.repo, comment, by="maria")
    await world.finish(DRAFT, 3.7)
    assert "1 of 4 on curve" in world.gates
    await world.finish_all()
    assert len(world.comments(Slot.GATES)) == 1
    assert world.journal.count("POST comments") == 2


async def test_a_comment_that_a_person_edited_is_put_right(world: BotWorld) -> None:
    await world.label()
    (comment,) = world.comments(Slot.GATES)
    world.people.edit_comment(world.repo, comment, "<!-- gatekit:gates -->\nAll is well.", by="maria")
    await world.finish(DRAFT, 3.7)
    assert "1 of 4 on curve" in world.gates


async def test_a_marker_in_a_persons_comment_counts_for_nothing(world: BotWorld) -> None:
    theirs = world.people.comment(world.repo, world.pull, "<!-- gatekit:gates -->\nmine", by="tom")
    await world.label()
    assert theirs.body.endswith("mine")
    assert "4 running" in world.gates


async def test_a_plan_too_large_for_a_comment_is_shortened_with_a_link(tmp_path: Path) -> None:
    setting = Setting(edits=wide(), public_url="https://gatekit.example", max_jobs=3, show_seconds=10.0)
    async with bot_world(tmp_path, setting) as world:
        await world.label()
        assert GATES > 238
        assert f"{GATES} gates planned" in world.gates
        (comment,) = world.comments(Slot.GATES)
        assert len(comment.body.encode("utf-16-le")) // 2 <= 65_536
        assert "Shortened to fit a comment" in world.gates
        assert "https://gatekit.example/sweeps/1" in world.gates
        assert world.check == ("queued", None)
        assert len(world.github.calls) <= 15
        assert len(world.cluster.running) == 3


async def test_a_gate_is_judged_once(world: BotWorld) -> None:
    """What the cluster says of a job later does not change what was said."""
    await world.label()
    await world.finish(LEAN, 2.1)
    verdict = (await world.row(LEAN)).verdict
    world.cluster.finish(await world.job(LEAN), 3.7)
    await world.finish_all()
    assert (await world.row(LEAN)).verdict == verdict
    assert not isinstance(verdict, NotMeasured)
