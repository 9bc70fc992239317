"""Run folders on the cluster: those that may go are removed as a whole, and nothing else is touched."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bot.cluster.executor import ClusterUnreachable, Tidied
from gatekit.cluster.job import job_json
from gatekit.domain.ids import JobName
from tests.worlds.slurm.world import Drill, SlurmWorld

OURS = "0123456789abcdef"


def of(drill: Drill, submitter: str = OURS) -> Drill:
    return replace(drill, job=replace(drill.job, submitter=submitter))


async def tidied(drill: Drill, *names: JobName) -> list[Tidied]:
    asked = names or (drill.name,)
    found = await drill.executor.tidy(asked, OURS)
    return [found[name] for name in asked]


async def test_an_attempt_that_is_over_leaves_nothing_and_a_second_time_finds_nothing(slurm: SlurmWorld) -> None:
    drill = of(slurm.drill("finish"))
    await drill.submitted()
    await drill.ended()
    assert drill.folder.exists()
    assert await tidied(drill) == [Tidied.GONE]
    assert [path.name for path in drill.folder.parent.iterdir() if drill.name in path.name] == []
    assert await tidied(drill) == [Tidied.GONE]


async def test_a_job_that_is_left_keeps_its_folder(slurm: SlurmWorld) -> None:
    drill = of(slurm.drill("sit"))
    await drill.running()
    assert await tidied(drill) == [Tidied.KEPT]
    assert await drill.executor.cancel([drill.name]) == {drill.name}
    assert await tidied(drill) == [Tidied.GONE]


def make(folder: Path, drill: Drill, submitter: str) -> None:
    """A run folder as our bot, or another one, leaves it behind."""
    (folder / "slurm").mkdir(parents=True)
    (folder / "job.json").write_text(job_json(replace(drill.job, submitter=submitter)))


def chowned(slurm: SlurmWorld, folder: Path) -> None:
    slurm.slurm("chown", "-R", slurm.place.user, folder)


async def test_what_is_not_ours_stays(slurm: SlurmWorld) -> None:
    """Another bot's; one without a job.json; one whose arguments say that it is ours; a link out of the root."""
    drill, runs = slurm.drill("sit"), slurm.root / "runs"
    await drill.executor.put_programs()
    names = [JobName(f"gk-9-foreign{number}-1") for number in range(4)]
    theirs, bare, posing, link = (runs / name for name in names)
    make(theirs, drill, "fedcba9876543210")
    (bare / "slurm").mkdir(parents=True)
    says = (f'"submitter": "{OURS}"', f'x\n "submitter": "{OURS}"')
    make(posing, replace(drill, job=replace(drill.job, engine=replace(drill.job.engine, command=says))), "another")
    make(slurm.place.shared / "elsewhere", drill, OURS)
    link.symlink_to(slurm.place.shared / "elsewhere")
    chowned(slurm, slurm.place.shared)
    assert await tidied(drill, *names) == [Tidied.FOREIGN] * 4
    assert all(path.exists() for path in (theirs / "job.json", bare / "slurm", posing / "job.json"))
    assert (slurm.place.shared / "elsewhere" / "job.json").exists()


async def test_links_in_a_run_folder_lead_nowhere(slurm: SlurmWorld) -> None:
    drill = of(slurm.drill("finish"))
    await drill.submitted()
    await drill.ended()
    kept = slurm.place.shared / "kept"
    kept.mkdir(exist_ok=True)
    (kept / "file").touch()
    (drill.folder / "results").symlink_to(kept)
    chowned(slurm, kept)
    assert await tidied(drill) == [Tidied.GONE]
    assert (kept / "file").exists()


async def test_what_cannot_be_removed_as_a_whole_is_known_the_next_time(slurm: SlurmWorld) -> None:
    """What a container left as root, say."""
    drill = of(slurm.drill("finish"))
    await drill.submitted()
    await drill.ended()
    stuck = drill.folder / "owned-by-root"
    stuck.mkdir()
    (stuck / "file").touch()
    assert await tidied(drill) == [Tidied.KEPT]
    gone = drill.folder.with_name(f".gone-{drill.name}")
    assert [path.name for path in gone.iterdir()] == ["owned-by-root"]
    slurm.slurm("chown", "-R", slurm.place.user, gone)
    assert await tidied(drill) == [Tidied.GONE]
    assert not gone.exists()


@pytest.mark.parametrize("submitter", ["", "x y", "../x", '"', "A"])
async def test_a_name_of_a_bot_that_is_none(slurm: SlurmWorld, submitter: str) -> None:
    drill = slurm.drill("sit")
    with pytest.raises(ClusterUnreachable, match="usage: tidy ROOT SUBMITTER"):
        await drill.executor.tidy([drill.name], submitter)


async def test_names_of_folders_that_are_none(slurm: SlurmWorld) -> None:
    drill = slurm.drill("sit")
    for name in ("..", "gk-1-../x-1", "bin", "gk-*"):
        with pytest.raises(ClusterUnreachable, match="no job name"):
            await drill.executor.tidy([JobName(name)], OURS)


def test_a_job_says_whose_it_is_as_the_program_looks_for_it(slurm: SlurmWorld) -> None:
    text = job_json(replace(slurm.drill("sit").job, submitter=OURS))
    assert f'\n "submitter": "{OURS}"' in text
    assert json.loads(text)["submitter"] == OURS
