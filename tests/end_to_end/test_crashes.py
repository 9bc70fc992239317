"""kill -9 at every step of a sweep: a new process goes on where the dead one was, and nothing is lost or done twice."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.cluster.executor import Executor
from bot.demo import sample_pr
from gatekit.domain.ids import JobName
from gatekit.domain.sweep import Ending, JobOrigin, SweepState
from gatekit.domain.verdict import CurveOutcome, Judged, NotMeasured, Unmeasured
from handlers.ports.bundle import Results
from handlers.ports.github import Checks, Comments
from handlers.ports.memory import Sweeps
from tests.worlds.bench.bench_pr import DRAFT, LABEL, LEAN, SELF, THIRD
from tests.worlds.bot.until import LOOK_SECONDS, PATIENCE, until
from tests.worlds.crashes.crash_drill import CrashDrill, crash_drill
from tests.worlds.crashes.crashing_bot import STORING, Nursery, Point, nursery

HOURS = 3600.0
VERDICTS = {
    DRAFT: CurveOutcome.ON_CURVE,
    LEAN: CurveOutcome.BELOW,
    SELF: CurveOutcome.ON_CURVE,
    THIRD: CurveOutcome.ON_CURVE,
}
POST_COMMENT, EDIT_COMMENT = "POST /repos/{owner}/{repo}/issues/{issue_number}/comments", "issues/comments/{comment_id}"
POST_CHECK, EDIT_CHECK = "POST /repos/{owner}/{repo}/check-runs", "check-runs/{check_run_id}"
EDIT_COMMENT, EDIT_CHECK = (f"PATCH /repos/{{owner}}/{{repo}}/{rest}" for rest in (EDIT_COMMENT, EDIT_CHECK))


def around(step: str, *nths: int) -> list[Point]:
    """Before and after these calls of a step."""
    return [Point(step, after, nth) for nth in nths or (1,) for after in (False, True)]


def named(point: Point) -> str:
    return f"{'after' if point.after else 'before'} {point.step.replace('/repos/{owner}/{repo}/', '')} {point.nth}"


SWEEPING = [
    *around(STORING),
    *around("sweeps.create"),
    *around(POST_COMMENT),
    *around("comments.upsert"),
    *around("comments.amend"),
    *around(POST_CHECK),
    *around("checks.put"),
    *around("sweeps.shown"),
    *around("sweeps.announced"),
    *around("cluster.submit", 1, 2, 4),
    *around("cluster.states"),
    *around("cluster.material", 1, 4),
    *around("results.material"),
    *around("sweeps.judged", 1, 4),
    *around("sweeps.end"),
    *around(EDIT_COMMENT, 1, 2),
    *around(EDIT_CHECK, 1, 2),
    *around("sweeps.shown", 3),
]
CANCELLING = [
    *around("sweeps.end"),
    *around("sweeps.retire"),
    *around("cluster.cancel"),
    *around(EDIT_COMMENT),
    *around(EDIT_CHECK),
]
PUSHING = [
    *around("sweeps.create", 2),
    *around(EDIT_COMMENT),
    *around(POST_CHECK, 2),
    *around("sweeps.announced", 2),
    *around("cluster.cancel"),
    *around("cluster.submit", 3),
    *around(EDIT_CHECK),
]


RETRYING = around("sweeps.retry")
PASSING = around("sweeps.passed_over")
TIDYING = around("cluster.tidy")

READS = {
    "sweeps.answering",
    "sweeps.find",
    "sweeps.get",
    "sweeps.measured",
    "sweeps.history",
    "sweeps.newest",
    "sweeps.unshown",
    "cluster.close",
}


def effects() -> set[str]:
    """Every step that changes something outside of a handler, or fetches what a verdict is made from."""
    doors = {"comments": Comments, "checks": Checks, "sweeps": Sweeps, "results": Results, "cluster": Executor}
    return {f"{name}.{step}" for name, door in doors.items() for step in vars(door) if not step.startswith("_")} - READS


def test_around_every_effect_a_bot_is_killed() -> None:
    points = [*SWEEPING, *CANCELLING, *PUSHING, *RETRYING, *PASSING, *TIDYING]
    for after in (False, True):
        assert effects() - {point.step for point in points if point.after is after} == set()


@pytest.fixture(scope="module")
def bots() -> Iterator[Nursery]:
    with nursery() as opened:
        yield opened


async def all_went_well(drill: CrashDrill) -> None:
    """The newest sweep measured every gate, once, and says so, once."""
    newest, *_ = await drill.sweeps()
    outcomes = {row.gate.config_key: row.verdict.outcome for row in newest.rows if isinstance(row.verdict, Judged)}
    lean = VERDICTS[LEAN] if newest.id == 1 else CurveOutcome.ON_CURVE
    assert (newest.state, outcomes) == (SweepState.DONE, {**VERDICTS, LEAN: lean})
    assert [row.attempt for row in newest.rows] == [1, 1, 1, 1]
    assert f"sweep {newest.id}" in drill.comment()
    assert ("3 of 4 on curve, 1 below" in drill.comment()) == (newest.id == 1)
    said = drill.check(newest.id).said
    assert (said["status"], said["conclusion"]) == ("completed", "neutral" if newest.id == 1 else "success")


@pytest.mark.parametrize("point", SWEEPING, ids=named)
async def test_a_sweep_survives(tmp_path: Path, bots: Nursery, point: Point) -> None:
    async with crash_drill(tmp_path, bots) as drill:
        bot = await drill.bot(point, ending=True)
        drill.people.add_label(drill.repo, drill.pull, LABEL, by="maria")
        await drill.another(bot, ending=True)
        await drill.at_rest()
        await all_went_well(drill)
        assert len(await drill.sweeps()) == len(drill.repo.checks) == 1
        assert len(drill.cluster.started) == 4


@pytest.mark.parametrize("point", CANCELLING, ids=named)
async def test_a_cancel_survives(tmp_path: Path, bots: Nursery, point: Point) -> None:
    async with crash_drill(tmp_path, bots) as drill:
        bot = await drill.bot(point, ending=False)
        drill.people.add_label(drill.repo, drill.pull, LABEL, by="maria")
        await until(lambda: len(drill.cluster.started) == 2)
        drill.people.remove_label(drill.repo, drill.pull, LABEL, by="maria")
        await drill.another(bot, ending=False)
        await drill.at_rest()
        (sweep,) = await drill.sweeps()
        assert sweep.state is SweepState.CANCELLED
        assert "This sweep was cancelled" in drill.comment()
        assert drill.check(1).said["status"] == "completed"
        assert drill.cluster.running == []
        assert len(drill.cluster.started) == 2


@pytest.mark.parametrize("point", PUSHING, ids=named)
async def test_a_push_survives(tmp_path: Path, bots: Nursery, point: Point) -> None:
    async with crash_drill(tmp_path, bots) as drill:
        bot = await drill.bot(point, ending=False)
        drill.people.add_label(drill.repo, drill.pull, LABEL, by="maria")
        await until(lambda: len(drill.cluster.started) == 2)
        old = drill.pull.head
        drill.people.push(drill.repo, "leaner", sample_pr.second_push().edits, by="pat")
        await drill.another(bot, ending=True)
        await drill.at_rest()
        await all_went_well(drill)
        new, superseded = await drill.sweeps()
        assert (new.head, superseded.head) == (drill.pull.head, old)
        assert superseded.state is SweepState.SUPERSEDED
        assert drill.check(1).said["status"] == "completed"
        begun = sum(row.source.origin is JobOrigin.STARTED for row in new.rows)  # the others ran, and did not change
        assert sum(name.startswith("gk-2-") for name in drill.cluster.started) == begun
        assert 1 <= begun <= 3


async def retried(drill: CrashDrill) -> None:
    """Until it is stored that a gate waits for another attempt."""
    async with asyncio.timeout(PATIENCE):
        while True:
            (sweep,) = await drill.sweeps()
            if any(row.earlier for row in sweep.rows):
                return
            await asyncio.sleep(LOOK_SECONDS)


@pytest.mark.parametrize("point", RETRYING, ids=named)
async def test_another_attempt_survives(tmp_path: Path, bots: Nursery, point: Point) -> None:
    async with crash_drill(tmp_path, bots) as drill:
        drill.lasts = HOURS
        bot = await drill.bot(point, ending=True)
        drill.people.add_label(drill.repo, drill.pull, LABEL, by="maria")
        await until(lambda: len(drill.cluster.started) == 2)
        failed = JobName(drill.cluster.started[0])
        drill.cluster.fail_it(failed, Ending.INFRASTRUCTURE)
        drill.lasts = 0.0
        await drill.another(bot, ending=True)
        await retried(drill)
        second = drill.bots[-1]
        await second.kill()
        drill.ahead = 60.0  # the second attempt is due in half a minute
        await drill.another(second, ending=True)
        await drill.at_rest()
        (sweep,) = await drill.sweeps()
        assert {row.verdict.outcome for row in sweep.rows if isinstance(row.verdict, Judged)} == set(VERDICTS.values())
        assert sorted(row.attempt for row in sweep.rows) == [1, 1, 1, 2]
        assert len(drill.cluster.started) == 5
        assert "1 gate took more than one attempt" in drill.comment()
        assert drill.check(1).said["status"] == "completed"


@pytest.mark.parametrize("point", PASSING, ids=named)
async def test_what_a_failed_canary_keeps_from_starting_stays_so(tmp_path: Path, bots: Nursery, point: Point) -> None:
    async with crash_drill(tmp_path, bots) as drill:
        drill.lasts = HOURS
        bot = await drill.bot(point, ending=True)
        drill.people.add_label(drill.repo, drill.pull, sample_pr.LABEL, by="maria")
        await until(lambda: len(drill.cluster.started) == 1)
        drill.cluster.fail(JobName(drill.cluster.started[0]), "the engine exited with code 1", "no such model\n")
        await drill.another(bot, ending=True)
        await drill.at_rest()
        (sweep,) = await drill.sweeps()
        whys = sorted(row.verdict.why for row in sweep.rows if isinstance(row.verdict, NotMeasured))
        assert whys == [
            Unmeasured.CANARY,
            Unmeasured.CANARY,
            Unmeasured.CANARY,
            Unmeasured.ENGINE_FAILED,
        ]
        assert len(drill.cluster.started) == 1
        assert "4 not measured" in drill.comment()
        assert drill.check(1).said["status"] == "completed"


@pytest.mark.parametrize("point", TIDYING, ids=named)
async def test_old_run_folders_go_all_the_same(tmp_path: Path, bots: Nursery, point: Point) -> None:
    async with crash_drill(tmp_path, bots) as drill:
        bot = await drill.bot(None, ending=True)
        drill.people.add_label(drill.repo, drill.pull, LABEL, by="maria")
        await drill.at_rest()
        await bot.kill()
        drill.ahead = 24 * HOURS  # the next process sees that they are over
        bot = await drill.another(bot, ending=True)
        await until(lambda: drill.folders(over=True) == 4)
        await bot.kill()
        drill.ahead = 9 * 24 * HOURS  # and those after it that they are old
        await drill.another(await drill.another(bot, ending=True, point=point), ending=True)
        await until(lambda: drill.folders(over=True) == drill.folders(over=False) == 0)
        assert set(drill.cluster.tidied) == set(drill.cluster.started)
