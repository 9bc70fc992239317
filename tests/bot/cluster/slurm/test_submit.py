"""A job exists exactly once, and runs exactly once, whatever is cut, frozen, full or killed while it is submitted."""

import asyncio
import contextlib
import hashlib
import random
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.cluster.executor import ClusterUnreachable, JobState
from bot.cluster.slurm.remote import Remote
from gatekit.cluster.slurm.script import sbatch_options
from tests.worlds.bot.until import PATIENCE, until
from tests.worlds.slurm import daemons
from tests.worlds.slurm.allowed import Drilled
from tests.worlds.slurm.cable import cable_to
from tests.worlds.slurm.world import SHORT, Drill, SlurmWorld

CUTS = 25
LANES = 5
TRIES = 40


async def once(drill: Drill, drilled: Drilled) -> None:
    """It ends as it may, and of one job; the executor knows that one by its id."""
    drilled.value.check(drill, await drill.ended())
    ((id, _),) = drill.jobs()
    assert drill.starts == [id]
    assert (drill.folder / "slurm" / "jobid").read_text().strip() == str(id)


async def test_a_connection_that_is_cut_at_any_instant(slurm: SlurmWorld, tmp_path: Path) -> None:
    """25 seeded instants, from the first byte to long after the answer."""
    instants = [random.Random(seed).uniform(0.0, 0.5) for seed in range(CUTS)]

    async def lane(number: int) -> list[Drill]:
        drills = []
        async with cable_to(slurm.address, tmp_path) as cable:
            executor = slurm.executor(cable.address)
            for instant in instants[number::LANES]:
                drill = slurm.drill("finish", executor=executor)
                work = asyncio.create_task(drill.submitted(TRIES))
                await asyncio.sleep(instant)  # the seeded instant itself
                cable.cut()
                await work
                drills.append(drill)
        return drills

    lanes = await asyncio.gather(*(lane(number) for number in range(LANES)))
    fresh = slurm.executor()
    for drill in [drill for drills in lanes for drill in drills]:
        await once(Drill(slurm, fresh, drill.job), Drilled.CUT_SUBMITTING)


async def test_many_bots_at_once_submit_one_job(slurm: SlurmWorld) -> None:
    first = slurm.drill("finish")
    others = [slurm.drill("finish", name=first.name) for _ in range(4)]
    await asyncio.gather(*(drill.submitted(TRIES) for drill in (first, *others)))
    await once(first, Drilled.MANY_AT_ONCE)
    await others[0].submitted()  # and when it is over
    await once(first, Drilled.MANY_AT_ONCE)


async def test_half_a_script_is_never_submitted(slurm: SlurmWorld) -> None:
    drill = slurm.drill("finish")
    await drill.executor.put_programs()
    remote: Remote = drill.executor._remote
    script = drill.executor._submission.script(drill.name)
    words = (hashlib.sha256(script).hexdigest(), "0", *sbatch_options(slurm.request()))
    with pytest.raises(ClusterUnreachable, match="the batch script came short"):
        await remote.submit(drill.name, script[:-40], words)
    assert drill.jobs() == []
    assert drill.starts == []


@pytest.fixture
def deadly(slurm: SlurmWorld) -> Iterator[Path]:
    """The account's own sbatch: where one of the files `before` and `after` stands in this folder, everything that
    runs for the bot on the login node is killed before or after the real one was heard. Once.
    """
    home = slurm.place.home / slurm.place.user
    folder = home / "deadly"
    folder.mkdir()
    (home / ".bashrc").write_text(f"PATH={folder}:$PATH\n")
    (folder / "sbatch").write_text(
        f'#!/bin/sh\nrm {folder}/before 2>/dev/null && pkill -KILL -s 0\n{shutil.which("sbatch")} "$@"\nstatus=$?\n'
        f"rm {folder}/after 2>/dev/null && pkill -KILL -s 0\nexit $status\n"
    )
    (folder / "sbatch").chmod(0o755)
    shutil.chown(folder, slurm.place.user)
    yield folder
    (home / ".bashrc").unlink()
    shutil.rmtree(folder)


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_a_login_node_that_dies_around_sbatch(slurm: SlurmWorld, deadly: Path, moment: str) -> None:
    """The submission was noted, the job id was not."""
    drill = slurm.drill("finish")
    await drill.executor.put_programs()
    (deadly / moment).touch()
    with pytest.raises(ClusterUnreachable):
        await drill.submitted()
    assert not (deadly / moment).exists()
    assert (drill.folder / "slurm" / "submitting").exists()
    assert not (drill.folder / "slurm" / "jobid").exists()
    assert len(drill.jobs()) == (moment == "after")
    await drill.submitted(TRIES)
    await once(drill, Drilled.PROGRAM_KILLED)


@contextlib.asynccontextmanager
async def frozen(slurm: SlurmWorld) -> AsyncIterator[None]:
    """The controller hears everything and does nothing, until the end."""
    slurm.tell("slurmctld", signal.SIGSTOP)
    try:
        yield
    finally:
        slurm.tell("slurmctld", signal.SIGCONT)


async def test_a_controller_that_freezes_while_it_submits(slurm: SlurmWorld) -> None:
    """sbatch gives up, and the controller makes the job all the same when it wakes."""
    drill = slurm.drill("finish")
    await drill.executor.states([drill.name])
    async with frozen(slurm):
        with pytest.raises(ClusterUnreachable, match="exit status 75"):
            await drill.submitted()
        with pytest.raises(ClusterUnreachable):
            await drill.status()
    await drill.submitted(TRIES)
    await once(drill, Drilled.FROZEN)


async def test_a_controller_that_is_away_while_it_submits(slurm: SlurmWorld) -> None:
    drill = slurm.drill("finish")
    await drill.executor.states([drill.name])
    daemons.stop(slurm.place, "slurmctld")
    try:
        with pytest.raises(ClusterUnreachable, match="exit status 75"):
            await drill.submitted()
    finally:
        daemons.start_controller(slurm.place)
    await drill.submitted(TRIES)
    await once(drill, Drilled.AWAY)


async def test_a_second_job_of_the_same_attempt_leaves_at_once(slurm: SlurmWorld) -> None:
    """Where the controller made a job after all, though it was seen absent: only one of the two runs."""
    patient = slurm.executor(patience=replace(SHORT, absent=60.0))  # a busy machine takes its time to start the twin
    drill = slurm.drill("late", executor=patient)
    await drill.submitted()
    other = slurm.drill("late", name=drill.name, executor=patient)
    (drill.folder / "slurm" / "jobid").unlink()
    script = drill.folder / "slurm" / "script"
    options = [*sbatch_options(slurm.request()), f"--job-name={drill.name}", f"--chdir={drill.folder}", "--parsable"]
    user = slurm.place.user
    twin = slurm.slurm("runuser", "-u", user, "--", "sbatch", *options, f"--output={drill.folder}/twin.log", script)
    status = await other.ended()
    Drilled.TWIN.value.check(drill, status)
    await until(lambda: len({state for _, state in drill.jobs()}) == 1)
    assert {state for _, state in drill.jobs()} == {"COMPLETED"}
    assert int(twin) in {id for id, _ in drill.jobs()}
    await other.submitted()  # the job that runs is found by its claim
    assert int((drill.folder / "slurm" / "jobid").read_text()) == drill.starts[0]


async def test_a_job_that_the_controller_lost_is_absent_and_the_next_attempt_is_another_job(slurm: SlurmWorld) -> None:
    """Killed right after a submission, a controller forgets the job and gives its id to somebody else."""
    drill = slurm.drill("hold")
    await drill.submitted()
    (id,) = {id for id, _ in drill.jobs()}
    daemons.stop(slurm.place, "slurmctld", signal.SIGKILL)
    daemons.start_controller(slurm.place)
    await until(lambda: _gone_or_known(drill, id))
    if drill.jobs():  # it was written to disk in time, or it was not: both are allowed
        await until((drill.folder / "ready").exists)
        drill.go()
    status = await drill.ended()
    Drilled.KILLED.value.check(drill, status)
    if status.state is JobState.ABSENT:
        async with asyncio.timeout(PATIENCE):
            while await drill.executor.cancel([drill.name]) != {drill.name}:
                continue
        assert drill.processes() == []
        again = slurm.drill("finish", name=drill.name[:-1] + "2")
        await again.submitted()
        await once(again, Drilled.KILLED)


def _gone_or_known(drill: Drill, id: int) -> bool:
    """A node ends what its controller does not know."""
    return drill.processes() == [] or id in {known for known, _ in drill.jobs()}


@pytest.fixture
def tiny(slurm: SlurmWorld) -> Iterator[Path]:
    """A root folder on a disk of 256 KiB."""
    root = slurm.place.shared / "tiny"
    root.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", root], check=True)
    shutil.chown(root, slurm.place.user)
    yield root
    subprocess.run(["umount", "-l", root], check=True)
    root.rmdir()


def fill(root: Path) -> Path:
    """Leaves not one free block."""
    ballast = root / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
    return ballast


async def test_a_full_disk_is_said_so_and_heals(slurm: SlurmWorld, tiny: Path) -> None:
    executor = slurm.executor(root=tiny)
    await executor.put_programs()
    drill = slurm.drill("finish", executor=executor, root=tiny)
    ballast = fill(tiny)
    with pytest.raises(ClusterUnreachable, match="is the disk full"):
        await drill.submitted()
    assert drill.jobs() == []
    ballast.unlink()
    await drill.submitted()
    Drilled.DISK_FULL_BEFORE.value.check(drill, await drill.ended())


async def test_a_disk_that_fills_while_the_job_runs(slurm: SlurmWorld, tiny: Path) -> None:
    executor = slurm.executor(root=tiny)
    drill = slurm.drill("late", executor=executor, root=tiny)
    await drill.running()
    fill(tiny)
    Drilled.DISK_FULL_AFTER.value.check(drill, await drill.ended())
    assert drill.processes() == []
    assert drill.scratch() == []
