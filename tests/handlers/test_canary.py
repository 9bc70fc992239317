"""Labels that ask for a canary, or to fail fast: what starts when, and what the pull request says of the rest."""

from pathlib import Path

from gatekit.domain.ids import JobName, SweepId
from gatekit.domain.sweep import Ending, GateState, SweepState
from gatekit.domain.verdict import NotMeasured, Unmeasured
from tests.worlds.bench.bench_pr import BASE, DRAFT, LEAN, SELF, SETTINGS, THIRD, Setting
from tests.worlds.bot.bot_world import BotWorld, bot_world
from tests.worlds.bot.until import until

CANARY, BOTH = "full-sweep-enabled", "full-sweep-fail-fast"
FAST_ONLY = {SETTINGS: BASE[SETTINGS] + b"\nlabels:\n  primary: {fast: {fail-fast: true}}\n"}
PLAIN = BASE[SETTINGS] + b"\nlabels:\n  primary: {full-sweep-fail-fast: {}}\n"


async def whys(world: BotWorld) -> dict[str, object]:
    rows = (await world.sweep()).rows
    return {row.gate.config_key: row.verdict.why if isinstance(row.verdict, NotMeasured) else row.state for row in rows}


async def test_one_gate_runs_first(world: BotWorld) -> None:
    await world.label(CANARY)
    (canary,) = world.cluster.started
    assert canary == await world.job(LEAN)  # all need one GPU; of the lowest concurrency it is the first
    assert "1 running, 3 waiting" in world.gates
    assert "A canary runs first, the other gates wait for it" in world.gates
    world.cluster.finish(JobName(canary), 2.1)  # far off its curve, and measured
    await world.settled()
    assert len(world.cluster.running) == 3
    assert "A canary" not in world.gates
    await world.finish_all()
    assert (await world.sweep()).state is SweepState.DONE


async def test_a_canary_that_cannot_be_measured_stops_everything(world: BotWorld) -> None:
    await world.label(CANARY)
    world.cluster.fail(await world.job(LEAN), "exit status 1", "no CUDA\n")
    await world.settled()
    assert await whys(world) == {
        LEAN: Unmeasured.ENGINE_FAILED,
        DRAFT: Unmeasured.CANARY,
        SELF: Unmeasured.CANARY,
        THIRD: Unmeasured.CANARY,
    }
    assert len(world.cluster.started) == 1
    assert "could not be measured (engine-failed)." in world.gates
    assert world.check == ("completed", "neutral")
    assert (await world.sweep()).state is SweepState.DONE


async def test_a_canary_whose_node_died_is_tried_again_before_anything_is_concluded(world: BotWorld) -> None:
    await world.label(CANARY)
    world.cluster.fail_it(await world.job(LEAN), Ending.INFRASTRUCTURE)
    await world.settled()
    assert [row.state for row in (await world.sweep()).rows] == [GateState.WAITING] * 4
    await world.later(31)
    assert world.cluster.running == [await world.job(LEAN)]
    await world.finish(LEAN, 3.7)
    assert len(world.cluster.running) == 3


async def test_fail_fast_stops_what_has_not_started(tmp_path: Path) -> None:
    async with bot_world(tmp_path, Setting(base=FAST_ONLY, max_jobs=2)) as world:
        await world.label("fast")
        assert len(world.cluster.running) == 2
        world.cluster.fail(await world.job(DRAFT), "exit status 1", "no CUDA\n")
        await world.settled()
        assert await whys(world) == {
            DRAFT: Unmeasured.ENGINE_FAILED,
            LEAN: GateState.RUNNING,
            SELF: Unmeasured.FAIL_FAST,
            THIRD: Unmeasured.FAIL_FAST,
        }
        assert "could not be measured on the same cluster (engine-failed)." in world.gates
        await world.finish(LEAN, 3.7)
        assert (await world.sweep()).state is SweepState.DONE
        assert len(world.cluster.started) == 2


async def test_off_the_curve_is_no_failure(tmp_path: Path) -> None:
    async with bot_world(tmp_path, Setting(max_jobs=1)) as world:
        await world.label(BOTH)
        for _ in range(4):
            await until(lambda: len(world.cluster.running) == 1)
            (name,) = world.cluster.running
            world.cluster.finish(JobName(name), 1.5)
            await world.settled()
        assert len(world.cluster.started) == 4
        assert "4 below" in world.gates


async def test_the_label_of_a_sweep_decides_for_good(world: BotWorld) -> None:
    """What the settings say later changes nothing for it."""
    await world.label(BOTH)
    world.people.push(world.repo, "main", {SETTINGS: PLAIN}, by="maria")
    await world.settled()
    sweep = await world.store.get(SweepId(1))
    assert (sweep.canary, sweep.fail_fast) == (True, True)
    await world.push({"README.md": b"x"})
    again = await world.store.get(SweepId(2))
    assert (again.canary, again.fail_fast, len(world.cluster.running)) == (False, False, 4)
