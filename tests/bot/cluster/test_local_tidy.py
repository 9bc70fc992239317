"""What local jobs wrote goes when it may: all of an attempt, and nothing else."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.cluster.executor import Tidied
from bot.cluster.local.state import RunFolder
from gatekit.cluster.job import job_json
from gatekit.domain.ids import JobName
from tests.bot.cluster.local.test_executor import NAME, OTHER, World, job
from tests.worlds.bot.until import until


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    world = World(tmp_path)
    yield world
    await world.another(term=0.1).cancel([NAME, OTHER])


async def test_what_an_attempt_wrote_goes_and_only_that(world: World) -> None:
    running, foreign = OTHER, JobName("gk-12-localtest-3")
    ours = replace(job("finish"), submitter="ours")
    await world.executor.submit(ours)
    await until(lambda: (world.folder() / "result.json").exists())
    await until(lambda: not world.family())
    await world.executor.states([NAME])
    await world.executor.submit(replace(job("sit", name=running), submitter="ours"))
    RunFolder(world.folder(foreign)).place_job(replace(job("sit", name=foreign), submitter="theirs"))
    await until(lambda: world.family(running) != frozenset())
    names = [NAME, running, foreign, JobName("gk-12-localtest-4")]
    assert await world.executor.tidy(names, "ours") == {
        NAME: Tidied.GONE,
        running: Tidied.KEPT,
        foreign: Tidied.FOREIGN,
        names[3]: Tidied.GONE,
    }
    assert sorted(path.name for path in (world.root / "runs").iterdir()) == [running, foreign]


def link_to(folder: Path, target: Path) -> None:
    target.mkdir()
    (target / "job.json").write_text(job_json(replace(job("sit"), submitter="ours")))
    folder.parent.mkdir(parents=True)
    folder.symlink_to(target)


async def test_what_was_removed_in_part_goes_the_next_time(world: World) -> None:
    half = world.root / "runs" / f".gone-{NAME}"
    half.mkdir(parents=True)
    (half / "engine.log").touch()
    assert await world.executor.tidy([NAME], "ours") == {NAME: Tidied.GONE}
    assert not half.exists()


async def test_a_link_in_the_place_of_a_run_folder_is_none_of_ours(world: World, tmp_path: Path) -> None:
    link_to(world.folder(), tmp_path / "elsewhere")
    assert await world.executor.tidy([NAME], "ours") == {NAME: Tidied.FOREIGN}
    assert (tmp_path / "elsewhere" / "job.json").exists()
