"""Connections to a real SLURM, cut at random instants while jobs are submitted."""

import asyncio
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.worlds.slurm.cable import cable_to
from tests.worlds.slurm.world import Drill, SlurmWorld

LANES, CUTS, TRIES = 5, 20, 40  # cuts of each lane, tries of each submission
LONGEST = 0.5  # seconds until the cut

pytestmark = pytest.mark.skipif(shutil.which("slurmctld") is None, reason="SLURM is not installed")


async def test_a_hundred_cuts(
    slurm: SlurmWorld, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    async def lane(number: int) -> list[Drill]:
        luck, drills = random.Random(2000 + number), []
        async with cable_to(slurm.address, tmp_path) as cable:
            executor = slurm.executor(cable.address)
            for _ in range(CUTS):
                drill = slurm.drill("finish", executor=executor)
                work = asyncio.create_task(drill.submitted(TRIES))
                await asyncio.sleep(luck.uniform(0.0, LONGEST))  # the instant itself
                cable.cut()
                await work
                drills.append(drill)
        return drills

    drills = [drill for lane in await asyncio.gather(*map(lane, range(LANES))) for drill in lane]
    fresh = slurm.executor()
    for drill in drills:
        await Drill(slurm, fresh, drill.job).ended()
        ((id, _),) = drill.jobs()
        assert drill.starts == [id]
    record_property("said", f"{len(drills)} submissions, each with its connection cut: 1 job and 1 run each")
