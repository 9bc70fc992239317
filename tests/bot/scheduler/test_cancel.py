"""Jobs that nobody needs any more and that cannot be ended: the operator hears of them, and no place is lost."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gatekit.domain.ids import SweepId
from gatekit.domain.sweep import Pausing, SweepState
from tests.worlds.bot.yard import FAR, LAST, MANY, NEAR, Yard, ended_badly, opened


@pytest.fixture
async def yard(tmp_path: Path) -> AsyncIterator[Yard]:
    async with opened(tmp_path) as one:
        yield one


async def test_a_job_that_cannot_be_ended_pauses_its_cluster_after_ten_minutes(yard: Yard) -> None:
    """The next attempt begins once the operator has ended it."""
    await ended_badly(yard)
    await yard.again(NEAR, seconds=0)
    yard.here.stubborn = True
    await yard.scheduler.look()
    yard.clock.advance(599)
    await yard.scheduler.look()
    assert (await yard.states(), await yard.stores.pauses.standing()) == (["waiting"], ())
    yard.clock.advance(1)
    await yard.scheduler.look()
    (pause,) = await yard.stores.pauses.standing()
    assert pause.said.startswith(f"{yard.name(NEAR)}: it could not be ended within 10 minutes; the cluster says ")
    asked = len(yard.here.cancelled)
    await yard.scheduler.look()
    assert (await yard.states(), len(yard.here.cancelled)) == (["waiting"], asked)
    await yard.stores.pauses.end("demo", Pausing.LEFTOVERS)
    await yard.scheduler.look()
    assert await yard.states() == ["running"]


async def test_a_cancelled_job_that_cannot_be_ended_gives_its_place_back_when_the_operator_has(yard: Yard) -> None:
    await yard.sweep(NEAR, FAR)
    await yard.scheduler.look()
    await yard.stores.sweeps.end(SweepId(1), SweepState.CANCELLED, "the label was removed")
    await yard.sweep(LAST, MANY[0])
    yard.here.stubborn = True
    await yard.scheduler.look()
    yard.clock.advance(600)
    await yard.scheduler.look()
    (pause,) = await yard.stores.pauses.standing()
    assert [yard.name(one) in pause.said for one in (NEAR, FAR)] == [True, True]
    assert await yard.states(2) == ["waiting", "waiting"]
    await yard.stores.pauses.end("demo", Pausing.LEFTOVERS)
    await yard.scheduler.look()
    assert await yard.states(2) == ["running", "running"]
    assert await yard.stores.pauses.standing() == ()


async def test_minutes_in_which_the_cluster_did_not_answer_do_not_count(yard: Yard) -> None:
    await yard.sweep(NEAR)
    await yard.scheduler.look()
    await yard.stores.sweeps.end(SweepId(1), SweepState.CANCELLED, "the label was removed")
    yard.here.stubborn = True
    await yard.scheduler.look()
    yard.here.out_of_reach = True
    await yard.scheduler.look()
    yard.clock.advance(601)
    yard.here.out_of_reach = False
    await yard.scheduler.look()
    assert await yard.stores.pauses.standing() == ()


async def test_what_more_is_left_on_a_paused_cluster_is_named_too(yard: Yard) -> None:
    await yard.sweep(NEAR, FAR)
    await yard.scheduler.look()
    for one in (NEAR, FAR):
        yard.here.litter(yard.name(one), "root:/scratch/gk-7/cache")
        await yard.scheduler.look()
    (pause,) = await yard.stores.pauses.standing()
    assert pause.said == "; ".join(f"{yard.name(one)}: root:/scratch/gk-7/cache" for one in (NEAR, FAR))
