"""Attempts that the cluster failed, clusters that pause, and what the pull request is told of both."""

from pathlib import Path

import pytest

from gatekit.domain.ids import JobName
from gatekit.domain.sweep import Ending, GateState, Pausing, SweepState
from gatekit.domain.verdict import NotMeasured, Unmeasured
from tests.worlds.bench.bench_pr import DRAFT, LEAN, SELF, THIRD, Setting
from tests.worlds.bench.wide_bench import GATES, wide
from tests.worlds.bot.bot_world import BotWorld, bot_world

SOON, LATER = 31, 301  # seconds, just after the waits before the second and the third attempt


async def node_dies(world: BotWorld, config_key: str, node: str = "node7") -> None:
    world.cluster.fail_it(await world.job(config_key), Ending.INFRASTRUCTURE, "a node of the job failed", node)
    await world.settled()


async def why(world: BotWorld, config_key: str) -> Unmeasured:
    verdict = (await world.row(config_key)).verdict
    assert isinstance(verdict, NotMeasured)
    return verdict.why


async def test_a_gate_whose_node_died_runs_again_elsewhere(world: BotWorld) -> None:
    await world.label()
    await node_dies(world, DRAFT)
    assert "waiting, attempt 2: `node7`: a node of the job failed" in world.gates
    await world.later(SOON)
    assert "running, attempt 2: `node7`: a node of the job failed" in world.gates
    second = await world.job(DRAFT)
    assert (second[-2:], world.cluster.avoided) == ("-2", {second: ["node7"]})
    await world.finish_all()
    row = await world.row(DRAFT)
    assert (row.attempt, row.state) == (2, GateState.JUDGED)
    assert "1 gate took more than one attempt" in world.gates
    assert (await world.sweep()).state is SweepState.DONE


async def test_after_three_attempts_that_the_cluster_failed_it_is_not_measured(world: BotWorld) -> None:
    await world.label()
    for node, seconds in (("node1", SOON), ("node2", LATER), ("node3", LATER)):
        await node_dies(world, LEAN, node)
        await world.later(seconds)
    assert await why(world, LEAN) is Unmeasured.INFRASTRUCTURE
    assert "The cluster failed 3 attempts; the last one on `node3`: a node of the job failed." in world.gates
    assert len([name for name in world.cluster.started if name.startswith((await world.job(LEAN))[:-1])]) == 3
    await world.finish_all()
    assert world.check == ("completed", "neutral")


async def test_the_second_wait_is_longer(world: BotWorld) -> None:
    await world.label()
    await node_dies(world, LEAN)
    await world.later(SOON)
    await node_dies(world, LEAN)
    await world.later(SOON)
    assert (await world.row(LEAN)).state is GateState.WAITING
    await world.later(LATER)
    assert (await world.row(LEAN)).attempt == 3


@pytest.mark.parametrize(
    ("ending", "said", "code", "sentence"),
    [
        (
            Ending.BUDGET,
            "the time limit ended the job",
            Unmeasured.TIME_LIMIT,
            "The job came to its time limit on `node7`",
        ),
        (
            Ending.MEMORY,
            "it needed more",
            Unmeasured.OUT_OF_MEMORY,
            "The job ran out of memory on `node7`: it needed more.",
        ),
        (
            Ending.REFUSED,
            "Invalid account",
            Unmeasured.REFUSED,
            "The cluster does not take the job on `node7`: Invalid account.",
        ),
        (
            Ending.GATE_FAILED,
            "the gate failed",
            Unmeasured.LOST,
            "Neither the job nor anything it wrote can be found",
        ),
    ],
)
async def test_other_endings_are_not_tried_again(
    world: BotWorld, ending: Ending, said: str, code: Unmeasured, sentence: str
) -> None:
    await world.label()
    world.cluster.fail_it(await world.job(SELF), ending, said)
    await world.settled()
    assert await why(world, SELF) is code
    assert f"**not measured** (`{code}`): {sentence}" in world.gates
    await world.later(LATER)
    assert (await world.row(SELF)).attempt == 1


async def test_a_gate_that_waits_for_its_next_attempt_is_cancelled_like_any_other(world: BotWorld) -> None:
    await world.label()
    await node_dies(world, THIRD)
    await world.unlabel()
    await world.later(LATER)
    assert [row.state for row in (await world.sweep()).rows] == [GateState.CANCELLED] * 4
    assert world.cluster.running == []
    assert len(world.cluster.started) == 4


async def test_a_cluster_out_of_reach_is_named_once_and_the_sentence_goes_when_it_answers(world: BotWorld) -> None:
    world.cluster.out_of_reach = True
    await world.label()
    assert "out of reach" not in world.gates
    await world.later(61)
    assert "`demo` has been out of reach since " in world.gates
    assert "; its gates wait." in world.gates
    edits = world.journal.count("PATCH comments") + world.journal.count("PATCH {comment_id}")
    before = len(world.journal)
    await world.later(61)
    assert (len(world.journal), edits) == (before, edits)
    world.cluster.out_of_reach = False
    await world.settled()
    assert "out of reach" not in world.gates
    assert len(world.cluster.running) == 4


async def test_files_that_a_job_left_pause_its_cluster(tmp_path: Path) -> None:
    async with bot_world(tmp_path, Setting(max_jobs=1)) as world:
        await world.label()
        (first,) = world.cluster.running
        world.cluster.finish(JobName(first), 3.7)
        world.cluster.litter(JobName(first), "root:/scratch/gk/cache")
        await world.settled()
        assert world.cluster.running == []
        assert "`demo` is paused since " in world.gates
        assert "/scratch" not in world.gates
        assert await world.pauses.end("demo", Pausing.LEFTOVERS)
        await world.settled()
        assert len(world.cluster.running) == 1
        assert "paused" not in world.gates


async def test_hundreds_of_gates_do_not_write_hundreds_of_comments(tmp_path: Path) -> None:
    async with bot_world(tmp_path, Setting(edits=wide(), max_jobs=1000, show_seconds=10.0)) as world:
        await world.label()
        assert len(world.cluster.running) == GATES
        await world.later(10)
        assert f"{GATES} running" in world.gates
        writes = len(world.journal) - 2 * GATES  # `submit` and `start` of each gate
        assert writes == 4  # the comment and the check run, twice
