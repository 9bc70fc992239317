"""SLURM itself: does it answer, is the partition there, does it have the GPUs, would it take a gate's job?"""

from collections.abc import Mapping

from bot.doctor.finding import Finding, bad, fine, unknown, warning
from bot.doctor.slurm.scene import Judge, Scene, words
from gatekit.cluster.slurm.site import parse_config, parse_nodes, parse_partitions

KILL_WAIT = 24  # seconds: a job cleans up in two thirds of it, and an engine may need 16 to end
_LIMITS = "correct partition, account, time_limit_minutes, gpus_per_node or options in the clusters file"


def tools(scene: Scene, check: str) -> Finding:
    lacks = scene.found.lacks
    if lacks:
        said = f"a command over SSH does not find {', '.join(lacks)}"
        return bad(check, said, "install them on the login node, or put them on the PATH in the account's .bashrc")
    return fine(check, "SLURM's commands and what our program needs beside them are on the PATH")


def controller(scene: Scene, check: str) -> Finding:
    queue, version = scene.said("queue"), scene.said("version")
    if queue is None or not queue.well:
        said = "squeue was not asked" if queue is None else f"squeue --me failed: {words(queue)}"
        return bad(check, said, "see to SLURM: squeue --me must answer on the login node")
    name = words(version) if version is not None and version.well else "SLURM"
    return fine(check, f"{name} answers; {len(queue.text.split())} jobs of {scene.found.user} in its queue")


def accounting(scene: Scene, check: str) -> Finding:
    said = scene.said("accounts")
    if said is not None and said.well:
        return fine(check, "answers")
    if said is not None and "accounting storage is disabled" in said.text:
        why = "is off: of a job that the queue has forgotten, only its files tell how it ended"
        return warning(check, why, "run slurmdbd where that can be had")
    return bad(check, f"sacct failed: {'it was not asked' if said is None else words(said)}", "see to slurmdbd")


def partition(scene: Scene, check: str) -> Finding:
    said = scene.said("partitions")
    if said is None:
        return scene.silent(check)
    if not said.well:
        return unknown(check, f"scontrol show partition failed: {words(said)}", "run it by hand on the login node")
    found, wanted = parse_partitions(said.text), scene.partitions
    missing = [name for name in wanted if name not in found]
    if missing:
        why = f"there is no partition {', '.join(missing)}, or {scene.found.user} may not see it"
        return bad(check, why, f"correct `partition`; there are {', '.join(sorted(found)) or 'none'}")
    down = [name for name in wanted if not found[name].up]
    if down:
        return bad(check, f"{', '.join(down)} takes no jobs now", "let the site open it, or correct `partition`")
    return fine(check, f"{', '.join(wanted)} is there, and takes jobs")


def gpus(scene: Scene, check: str) -> Finding:
    """The nodes of the partition; a job runs on one of them."""
    need, said = scene.slurm.gpus_per_node, scene.said("nodes")
    if need == 0:
        return fine(check, "none are asked for")
    if said is None:
        return scene.silent(check)
    if not said.well:
        return unknown(check, f"sinfo failed: {words(said)}", "run it by hand on the login node")
    nodes = [one for one in parse_nodes(said.text) if one.partition in scene.partitions]
    if not nodes:
        return unknown(check, f"see {scene.at}partition", f"mend {scene.at}partition")
    enough = [one for one in nodes if one.gpus >= need]
    if not enough:
        most = max((one.gpus for one in nodes), default=0)
        return bad(check, f"no node has {need}; the most is {most}", "correct `gpus_per_node` or `partition`")
    count, usable = sum(one.count for one in enough), sum(one.count for one in enough if one.usable)
    if not usable:
        why = f"none of the {count} nodes with {need} or more can be used now: they are down, drained or the like"
        return warning(check, why, f"see sinfo -R -p {scene.slurm.partition}")
    return fine(check, f"{usable} of {count} nodes with {need} or more can be used now")


def trial(scene: Scene, check: str) -> Finding:
    """SLURM's own word on the very options of a gate's job: `sbatch --test-only` submits nothing."""
    said = scene.said("trial")
    if said is None:
        return scene.silent(check)
    if not said.well:
        return bad(check, f"SLURM would not take a gate's job: {words(said)}", _LIMITS)
    return fine(check, f"SLURM would take a gate's job: {words(said)}")


def kill_wait(scene: Scene, check: str) -> Finding:
    said = scene.said("config")
    if said is None:
        return scene.silent(check)
    seconds = parse_config(said.text).get("KillWait", "").removesuffix(" sec")
    if not seconds.isdigit():
        return unknown(check, "scontrol show config names no KillWait", "look for it in slurm.conf")
    if int(seconds) < KILL_WAIT:
        why = f"{seconds} s: an engine that ends slowly is killed before its job has cleaned up after it"
        return warning(check, why, f"set KillWait to {KILL_WAIT} or more, or install the Epilog of docs/slurm.md")
    return fine(check, f"{seconds} s")


def epilog(scene: Scene, check: str) -> Finding:
    said = scene.said("config")
    if said is None:
        return scene.silent(check)
    if not said.well:
        return unknown(check, f"scontrol show config failed: {words(said)}", "look for Epilog in slurm.conf")
    config = parse_config(said.text)
    prolog = f"Prolog {config['Prolog']}: a node on which it fails is drained" if config.get("Prolog") else "no Prolog"
    if not config.get("Epilog"):
        why = f"none: what a killed job leaves on its node stays there; {prolog}"
        return warning(check, why, "install the Epilog of docs/slurm.md, or one that does the same")
    return fine(check, f"{config['Epilog']}: see that it does what that of docs/slurm.md does; {prolog}")


JUDGES: Mapping[str, Judge] = {
    "tools": tools,
    "controller": controller,
    "accounting": accounting,
    "partition": partition,
    "gpus": gpus,
    "trial": trial,
    "kill wait": kill_wait,
    "epilog": epilog,
}
