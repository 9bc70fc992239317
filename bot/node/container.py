"""An engine in a container: a step of the job, which srun starts through a plugin of SLURM's.

The helpers of the plugin fetch and unpack the image under the step's environment, and remove it afterwards. So that
environment holds what they need and nothing of the job; nor our mark, for whoever carries it is killed with the engine.
What the engine gets, `env` gives it inside: a word each, behind which nothing parses.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Iterator, Mapping

from bot.node import processes
from bot.node.engine import DEFAULT_PATH, Start
from bot.node.failures import Failed
from bot.node.jobfile import Container, Job

ENV = "/usr/bin/env"  # in the image
SCRATCH = "{scratch}"

_HANDED = (
    "PATH", "HOME",
    "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
)  # fmt: skip
_FAMILIES = ("SLURM_", "ENROOT_", "NVIDIA_", "MELLANOX_")
_WITHHELD = ("SLURM_EXPORT_ENV", "SLURM_GET_USER_ENV")  # of sbatch's --export=NONE
_CACHES = ("HF_HOME", "HF_HUB_CACHE")  # where the operator keeps models, mounted under the same path
# What an MPI in the image takes for an invitation to call srun, which is not there; what our Python sets for itself.
_NOT_HANDED_ON = (
    "SLURM_JOBID", "SLURM_NODELIST", "SLURM_NPROCS", "SLURM_NTASKS", "SLURM_TASKS_PER_NODE", "LC_CTYPE",
)  # fmt: skip


def contained(container: Container, inherited: Mapping[str, str], job: Job, mark: str, scratch: Path) -> Start:
    """The step, and behind it what sets the engine's environment. Raises Failed where there is no srun."""
    env = step_environment(inherited, scratch)
    if shutil.which(container.step[0], path=env["PATH"]) is None:
        raise Failed(f"no container can be started: {container.step[0]} is no program on this node")
    step = (word.replace(SCRATCH, str(scratch)) for word in container.step)
    caches = {name: inherited[name] for name in _CACHES if name in inherited}
    ours = {"HOME": container.folder, "TMPDIR": container.folder, processes.MARKER: mark}
    return Start((*step, ENV, *_taken(job), *_given({**caches, **job.engine.env, **ours})), env)


def step_environment(inherited: Mapping[str, str], scratch: Path) -> dict[str, str]:
    """For srun and for the helpers of its plugin, which put what they unpack on the way into TMPDIR."""
    env = {
        name: value
        for name, value in inherited.items()
        if name in _HANDED or (name.startswith(_FAMILIES) and name not in _WITHHELD)
    }
    env.setdefault("PATH", DEFAULT_PATH)
    env["TMPDIR"] = str(scratch)
    return env


def _taken(job: Job) -> Iterator[str]:
    for name in (*_NOT_HANDED_ON, *job.engine.unset):
        yield from ("-u", name)


def _given(env: Mapping[str, str]) -> Iterator[str]:
    return (f"{name}={value}" for name, value in env.items())
