"""Every way in which a job ends by itself, on a real SLURM: what the scheduler hears, and that nothing is left."""

import asyncio

import pytest

from bot.cluster.executor import JobState
from gatekit.cluster.result import parse_result
from gatekit.domain.sweep import Ending
from tests.worlds.bot.until import until
from tests.worlds.slurm.allowed import Drilled
from tests.worlds.slurm.world import SlurmWorld

ENDINGS = {
    ("finish", "litter"): Drilled.WELL,
    ("finish", "daemon"): Drilled.WELL,
    ("late",): Drilled.WELL,
    ("fail",): Drilled.GATE_FAILED,
    ("die",): Drilled.DIED,
    ("nothing",): Drilled.NO_RESULT,
    ("half",): Drilled.HALF_RESULT,
    ("foreign",): Drilled.FOREIGN_RESULT,
}
OVER = {"COMPLETED", "FAILED"}


async def test_a_job_that_ends_by_itself(slurm: SlurmWorld) -> None:
    executor = slurm.executor()
    drills = {words: slurm.drill(*words, executor=executor) for words in ENDINGS}
    await asyncio.gather(*(drill.submitted() for drill in drills.values()))
    statuses = dict(zip(drills, await asyncio.gather(*(drill.ended() for drill in drills.values())), strict=True))
    for words, drilled in ENDINGS.items():
        drilled.value.check(drills[words], statuses[words])
    names = [drill.name for drill in drills.values()]
    await until(lambda: {state for one in drills.values() for _, state in one.jobs()} <= OVER)
    for drill in drills.values():
        assert len(drill.jobs()) == len(drill.starts) == 1
        assert drill.jobs()[0][0] == drill.starts[0]
        assert drill.processes() == []
        assert drill.scratch() == []
    assert await executor.cancel(names) == set(names)


async def test_the_material_of_an_attempt(slurm: SlurmWorld) -> None:
    drill = slurm.drill("finish")
    await drill.submitted()
    await drill.ended()
    material = await drill.executor.material(drill.name)
    assert material.result is not None
    assert parse_result(material.result).job == drill.name
    assert (material.before, material.after, material.slices, material.engine_log) == ({}, {}, None, None)
    await until(lambda: "job" in (drill.folder / "slurm" / "out.log").read_text())
    material = await drill.executor.material(drill.name)
    assert material.job_log is not None
    assert f"job {drill.starts[0]}.0 on " in material.job_log  # the script's own words


async def test_files_that_are_none_are_not_fetched(slurm: SlurmWorld) -> None:
    drill = slurm.drill("finish")
    await drill.submitted()
    await drill.ended()
    secret = slurm.place.folder / "secret"
    secret.write_text("do not tell")
    (drill.folder / "engine.log").symlink_to(secret)
    (drill.folder / "slices.jsonl").mkdir()
    (drill.folder / "result.json").write_bytes(b"x" * (1 << 20) + b"y")
    (drill.folder / "job.log").write_text("first\n" * 20_000 + "last\n")
    material = await drill.executor.material(drill.name)
    assert (material.engine_log, material.slices, material.result) == (None, None, None)
    assert material.job_log is not None
    assert len(material.job_log) <= 64 << 10
    assert material.job_log.startswith("first\n")
    assert material.job_log.endswith("last\n")


@pytest.mark.parametrize("changes", [{"partition": "nowhere"}, {"gpus": 9}, {"minutes": 600}])
async def test_what_slurm_refuses_has_ended(slurm: SlurmWorld, changes: dict[str, object]) -> None:
    drill = slurm.drill("finish", request=slurm.request(**changes))
    await drill.submitted()
    await drill.submitted()  # and again, as after a crash
    status = await drill.status()
    Drilled.REFUSED.value.check(drill, status)
    assert "Batch job submission failed" in status.detail
    assert drill.starts == []
    assert await drill.executor.cancel([drill.name]) == {drill.name}


async def test_a_name_that_nobody_knows(slurm: SlurmWorld) -> None:
    drill = slurm.drill("finish")
    assert (await drill.status()).state is JobState.UNKNOWN  # once is not enough
    status = await drill.ended()
    assert (status.state, status.ending) == (JobState.ABSENT, Ending.INFRASTRUCTURE)
    assert await drill.executor.states([]) == {}
