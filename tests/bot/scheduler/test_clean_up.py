"""Run folders go from a cluster once they are of no use and old, a few at a time; never one that is still needed."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.cluster.executor import Tidied
from gatekit.domain.gates import Gate
from gatekit.domain.ids import SweepId
from gatekit.domain.sweep import SweepState
from tests.worlds.bot.stories import ON_CURVE
from tests.worlds.bot.yard import FAR, MANY, NEAR, Yard, ended_badly, opened
from tests.worlds.cluster.scripted_cluster import NOTHING

DAY = 86400
WEEK = 7 * DAY
ROUND = 10 * 60  # between two times that anything is removed


@pytest.fixture
async def yard(tmp_path: Path) -> AsyncIterator[Yard]:
    async with opened(tmp_path, max_jobs=50) as one:
        yield one


async def settled(yard: Yard, *gates: Gate) -> None:
    """The gates run, end, have their material stored and are judged; the cluster was looked at since."""
    await yard.sweep(*gates)
    await yard.scheduler.look()
    for one in gates:
        yard.here.finish(yard.name(one), 2.5)
    await yard.scheduler.look()
    for one in gates:
        await yard.stores.materials.put(yard.name(one), NOTHING)
        await yard.judge(one, ON_CURVE)
    await later(yard, ROUND)


async def later(yard: Yard, seconds: float) -> None:
    yard.clock.advance(seconds)
    await yard.scheduler.look()


async def test_a_judged_gates_folder_goes_after_a_week_and_once(yard: Yard) -> None:
    await settled(yard, NEAR)
    await later(yard, WEEK - 1)
    assert yard.here.tidied == []
    await later(yard, ROUND)
    assert yard.here.tidied == [yard.name(NEAR)]
    await later(yard, 2 * WEEK)
    assert yard.here.tidied == [yard.name(NEAR)]


async def test_nothing_goes_whose_material_is_not_stored(yard: Yard) -> None:
    """However the gate came to be judged."""
    await yard.sweep(NEAR)
    await yard.scheduler.look()
    yard.here.finish(yard.name(NEAR), 2.5)
    await yard.scheduler.look()
    await yard.judge(NEAR, ON_CURVE)
    await later(yard, ROUND)
    await later(yard, 5 * WEEK)
    assert yard.here.tidied == []


async def test_nothing_goes_of_what_runs_or_is_not_judged(yard: Yard) -> None:
    await yard.sweep(NEAR, FAR)
    await yard.scheduler.look()
    yard.here.finish(yard.name(FAR), 2.5)
    await yard.stores.materials.put(yard.name(FAR), NOTHING)
    await later(yard, ROUND)
    await later(yard, 5 * WEEK)
    assert await yard.states() == ["running", "ended"]
    assert yard.here.tidied == []


async def test_a_cancelled_gates_folder_goes_once_its_job_is_gone(yard: Yard) -> None:
    await yard.sweep(NEAR)
    await yard.scheduler.look()
    await yard.stores.sweeps.end(SweepId(1), SweepState.CANCELLED, "the label was removed")
    yard.here.stubborn = True
    await later(yard, ROUND - 1)
    await later(yard, 2)
    yard.here.stubborn = False
    await later(yard, WEEK)  # the job is gone only now
    assert yard.here.tidied == []
    await later(yard, ROUND)
    await later(yard, WEEK)
    assert yard.here.tidied == [yard.name(NEAR)]


async def test_of_a_gate_that_is_tried_again_only_the_attempt_that_is_over_goes(yard: Yard) -> None:
    await ended_badly(yard)
    await yard.stores.materials.put(yard.name(NEAR), NOTHING)
    await yard.again(NEAR, seconds=0)
    await later(yard, ROUND)
    assert await yard.states() == ["running"]
    await later(yard, ROUND)
    await later(yard, WEEK)
    assert yard.here.tidied == [yard.name(NEAR)]


async def test_ten_at_a_time_with_ten_minutes_between(yard: Yard) -> None:
    await settled(yard, *MANY[:25])
    yard.clock.advance(WEEK)
    counts = []
    for _ in range(4):
        await later(yard, ROUND - 1)
        await later(yard, 1)
        counts.append(len(yard.here.tidied))
    assert counts == [10, 20, 25, 25]
    assert len(set(yard.here.tidied)) == 25


async def test_what_cannot_be_removed_stands_before_nobody_and_what_is_foreign_is_left(yard: Yard) -> None:
    await settled(yard, *MANY[:12])
    stuck, foreign = yard.name(MANY[0]), yard.name(MANY[1])
    yard.here.untidy = {stuck: Tidied.KEPT, foreign: Tidied.FOREIGN}
    for _ in range(3):
        await later(yard, WEEK if not yard.here.tidied else ROUND)
    assert len(set(yard.here.tidied)) == len(yard.here.tidied) == 12
    yard.here.untidy = {}
    await later(yard, WEEK)
    assert yard.here.tidied[12:] == [stuck]


async def test_a_cluster_out_of_reach_is_tidied_later(yard: Yard) -> None:
    await settled(yard, NEAR)
    yard.here.out_of_reach = True
    await later(yard, WEEK)
    assert yard.scheduler.out_of_reach_seconds()["demo"] == 0  # nothing that anybody waits for was asked
    yard.here.out_of_reach = False
    await later(yard, ROUND)
    assert yard.here.tidied == [yard.name(NEAR)]


async def test_a_restart_remembers_since_when_a_folder_may_go(tmp_path: Path) -> None:
    async with opened(tmp_path) as yard:
        await settled(yard, NEAR)
        reached = yard.clock.time
    async with opened(tmp_path) as yard:
        yard.clock.time = reached
        await later(yard, WEEK)
        assert yard.here.tidied == [yard.name(NEAR)]
