"""Engines in containers, on a real SLURM whose srun has a stand-in for pyxis: how they start, and that they all end."""

import json
import os
import signal
from pathlib import Path

import pytest

from bot.cluster.executor import JobState
from gatekit.cluster.result import parse_result
from gatekit.domain.sweep import Ending
from tests.worlds.bot.until import until
from tests.worlds.slurm.contained import IMAGE, contained, programs, read_step, removed
from tests.worlds.slurm.world import Drill, SlurmWorld

PYTHON = "/usr/bin/python3"
ENGINE = """
import os, signal, sys, time
words = sys.argv[1:]
if "deaf" in words:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.makedirs("deep/cache")
open("deep/cache/file", "w").write("x" * 1000)
if "daemon" in words and os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
open(os.environ["HOME"] + "/ready", "w")
time.sleep(600)
"""


def ready(drill: Drill) -> bool:
    """The engine's folder is in the container what it is on the node."""
    return any((folder / "ready").exists() for one in drill.scratch() for folder in one.glob("gk-*/engine"))


async def running(drill: Drill) -> int:
    """The job's id, once the engine runs."""
    await drill.submitted()
    await until(lambda: bool(drill.jobs()))
    await until(lambda: ready(drill))
    ((job, _),) = drill.jobs()
    return job


def left(drill: Drill, job: int) -> tuple[list[int], list[Path], list[str], bool]:
    """Marked processes, files, anything that the account runs; and whether the image was not removed."""
    place = drill.world.place
    return drill.processes(), drill.scratch(), programs(place), not removed(place, job)


NOTHING: tuple[list[int], list[Path], list[str], bool] = ([], [], [], False)


@pytest.mark.parametrize("words", [(), ("deaf", "daemon")])
async def test_a_cancelled_job_leaves_no_process_and_no_file(
    slurm: SlurmWorld, tmp_path: Path, words: tuple[str, ...]
) -> None:
    drill = contained(slurm, tmp_path, PYTHON, "-c", ENGINE, *words)
    job = await running(drill)
    await until(lambda: len(drill.processes()) == 2 + ("daemon" in words))  # with the node program
    assert await drill.executor.cancel([drill.name]) == {drill.name}
    assert left(drill, job) == NOTHING
    status = await drill.ended()
    assert (status.state, status.ending, status.leftovers) == (JobState.ENDED, Ending.CANCELLED, "")


async def test_an_engine_outlives_its_node_program_by_nothing(slurm: SlurmWorld, tmp_path: Path) -> None:
    drill = contained(slurm, tmp_path, PYTHON, "-c", ENGINE, "deaf", "daemon")
    job = await running(drill)
    node = json.loads((drill.folder / "claim.json").read_text())["pid"]
    os.kill(node, signal.SIGKILL)
    assert (await drill.ended()).state is JobState.ENDED
    await until(lambda: removed(slurm.place, job))
    assert left(drill, job) == NOTHING


async def test_an_engine_that_ends_says_how(slurm: SlurmWorld, tmp_path: Path) -> None:
    drill = contained(slurm, tmp_path, "/bin/sh", "-c", "echo it is full >&2; exit 7")
    await drill.submitted()
    status = await drill.ended()
    assert (status.ending, "the engine exited with code 7 before it answered" in status.detail) == (
        Ending.GATE_FAILED,
        True,
    )
    assert "it is full\n" in (drill.folder / "engine.log").read_text()
    assert drill.processes() == []


async def test_a_program_that_the_image_does_not_have(slurm: SlurmWorld, tmp_path: Path) -> None:
    drill = contained(slurm, tmp_path, "no-such-engine", "serve")
    await drill.submitted()
    assert "no-such-engine is no program here" in (await drill.ended()).detail


async def test_an_image_that_cannot_be_had(slurm: SlurmWorld, tmp_path: Path) -> None:
    fails = slurm.place.containers / "fails"
    fails.touch()
    try:
        drill = contained(slurm, tmp_path, PYTHON, "-c", ENGINE)
        await drill.submitted()
        status = await drill.ended()
    finally:
        fails.unlink()
    assert status.ending is Ending.GATE_FAILED
    material = await drill.executor.material(drill.name)
    assert material.result is not None
    assert material.engine_log is not None
    assert "before it answered, see engine.log" in (parse_result(material.result).reason or "")
    assert "no such image" in material.engine_log


async def test_the_helpers_of_a_container_get_nothing_of_the_job(slurm: SlurmWorld, tmp_path: Path) -> None:
    """pyxis runs enroot under the environment of the step: with a recipe's BASH_ENV it would run what that names."""
    drill = contained(slurm, tmp_path, PYTHON, "-c", ENGINE)
    job = await running(drill)
    step = read_step(slurm.place, job)
    assert await drill.executor.cancel([drill.name]) == {drill.name}
    (source, target) = step.options["mounts"].split(":")
    assert source.startswith(f"{slurm.place.local}/gk-")
    assert (target, step.options["workdir"], step.options["image"]) == (
        "/gatekit",
        "/gatekit",
        IMAGE.replace("/", "#", 1),
    )
    assert {name: step.options[name] for name in ("mount-home", "remap-root", "entrypoint")} == {
        "mount-home": "no",
        "remap-root": "no",
        "entrypoint": "no",
    }
    slurms = (
        "SLURM",
        "SRUN_",
        "CUDA_VISIBLE_DEVICES",
        "ROCR_VISIBLE_DEVICES",
        "GPU_DEVICE_ORDINAL",
        "ZE_AFFINITY_MASK",
    )
    assert {name for name in step.env if not name.startswith(slurms)} == {
        *("PATH", "HOME", "TMPDIR"),
        "LC_CTYPE",  # Python's own doing, before it becomes srun
    }
    assert step.env["TMPDIR"] == source
