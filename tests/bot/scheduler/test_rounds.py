"""Rounds over the clusters: attempts that follow, turns, pauses, and how often anybody is asked or told."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from gatekit.domain.ids import SweepId, job_name
from gatekit.domain.sweep import Ending, GateState, Pausing
from handlers.events import GateEnded, SweepUnshown
from tests.worlds.bench.plans import PR, gate
from tests.worlds.bot.stories import FAILED, ON_CURVE
from tests.worlds.bot.until import until
from tests.worlds.bot.yard import AWAY, FAR, HERE, LAST, MANY, NEAR, Yard, ended_badly, in_rounds, opened

OTHER = replace(PR, number=8)


@pytest.fixture
async def yard(tmp_path: Path) -> AsyncIterator[Yard]:
    async with opened(tmp_path) as one:
        yield one


async def test_what_a_cluster_said_of_an_ended_job_is_stored_with_it(yard: Yard) -> None:
    await ended_badly(yard)
    (row,) = (await yard.stores.sweeps.get(SweepId(1))).rows
    assert (row.state, row.said.ending, row.said.node) == (GateState.ENDED, Ending.INFRASTRUCTURE, "node7")
    assert row.said.sentence == "a node of the job failed"


async def test_the_next_attempt_waits_until_it_is_due_and_goes_to_another_node(yard: Yard) -> None:
    await ended_badly(yard)
    await yard.again(NEAR, seconds=30)
    await yard.scheduler.look()
    assert (await yard.states(), len(yard.here.submitted)) == (["waiting"], 1)
    yard.clock.advance(31)
    await yard.scheduler.look()
    assert yard.here.submitted == [yard.name(NEAR), yard.name(NEAR, attempt=2)]
    assert yard.here.avoided == {yard.name(NEAR, attempt=2): ["node7"]}


async def test_a_restart_remembers_when_the_next_attempt_is_due(tmp_path: Path) -> None:
    async with opened(tmp_path) as yard:
        await ended_badly(yard)
        await yard.again(NEAR, seconds=30)
    async with opened(tmp_path) as yard:
        yard.clock.advance(29)
        await yard.scheduler.look()
        assert await yard.states() == ["waiting"]
        yard.clock.advance(2)
        await yard.scheduler.look()
        assert await yard.states() == ["running"]


async def test_the_job_of_the_last_attempt_is_ended_before_the_next_one_begins(yard: Yard) -> None:
    """It was lost, not dead: it could come up again."""
    await ended_badly(yard)
    await yard.again(NEAR, seconds=0)
    yard.here.stubborn = True
    await yard.scheduler.look()
    assert await yard.states() == ["waiting"]
    yard.here.stubborn = False
    await yard.scheduler.look()
    assert yard.here.cancelled[-1] == yard.name(NEAR)
    assert await yard.states() == ["running"]


async def test_two_pull_requests_take_turns(tmp_path: Path) -> None:
    async with opened(tmp_path, max_jobs=4) as yard:
        await yard.sweep(*MANY)
        await yard.scheduler.look()
        assert len(yard.here.started) == 4
        await yard.sweep(NEAR, pr=OTHER)
        yard.here.finish(job_name(SweepId(1), MANY[0].key, 1), 2.5)
        await yard.scheduler.look()
        assert yard.here.started.index(yard.name(NEAR, 2)) < 6


async def test_two_hundred_and_thirty_eight_gates_in_one_look(tmp_path: Path) -> None:
    async with opened(tmp_path, max_jobs=238) as yard:
        await yard.sweep(*MANY)
        await yard.scheduler.look()
        assert len(set(yard.here.submitted)) == len(yard.here.submitted) == 238
        assert yard.here.looks == 0
        await yard.scheduler.look()
        assert (yard.here.looks, len(yard.here.submitted)) == (1, 238)
        for one in MANY:
            yard.here.finish(yard.name(one), 2.5)
        await yard.scheduler.look()
        assert yard.here.looks == 2
        assert sum(isinstance(event, GateEnded) for event in yard.posted) == 238


async def test_the_canary_runs_alone_until_it_is_measured(yard: Yard) -> None:
    cheap = gate("cheap", launch=replace(HERE, gpus=0))
    await yard.sweep(NEAR, cheap, AWAY, canary=True)
    await yard.scheduler.look()
    assert (yard.here.started, yard.away.started) == ([yard.name(cheap)], [])
    yard.here.finish(yard.name(cheap), 2.5)
    await yard.scheduler.look()
    assert await yard.states() == ["waiting", "ended", "waiting"]
    await yard.judge(cheap, ON_CURVE)
    await yard.scheduler.look()
    assert await yard.states() == ["running", "judged", "running"]


async def test_after_a_failure_nothing_more_is_started_in_that_cluster(yard: Yard) -> None:
    """Even before it is stored that the others shall not start."""
    await yard.sweep(NEAR, FAR, LAST, AWAY, fail_fast=True)
    yard.away.out_of_reach = True
    await yard.scheduler.look()
    yard.here.fail_it(yard.name(NEAR), Ending.GATE_FAILED)
    await yard.scheduler.look()
    assert await yard.states() == ["ended", "running", "waiting", "submitting"]
    await yard.judge(NEAR, FAILED)
    yard.here.fail_it(yard.name(FAR), Ending.GATE_FAILED)
    yard.away.out_of_reach = False
    await yard.scheduler.look()
    assert await yard.states() == ["judged", "ended", "waiting", "running"]


async def test_a_cluster_out_of_reach_for_a_minute_is_paused_until_it_answers(yard: Yard) -> None:
    await yard.sweep(NEAR, AWAY)
    began = yard.clock.now()
    yard.here.out_of_reach = True
    await yard.scheduler.look()
    assert await yard.stores.pauses.standing() == ()
    for _ in range(2):
        yard.clock.advance(60)
        await yard.scheduler.look()
        (pause,) = await yard.stores.pauses.standing()
        assert (pause.cluster, pause.why, pause.since) == ("demo", Pausing.OUT_OF_REACH, began)
    assert (await yard.stores.sweeps.get(SweepId(1))).pauses == (pause,)
    yard.here.out_of_reach = False
    await yard.scheduler.look()
    assert await yard.stores.pauses.standing() == ()
    assert await yard.states() == ["running", "running"]


async def test_what_a_job_could_not_remove_pauses_its_cluster_until_the_operator_has(yard: Yard) -> None:
    await yard.sweep(NEAR, FAR, LAST, AWAY)
    await yard.scheduler.look()
    yard.here.litter(yard.name(NEAR), "root:/scratch/gk-7/cache")
    await yard.scheduler.look()
    (pause,) = await yard.stores.pauses.standing()
    assert (pause.cluster, pause.why) == ("demo", Pausing.LEFTOVERS)
    assert pause.said == f"{yard.name(NEAR)}: root:/scratch/gk-7/cache"
    assert await yard.states() == ["ended", "running", "waiting", "running"]
    await yard.scheduler.look()
    assert await yard.states() == ["ended", "running", "waiting", "running"]
    assert await yard.stores.pauses.end("demo", Pausing.LEFTOVERS)
    await yard.scheduler.look()
    assert await yard.states() == ["ended", "running", "running", "running"]
    assert await yard.stores.pauses.standing() == ()


async def test_that_gates_run_is_told_once_in_ten_seconds(yard: Yard) -> None:
    """One gate a second comes to run; the pull request hears of it after 10 and after 20 seconds."""
    await yard.sweep(*MANY[:30])
    told = []
    for second in range(25):
        await yard.scheduler.look()
        if SweepUnshown(PR) in yard.posted:
            told.append(second)
            sweep = await yard.stores.sweeps.get(SweepId(1))
            await yard.stores.sweeps.shown(sweep.id, sweep.changes)
        yard.posted.clear()
        yard.here.finish(yard.name(MANY[second]), 2.5)
        yard.clock.advance(1)
    assert told == [10, 20]
    assert len(yard.here.started) > 20


async def test_what_changes_while_it_is_being_shown_is_shown_after_it(yard: Yard) -> None:
    sweep = await yard.sweep(NEAR)
    await yard.scheduler.look()
    await yard.stores.sweeps.shown(sweep.id, sweep.changes)  # as it was before the gate ran
    assert await yard.stores.sweeps.unshown(PR) == {1}


async def test_clusters_are_asked_less_often_while_nothing_can_happen(yard: Yard) -> None:
    """The shortest pause is 60 s, the longest 480 s."""
    await yard.sweep(NEAR)
    async with in_rounds(yard):
        await yard.asleep(10, 60, 480)  # what runs is to be shown; `here` began; `away` has nothing
        yard.clock.advance(61)
        await yard.asleep(60, 60, 419)
        assert yard.here.looks == 1
        yard.here.finish(yard.name(NEAR), 2.5)
        yard.clock.advance(61)
        await until(lambda: yard.here.looks == 2)
