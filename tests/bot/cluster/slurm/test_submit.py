"""A job exists exactly once, and runs exactly once, whatever is cut, frozen, full or killed while it is submitted."""

import asyncio
import contextlib
import hashlib
import json
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
from bot.cluster.zipapp import build_node
from gatekit.ending import Ending
from gatekit.slurm.script import sbatch_options
from tests.worlds.slurm import daemons
from tests.worlds.slurm.cable import cable_to
from tests.worlds.slurm.world import SHORT, Drill, SlurmWorld

CUTS = 25
LANES = 5
TRIES = 40


async def once(drill: Drill) -> None:
    """One job in SLURM, one run, and the executor knows it by its id."""
    await drill.ended()
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
        await once(Drill(slurm, fresh, drill.job))


async def test_many_bots_at_once_submit_one_job(slurm: SlurmWorld) -> None:
    first = slurm.drill("finish")
    others = [slurm.drill("finish", name=first.name) for _ in range(4)]
    await asyncio.gather(*(drill.submitted(TRIES) for drill in (first, *others)))
    await once(first)
    await others[0].submitted()  # and when it is over
    await once(first)


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
    await once(drill)


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
    await once(drill)


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
    assert (status.state, status.ending) == (JobState.ENDED, Ending.REPLAYED)
    assert len(drill.starts) == 1
    await drill.until(lambda: len({state for _, state in drill.jobs()}) == 1)
    assert {state for _, state in drill.jobs()} == {"COMPLETED"}
    assert int(twin) in {id for id, _ in drill.jobs()}
    await other.submitted()  # the job that runs is found by its claim
    assert int((drill.folder / "slurm" / "jobid").read_text()) == drill.starts[0]


async def test_a_job_that_the_controller_lost_is_absent_and_the_next_attempt_is_another_job(slurm: SlurmWorld) -> None:
    """Killed right after a submission, a controller forgets the job and gives its id to somebody else."""
    drill = slurm.drill("sit")
    await drill.submitted()
    (id,) = {id for id, _ in drill.jobs()}
    daemons.stop(slurm.place, "slurmctld", signal.SIGKILL)
    daemons.start_controller(slurm.place)
    if not drill.jobs():  # it was written to disk in time, or it was not: both are allowed
        status = await drill.ended()
        assert (status.state, status.ending) == (JobState.ABSENT, Ending.INFRASTRUCTURE), status
    await drill.until(lambda: _gone_or_known(drill, id))
    async with asyncio.timeout(60):
        while await drill.executor.cancel([drill.name]) != {drill.name}:
            continue
    assert len(drill.starts) <= 1
    assert drill.processes() == []
    again = slurm.drill("finish", name=drill.name[:-1] + "2")
    await again.submitted()
    await once(again)


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
    drill = slurm.drill("finish", executor=executor)
    ballast = fill(tiny)
    with pytest.raises(ClusterUnreachable, match="is the disk full"):
        await drill.submitted()
    assert drill.jobs() == []
    ballast.unlink()
    await drill.submitted()
    status = await drill.ended()
    assert (status.state, status.ending) == (JobState.ENDED, Ending.REPLAYED)
    assert len(drill.jobs()) == 1


async def test_a_disk_that_fills_while_the_job_runs(slurm: SlurmWorld, tiny: Path) -> None:
    executor = slurm.executor(root=tiny)
    drill = slurm.drill("late", executor=executor)
    await drill.submitted()
    await drill.until(lambda: (tiny / "runs" / drill.name / "ready").exists())
    fill(tiny)
    status = await drill.ended()
    assert (status.state, status.ending) == (JobState.ENDED, Ending.INFRASTRUCTURE), status
    assert drill.processes() == []
    assert drill.scratch() == []


HOSTILE = (
    "plain", "two words", "", "$(touch pwned)", "`id`", "a\nb\n", "tab\there", "'", '"', "\\", "\\n", "%j%A", "*", "~",
    "!", "-", "--", "#SBATCH --uid=0", "é ü 漢字 🙂", "a;b&c|d>e<f", "${HOME}", "x" * 5000, "\x01\x7f", "{port}x",
    "\r\n", "=",
)  # fmt: skip
WITNESS = """
import json, os, sys
with open(sys.argv[1], "w") as file:
    json.dump({"argv": sys.argv[2:], "env": {k: v for k, v in os.environ.items() if k.startswith("WITNESS_")}}, file)
"""


async def test_arguments_and_environment_reach_the_engine_byte_for_byte(slurm: SlurmWorld, tmp_path: Path) -> None:
    """Through job.json, SFTP, SLURM, the batch script and the real node program."""
    seen = slurm.place.shared / "witness.json"
    words = tuple(word for word in HOSTILE if "{port}" not in word)  # the one thing that the node program fills in
    env = tuple((f"WITNESS_{number}", word) for number, word in enumerate(words))
    executor = slurm.executor(node=build_node(tmp_path))
    drill = slurm.drill("/usr/bin/python3", "-c", WITNESS, str(seen), *words, executor=executor, env=env)
    prompts = slurm.place.shared / "prompts.jsonl"
    messages = [{"role": "user", "content": "Say nothing."}]
    prompts.write_text(json.dumps({"category": "coding", "question_id": "1", "messages": messages}) + "\n")
    drill.job = replace(drill.job, replay=replace(drill.job.replay, prompts=str(prompts)))
    await drill.submitted()
    status = await drill.ended()
    assert (status.state, status.ending) == (JobState.ENDED, Ending.GATE_FAILED), status  # a witness serves nothing
    assert seen.exists(), status.detail
    found = json.loads(seen.read_text())
    assert found["argv"] == list(words)
    assert found["env"] == dict(env)
    assert not list(drill.folder.glob("**/pwned"))
