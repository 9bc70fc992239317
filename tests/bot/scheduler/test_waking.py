"""Whoever wakes the scheduler costs the clusters nothing: they are asked when it is time to."""

from dataclasses import replace
from pathlib import Path

from gatekit.domain.ids import SweepId
from gatekit.domain.sweep import SweepState
from tests.worlds.bench.plans import PR, gate
from tests.worlds.bot.until import until
from tests.worlds.bot.yard import HERE, MANY, Yard, in_rounds, opened

OTHER = replace(PR, number=100)


async def woken(yard: Yard, sweep: int, pr: int) -> None:
    """A gate of another pull request is planned, as after a webhook, and started at once."""
    await yard.sweep(MANY[sweep], pr=replace(PR, number=pr))
    yard.scheduler.wake()
    await until(lambda: yard.name(MANY[sweep], sweep) in yard.here.started and 60.0 in yard.clock.waits)


async def test_many_who_wake_it_at_once_cost_the_cluster_no_question(tmp_path: Path) -> None:
    async with opened(tmp_path, max_jobs=50) as yard, in_rounds(yard):
        await yard.scheduler.looked()
        for sweep in range(1, 21):
            await woken(yard, sweep, pr=sweep)
        assert yard.here.looks == 0
        yard.clock.advance(61)
        await yard.asleep(60, 60, 419)
        assert yard.here.looks == 1
        await woken(yard, 21, pr=21)
        assert yard.here.looks == 1


async def test_those_who_wake_it_do_not_put_off_the_next_question(tmp_path: Path) -> None:
    async with opened(tmp_path, max_jobs=50) as yard, in_rounds(yard):
        await yard.scheduler.looked()
        await woken(yard, 1, pr=1)
        for sweep in range(2, 8):
            yard.clock.advance(10)
            await yard.sweep(MANY[sweep], pr=replace(PR, number=sweep))
            yard.scheduler.wake()
        await until(lambda: yard.here.looks == 1)


async def test_a_job_that_ends_slowly_is_not_asked_again_by_everyone_who_wakes_it(tmp_path: Path) -> None:
    async with opened(tmp_path, max_jobs=50) as yard, in_rounds(yard):
        await woken(yard, 1, pr=1)
        yard.here.stubborn = True
        await yard.stores.sweeps.end(SweepId(1), SweepState.CANCELLED, "the label was removed")
        for sweep in range(2, 8):
            await woken(yard, sweep, pr=sweep)
        assert yard.here.cancelled == [yard.name(MANY[1])]
        yard.clock.advance(61)
        await until(lambda: len(yard.here.cancelled) == 2)


async def test_a_submission_without_an_answer_is_not_tried_again_by_everyone_who_wakes_it(tmp_path: Path) -> None:
    """One that says that it is out of reach is asked by whoever comes: the connection itself waits."""
    odd = gate("odd", launch=replace(HERE, args=(("model-draft", "gatekit-demo/odd.gguf"), ("draft-max", 4))))
    async with opened(tmp_path, max_jobs=50) as yard, in_rounds(yard):
        yard.here.refusals = {"odd.gguf": OSError("no space left on device")}
        await yard.sweep(odd, pr=OTHER)
        for sweep in range(2, 8):
            await woken(yard, sweep, pr=sweep)
        assert yard.here.submitted.count(yard.name(odd)) == 1
        yard.here.refusals = {}
        yard.clock.advance(61)
        await until(lambda: yard.name(odd) in yard.here.started)
