"""Watching: what a cut, a restart or a silence means, and what a job may do while nobody looks."""

import asyncio
import contextlib
import random
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.cluster.executor import ClusterUnreachable, JobState
from bot.cluster.ssh.connection import Timing
from gatekit.domain.ids import JobName
from gatekit.domain.sweep import Ending
from tests.worlds.bot.until import until
from tests.worlds.slurm import daemons
from tests.worlds.slurm.allowed import Drilled
from tests.worlds.slurm.cable import cable_to
from tests.worlds.slurm.world import Drill, SlurmWorld

CUTS = 20


async def test_a_poll_that_is_cut_concludes_nothing(slurm: SlurmWorld, tmp_path: Path) -> None:
    drill = slurm.drill("hold")
    await drill.running()
    seeded = random.Random(11)
    heard = []
    async with cable_to(slurm.address, tmp_path) as cable:
        watcher = Drill(slurm, slurm.executor(cable.address), drill.job)
        for _ in range(CUTS):
            poll = asyncio.create_task(watcher.status())
            await asyncio.sleep(seeded.uniform(0, 0.25))  # the seeded instant
            cable.cut()
            (answer,) = await asyncio.gather(poll, return_exceptions=True)
            assert isinstance(answer, ClusterUnreachable) or answer.state is JobState.RUNNING, answer
            heard.append(answer)
        assert any(isinstance(answer, ClusterUnreachable) for answer in heard)
        assert (await watcher.status()).state is JobState.RUNNING
        drill.go()
        Drilled.CUT_POLLING.value.check(drill, await watcher.ended())


async def test_a_fetch_that_is_cut_gives_nothing_and_then_everything(slurm: SlurmWorld, tmp_path: Path) -> None:
    drill = slurm.drill("finish")
    await drill.submitted()
    Drilled.CUT_FETCHING.value.check(drill, await drill.ended())
    (drill.folder / "slices.jsonl").write_bytes(b"x" * (24 << 20))
    async with cable_to(slurm.address, tmp_path) as cable:
        executor = slurm.executor(cable.address)
        await executor.states([drill.name])
        carried = cable.carried
        fetch = asyncio.create_task(executor.material(drill.name))
        await until(lambda: cable.carried > carried + (1 << 20))
        cable.cut()
        with pytest.raises(ClusterUnreachable, match="was cut"):
            await fetch
        material = await executor.material(drill.name)
    assert material.slices is not None
    assert len(material.slices) == 24 << 20


async def test_an_sshd_that_is_restarted(slurm: SlurmWorld) -> None:
    """The connection outlives the door; once cut, nothing gets in until the door is back."""
    drill = slurm.drill("late")
    await drill.submitted()
    daemons.stop(slurm.place, "sshd")
    assert (await drill.status()).state in (JobState.RUNNING, JobState.PENDING, JobState.ENDED)
    sessions = slurm.sessions()
    assert sessions
    for pid in sessions:
        slurm.kill(pid, signal.SIGKILL)
    for _ in range(3):
        with pytest.raises(ClusterUnreachable):
            await drill.status()
    daemons.start_sshd(slurm.place)
    Drilled.SSHD_RESTARTED.value.check(drill, await drill.ended())


async def test_a_silent_server_is_noticed(slurm: SlurmWorld, tmp_path: Path) -> None:
    drill = slurm.drill("hold", timing=Timing(keepalive=2.0, first_pause=0.0, longest_pause=0.0))
    await drill.running()
    stopped = slurm.sessions()
    assert stopped
    for pid in stopped:
        slurm.kill(pid, signal.SIGSTOP)
    try:
        assert (await drill.status()).state is JobState.RUNNING  # over a new connection
        assert set(slurm.sessions()) - set(stopped)
        drill.go()
        Drilled.SILENT.value.check(drill, await drill.ended())
    finally:
        for pid in stopped:
            slurm.kill(pid, signal.SIGKILL)


@contextlib.contextmanager
def short_memory(slurm: SlurmWorld) -> Iterator[None]:
    """The controller forgets ended jobs after two seconds."""
    path = slurm.place.conf / "slurm.conf"
    text = path.read_text()
    for now in (text.replace("MinJobAge=300", "MinJobAge=2"), text):
        path.write_text(now)
        slurm.slurm("scontrol", "reconfigure")
        if now is not text:
            yield


async def test_jobs_that_end_while_we_are_away(slurm: SlurmWorld) -> None:
    """The bot was down for so long that only the accounts know of them."""
    with short_memory(slurm):
        words = ("finish", "fail", "die", "nothing", "sit")
        drills = {word: slurm.drill(word) for word in words}
        await asyncio.gather(*(drill.submitted() for drill in drills.values()))
        await until(lambda: (drills["sit"].folder / "ready").exists())
        shutil.rmtree(drills["sit"].folder / "slurm")  # as if its script had had no say, and no time
        (drills["sit"].folder / "slurm").mkdir()
        (drills["sit"].folder / "slurm" / "jobid").write_text(f"{drills['sit'].starts[0]}\n")
        slurm.slurm("scancel", drills["sit"].starts[0])
        await until(lambda: not any(drill.jobs() for drill in drills.values()))
        back = slurm.executor()
        statuses = await asyncio.gather(*(Drill(slurm, back, drill.job).ended() for drill in drills.values()))
    found = {word: (status.state, status.ending) for word, status in zip(drills, statuses, strict=True)}
    Drilled.BOT_AWAY.value.check(drills["finish"], statuses[0])
    assert found == {
        "finish": (JobState.ENDED, Ending.REPLAYED),
        "fail": (JobState.ENDED, Ending.GATE_FAILED),
        "die": (JobState.ENDED, Ending.GATE_FAILED),
        "nothing": (JobState.ENDED, Ending.INFRASTRUCTURE),
        "sit": (JobState.ENDED, Ending.INFRASTRUCTURE),
    }
    assert "(user 0 cancelled it)" in statuses[-1].detail


async def test_a_controller_that_is_stopped_in_between(slurm: SlurmWorld) -> None:
    """Nothing is concluded while it is away, and nothing is lost."""
    short, long = slurm.drill("late"), slurm.drill("hold")
    await asyncio.gather(short.running(), long.running())
    daemons.stop(slurm.place, "slurmctld")
    try:
        await until(lambda: (short.folder / "slurm" / "end.json").exists())
        with pytest.raises(ClusterUnreachable, match="the queue could not be asked"):
            await long.executor.states([short.name, long.name])
    finally:
        daemons.start_controller(slurm.place)
    Drilled.STOPPED.value.check(short, await short.ended())
    assert (await long.status()).state is JobState.RUNNING
    long.go()
    Drilled.STOPPED.value.check(long, await long.ended())


async def test_all_jobs_of_a_poll_cost_one_question_to_the_controller(slurm: SlurmWorld) -> None:
    executor = slurm.executor()
    drills = [slurm.drill("finish", executor=executor) for _ in range(6)]
    await asyncio.gather(*(drill.submitted() for drill in drills))
    await asyncio.gather(*(drill.ended() for drill in drills))
    names = [JobName(drill.name) for drill in drills]
    before = slurm.questions()
    statuses = await executor.states(names)
    assert slurm.questions() - before == 1
    assert {status.ending for status in statuses.values()} == {Ending.REPLAYED}
