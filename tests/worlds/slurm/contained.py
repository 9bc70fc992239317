"""Jobs whose engine runs in a container, and what the stand-in for pyxis wrote down of it."""

import pwd
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bot.cluster.node_program import build_node
from bot.demo import prompts
from gatekit.cluster.job import container_of
from gatekit.cluster.policy import Policy
from tests.worlds.slurm import daemons
from tests.worlds.slurm.conf import Place
from tests.worlds.slurm.world import Drill, SlurmWorld

IMAGE = "registry.example.org/acme/vllm:v0.20"


@dataclass(frozen=True)
class Step:
    """What slurmstepd had of a step, before the container."""

    options: Mapping[str, str]
    env: Mapping[str, str]
    argv: tuple[str, ...]


def read_step(place: Place, job: int, step: int = 0) -> Step:
    records = (place.containers / f"{job}.{step}").read_text().split("\0")[:-1]
    kinds: dict[str, list[str]] = {"O": [], "E": [], "A": []}
    for record in records:
        kinds[record[0]].append(record[2:])
    options, env = (dict(pair.split("=", 1) for pair in kinds[kind]) for kind in "OE")
    return Step(options, env, tuple(kinds["A"]))


def removed(place: Place, job: int, step: int = 0) -> bool:
    """Whether the helper that removes what was unpacked came to its end."""
    return (place.containers / f"{job}.{step}.removed").exists()


def programs(place: Place) -> list[str]:
    """What the account runs on the nodes, beside its ssh sessions."""
    uid, found = pwd.getpwnam(place.user).pw_uid, []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            name = (entry / "comm").read_text().strip() if entry.stat().st_uid == uid else "sshd"
        except OSError:
            continue
        if name != "sshd" and daemons.is_living(int(entry.name)):
            found.append(name)
    return found


def contained(world: SlurmWorld, folder: Path, *command: str) -> Drill:
    """An attempt of the real node program, whose engine is this command in a container and never answers."""
    drill = world.drill(executor=world.executor(node=build_node(folder)))
    replay = replace(drill.job.replay, prompts=str(prompts.FILE), count=1)
    engine = replace(drill.job.engine, command=command, container=container_of(IMAGE, Policy((), ()), 1))
    drill.job = replace(drill.job, engine=engine, replay=replay)
    return drill
