"""Cancelling: the job is gone from the queue, from its node and for ever, at whatever moment it is asked for."""

import asyncio
import signal
from pathlib import Path

import pytest

from bot.cluster.executor import ClusterUnreachable, JobState
from gatekit.domain.sweep import Ending
from tests.worlds.bot.until import PATIENCE, until
from tests.worlds.slurm.allowed import Drilled
from tests.worlds.slurm.world import Drill, SlurmWorld

TRIES = 40


async def gone(drill: Drill) -> None:
    """Cancels until the executor says that it is verified."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                if await drill.executor.cancel([drill.name]) == {drill.name}:
                    return
            except ClusterUnreachable:
                await asyncio.sleep(0.2)


def nothing_left(drill: Drill) -> bool:
    active = [state for _, state in drill.jobs() if state in ("PENDING", "RUNNING", "COMPLETING", "CONFIGURING")]
    return not active and drill.processes() == [] and drill.scratch() == []


KINDS = (("sit", "litter"), ("deaf", "litter"), ("sit", "daemon", "litter"), ("deaf", "daemon", "litter"))
OF_EACH = 5


async def test_twenty_running_jobs_leave_no_process_and_no_file(slurm: SlurmWorld) -> None:
    """Ordinary ones, some that do not hear TERM, some with a daemonised child, and both; all at once."""
    before = set(slurm.place.local.iterdir())
    executor = slurm.executor()
    drills = [(words, slurm.drill(*words, executor=executor)) for words in KINDS * OF_EACH]
    await asyncio.gather(*(drill.running() for _, drill in drills))
    for words, drill in drills:
        await until(lambda d=drill, w=words: len(d.processes()) == (2 if "daemon" in w else 1))
        assert drill.scratch() != []
    assert len(slurm.slurm("squeue", "-h", "-t", "RUNNING", "-u", slurm.place.user).splitlines()) == len(drills) == 20
    names = {drill.name for _, drill in drills}
    async with asyncio.timeout(PATIENCE):
        left = set(names)
        while left:
            left -= await executor.cancel(sorted(left))
    assert [drill.name for _, drill in drills if not nothing_left(drill)] == []
    assert set(slurm.place.local.iterdir()) == before
    for words, drill in drills:
        assert (drill.folder / "ended").exists() == ("sit" in words)  # the node program was asked first
    statuses = await asyncio.gather(*(drill.ended() for _, drill in drills))
    for (_, drill), status in zip(drills, statuses, strict=True):
        Drilled.BOT.value.check(drill, status)
    assert await executor.cancel(sorted(names)) == names  # and again: gone is gone


async def test_a_pending_job_never_runs(slurm: SlurmWorld) -> None:
    drill = slurm.drill("finish", request=slurm.request(options=("--exclusive", "--nodelist=node1")))
    holder = slurm.drill("sit", request=slurm.request(options=("--exclusive", "--nodelist=node1")))
    await holder.running()
    await drill.submitted()
    status = await drill.status()
    assert (status.state, status.detail) == (JobState.PENDING, "waits: Resources")
    assert await drill.executor.cancel([drill.name]) == {drill.name}
    assert [state for _, state in drill.jobs()] == ["CANCELLED"]
    await gone(holder)
    assert drill.starts == []
    Drilled.BOT.value.check(drill, await drill.ended())


async def test_what_was_never_submitted_never_will_be(slurm: SlurmWorld) -> None:
    drill = slurm.drill("finish")
    assert await drill.executor.cancel([drill.name]) == {drill.name}
    await drill.submitted()  # by a process that has not heard of it
    assert drill.jobs() == []
    assert (await drill.ended()).ending is Ending.CANCELLED


@pytest.mark.parametrize("after", [0.0, 0.02, 0.05, 0.1, 0.2])
async def test_a_job_that_is_being_submitted_right_now(slurm: SlurmWorld, after: float) -> None:
    """Two bots, say: one submits, the other cancels. Whoever is first, nothing of it remains."""
    drill, other = slurm.drill("sit", "daemon"), slurm.executor()
    await asyncio.gather(drill.executor.put_programs(), other.put_programs())
    work = asyncio.create_task(drill.submitted(TRIES))
    await asyncio.sleep(after)  # the instant of the drill
    cancelled = Drill(slurm, other, drill.job)
    await gone(cancelled)
    await work
    assert nothing_left(drill)
    Drilled.BOT.value.check(drill, await drill.ended())


async def test_a_submission_whose_answer_was_lost(slurm: SlurmWorld) -> None:
    """The controller makes the job after it was cancelled: it does not run, and it does not stay in the queue."""
    drill = slurm.drill("sit")
    await drill.executor.put_programs()
    slurm.tell("slurmctld", signal.SIGSTOP)
    try:
        with pytest.raises(ClusterUnreachable):
            await drill.submitted()
        with pytest.raises(ClusterUnreachable):
            await drill.executor.cancel([drill.name])
    finally:
        slurm.tell("slurmctld", signal.SIGCONT)
    await gone(drill)
    assert nothing_left(drill)
    assert drill.starts == []


async def test_other_jobs_of_the_account_stay(slurm: SlurmWorld) -> None:
    """One of the same name that another bot made in a folder of its own, too."""
    drill = slurm.drill("sit")
    twin = slurm.drill("sit", name=drill.name, root=slurm.place.shared / "another")
    await asyncio.gather(drill.submitted(), twin.submitted())
    ready = slurm.place.shared / "another" / "runs" / drill.name / "ready"
    await until(lambda: ready.exists() and (drill.folder / "ready").exists())
    assert len({id for id, _ in drill.jobs()}) == 2
    assert await drill.executor.cancel([drill.name]) == {drill.name}
    assert (await twin.status()).state is JobState.RUNNING
    await gone(twin)
    assert drill.processes() == []


async def test_somebody_else_cancels(slurm: SlurmWorld) -> None:
    drill = slurm.drill("sit", "daemon", "litter")
    await drill.running()
    slurm.slurm("scancel", drill.starts[0])
    Drilled.SOMEBODY.value.check(drill, await drill.ended())
    assert nothing_left(drill)


@pytest.mark.parametrize("manners", ["sit", "deaf"])
async def test_files_that_cannot_be_removed_are_named(slurm: SlurmWorld, manners: str) -> None:
    """What a container left as root, say. The next look says so, even where the node program wrote no result."""
    drill = slurm.drill(manners, "litter")
    await drill.running()
    (scratch,) = drill.scratch()
    stuck = scratch / "engine" / "owned-by-root"
    stuck.mkdir()
    (stuck / "cache").touch()
    assert await drill.executor.cancel([drill.name]) == {drill.name}
    status = await drill.status()
    assert status.ending is Ending.CANCELLED
    assert f"root:{scratch}/engine/owned-by-root" in status.leftovers
    remove(scratch)


async def test_processes_that_could_not_be_ended_are_named_and_not_asked_for_ever(slurm: SlurmWorld) -> None:
    """The job is over for SLURM; a process in the kernel's hands, say, is not."""
    drill = slurm.drill("sit")
    await drill.running()
    assert await drill.executor.cancel([drill.name]) == {drill.name}
    end = drill.folder / "slurm" / "end.json"
    end.write_text(end.read_text().replace('"alive":""', '"alive":"4711 "'))
    assert await drill.executor.cancel([drill.name]) == {drill.name}
    assert (await drill.status()).leftovers == "processes that it could not end: 4711"


def remove(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    folder.rmdir()
