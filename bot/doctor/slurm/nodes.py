"""What a job needs on a compute node, as far as a login node can tell; and the two clocks."""

import re
from collections.abc import Mapping

from bot.doctor.finding import Finding, bad, fine, unknown, unseen, warning
from bot.doctor.slurm.scene import Judge, Scene, is_own
from gatekit.cluster.slurm.probe import Program
from gatekit.cluster.slurm.site import parse_config, parse_nodes

OLDEST = (3, 9)
CLOCK_SECONDS = 30.0
SCRATCH_MB = 4096  # a job's home: caches of an engine, what aiperf exports
_PYTHON = re.compile(r"python(3)\.([0-9]+)$")


def engine_judge(engine: str) -> Judge:
    """Of one engine's command."""

    def judge(scene: Scene, check: str) -> Finding:
        command = scene.entry.cluster.engines[engine]
        if scene.entry.cluster.container:
            return fine(check, f"{' '.join(command)}, in the image of its recipe")
        found = scene.found.programs.get(engine)
        there = found is not None and found.path is not None
        if found is not None and not is_own(found.system) and command[0].startswith("/"):
            if there:
                return fine(check, " ".join(command))
            return bad(check, f"{command[0]} is no program", "install it there, or correct the command")
        seen = f"the login node has {found.path}" if found and found.path else f"the login node has no {command[0]}"
        why = f"{seen}, and the compute nodes cannot be asked from there"
        return unseen(check, why, scene.on_a_node(f"sh -c 'command -v {command[0]}'"))

    return judge


def container(scene: Scene, check: str) -> Finding:
    """Its batch script starts them, on a compute node; mostly the nodes have the same plugins as the login node."""
    wanted = scene.entry.cluster.container
    if not wanted:
        return fine(check, "none: engines are installed on the nodes")
    if scene.found.containers == wanted:
        return fine(check, f"srun of the login node knows {wanted}")
    why = (
        f"srun of the login node knows no --container-image, so {wanted} is not there; the compute nodes were not asked"
    )
    return unseen(check, why, scene.on_a_node("sh -c 'srun --help | grep -e --container-image'"))


def python(scene: Scene, check: str) -> Finding:
    """Its version is read from the name behind all links, e.g. /usr/bin/python3.11."""
    found, word = scene.found.programs.get("python"), scene.slurm.python
    named = _PYTHON.search(found.real) if found else None
    version = (int(named[1]), int(named[2])) if named else None
    if found is not None and version is not None and not is_own(found.system):
        return _python(check, found, version)
    if version is not None and found is not None:
        seen = f"the login node has Python {version[0]}.{version[1]} at {found.path}"
    else:
        seen = f"the login node has {found.path}" if found and found.path else f"the login node has no {word}"
    why = f"{seen}, and the compute nodes cannot be asked from there; they need {OLDEST[0]}.{OLDEST[1]} or later"
    return unseen(check, why, scene.on_a_node(f"{word} --version"))


def _python(check: str, found: Program, version: tuple[int, int]) -> Finding:
    said = f"{found.path} is {version[0]}.{version[1]}"
    if version < OLDEST:
        return bad(check, said, f"name Python {OLDEST[0]}.{OLDEST[1]} or later as `python`")
    return fine(check, said)


def scratch(scene: Scene, check: str) -> Finding:
    """SLURM may know how large the disk for temporary files is; how full it is nobody can tell from here."""
    folder, said, config = scene.slurm.scratch, scene.said("nodes"), scene.said("config")
    place = parse_config(config.text).get("TmpFS", "/tmp") if config is not None else "/tmp"
    rows = parse_nodes(said.text) if said is not None else ()
    disks = [one.disk for one in rows if one.partition in scene.partitions and one.disk > 0]
    look = scene.on_a_node(f"df -h {folder}")
    if not disks or not f"{folder}/".startswith(f"{place.rstrip('/')}/"):
        return unseen(check, f"{folder} lies on the compute nodes, and SLURM does not say how much room it has", look)
    if min(disks) < SCRATCH_MB:
        why = f"SLURM says that {place} has {min(disks)} MB on a node, and a gate may need {SCRATCH_MB}"
        return warning(check, why, "name a larger folder as `scratch`")
    return unseen(check, f"how much of {folder} is free on the nodes; in all it has {min(disks)} MB, SLURM says", look)


def clock(scene: Scene, check: str) -> Finding:
    """The question was sent before the cluster's first look at its clock, and answered after its last one."""
    if len(scene.found.clocks) != 2:
        return unknown(check, "the login node did not say what time it is", "run date there by hand")
    (sent, answered), (first, last) = scene.between, scene.found.clocks
    low, high = last - answered, first - sent  # seconds that the cluster is ahead: between the two
    middle, wide = (low + high) / 2, (high - low) / 2
    said = f"{abs(middle):.1f} s {'ahead of' if middle > 0 else 'behind'} this machine's, give or take {wide:.1f}"
    if low > CLOCK_SECONDS or high < -CLOCK_SECONDS:
        return warning(check, said, "let both follow a time server: what the logs say will not fit together")
    if max(abs(low), abs(high)) > CLOCK_SECONDS:
        return unknown(check, said, "run it again")
    return fine(check, said)


JUDGES: Mapping[str, Judge] = {"container": container, "python": python, "scratch": scratch, "clock": clock}
