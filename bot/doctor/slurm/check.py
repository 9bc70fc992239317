"""All checks of one SLURM cluster: first the way in, then one question to our program there, whose answer is judged."""

import time
from collections.abc import Iterator, Mapping

from bot.cluster.config import ClusterEntry, Slurm
from bot.cluster.executor import ClusterUnreachable
from bot.cluster.slurm.files import ClusterLayout
from bot.cluster.slurm.remote import lines_of
from bot.cluster.ssh.client import Ssh
from bot.cluster.ssh.connection import Timing
from bot.cluster.start import address_of, request_of
from bot.doctor.finding import Finding, fine, refused, unknown
from bot.doctor.slurm import files, limits, nodes, queue
from bot.doctor.slurm.door import DOOR, PROGRAMS, SSH, Way, check_way
from bot.doctor.slurm.scene import Judge, Scene
from gatekit.cluster.slurm.probe import parse_check
from gatekit.cluster.slurm.script import sbatch_options

SECONDS = 300.0  # for the whole question: each of its commands has 20
HASTY = Timing(connect=10.0)


async def check_slurm(entry: ClusterEntry, slurm: Slurm) -> tuple[Finding, ...]:
    """One finding for each check, whether the cluster answers or not."""
    way = Way(entry.cluster.name, slurm, ClusterLayout(entry.root), Ssh(address_of(slurm), HASTY))
    executor = fine(f"{way.at}executor", f"slurm, partition {slurm.partition}, account {slurm.account}")
    try:
        found = await check_way(way)
        if found[-1].ok is True:
            found = await _asked(way, entry, found)
    finally:
        await way.ssh.close()
    return (executor, *found, *_unasked(way, entry, found))


async def _asked(way: Way, entry: ClusterEntry, found: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """`found`: of the way in. Where the program gives no answer, its own finding says so."""
    words = ("sh", way.remote, "check", entry.root, *sbatch_options(request_of(way.slurm)))
    before = time.time()
    try:
        lines = lines_of(await way.ssh.run(words, question(entry, way.slurm), seconds=SECONDS), way.remote)
    except ClusterUnreachable as error:
        return (*found[:-1], refused(found[-1].check, error, f"run {way.set_up}"))
    scene = Scene(way.at, entry, way.slurm, parse_check(lines), (before, time.time()))
    return (*found, *(judge(scene, f"{way.at}{name}") for name, judge in _judges(entry).items()))


def question(entry: ClusterEntry, slurm: Slurm) -> bytes:
    """What is looked for on the login node, one a line."""
    cluster = entry.cluster
    lines = [f"program python {slurm.python}", f"program aiperf {cluster.aiperf[0]}", f"file prompts {cluster.prompts}"]
    lines += [f"folder tokenizer {cluster.tokenizer}"] if cluster.tokenizer else []
    lines += [f"program {engine} {words[0]}" for engine, words in cluster.engines.items()]
    return "".join(f"{line}\n" for line in lines).encode()


def _judges(entry: ClusterEntry) -> Mapping[str, Judge]:
    """By the name of the check."""
    engines = {engine: nodes.engine_judge(engine) for engine in entry.cluster.engines}
    return {**queue.JUDGES, **limits.JUDGES, **files.JUDGES, **engines, **nodes.JUDGES}


def _unasked(way: Way, entry: ClusterEntry, found: tuple[Finding, ...]) -> Iterator[Finding]:
    """All that could not be found out because of the last of `found`."""
    asked, cause = {each.check for each in found}, found[-1].check
    for name in (SSH, DOOR, PROGRAMS, *_judges(entry)):
        check = f"{way.at}{name}"
        if check not in asked:
            yield unknown(check, f"see {cause}", f"mend {cause}")
