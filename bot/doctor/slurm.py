"""A SLURM cluster, looked at over SSH from its login node. Nothing is written there."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bot.cluster.clusters import ClusterEntry, Slurm
from bot.cluster.executor import ClusterUnreachable
from bot.cluster.ssh import Answer, Ssh
from bot.cluster.ssh_connecting import Timing
from bot.cluster.start import address_of
from bot.doctor.finding import Finding, bad, fine, refused, unknown
from bot.doctor.local import AIPERF_MEND, NO_TOKENIZER, PROMPTS_MEND, TOKENIZER_MEND, aiperf_version
from gatekit.redact import one_line

SECONDS = 60.0  # for one command
HASTY = Timing(connect=10.0)
_SSH_MEND = "check host, port, user, key_file, known_hosts_file and jump of the cluster, and the network"

# In both, $1 is what is looked for.
_QUEUE = 'squeue --noheader --me >/dev/null && sacct --version && sinfo --noheader --partition="$1" --format="has %R"'
_ROOT = 'while [ ! -e "$1" ]; do set -- "$(dirname -- "$1")"; done; test -d "$1" && test -w "$1"'
_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")  # a login shell may say things of its own before


@dataclass(frozen=True, slots=True)
class _Probe:
    """A command for the login node, and what its answer means."""

    check: str
    words: tuple[str, ...]
    read: Callable[[str, Answer], Finding]


async def check_slurm(entry: ClusterEntry, slurm: Slurm) -> tuple[Finding, ...]:
    """One finding for each check, whether the cluster answers or not."""
    at = f"cluster {entry.cluster.name}: "
    ssh, door = Ssh(address_of(slurm), HASTY), f"{at}ssh"
    found = [_executor(f"{at}executor", slurm)]
    try:
        answer = await ssh.run(("true",), seconds=SECONDS)
        found.append(_door(door, answer, slurm))
        for probe in _probes(at, entry, slurm):
            found.append(probe.read(probe.check, await ssh.run(probe.words, seconds=SECONDS)))
    except ClusterUnreachable as error:
        asked = {each.check for each in found}
        late = [check for check in (door, *(p.check for p in _probes(at, entry, slurm))) if check not in asked]
        found.append(refused(late[0], error, _SSH_MEND))
        found += [unknown(check, f"see {late[0]}", f"mend {late[0]}") for check in late[1:]]
    finally:
        await ssh.close()
    return (*found, *_unasked(at, entry))


def _probes(at: str, entry: ClusterEntry, slurm: Slurm) -> Iterator[_Probe]:
    cluster = entry.cluster
    yield _Probe(
        f"{at}slurm", ("sh", "-c", _QUEUE, "sh", slurm.partition), lambda check, said: _queue(check, said, slurm)
    )
    yield _Probe(f"{at}root", ("sh", "-c", _ROOT, "sh", entry.root), lambda check, said: _root(check, said, entry.root))
    yield _Probe(f"{at}aiperf", (*cluster.aiperf, "--version"), _aiperf)
    yield _Probe(f"{at}prompts", ("sha256sum", "--", cluster.prompts), _prompts)
    if cluster.tokenizer is not None:
        yield _Probe(f"{at}tokenizer", ("test", "-d", cluster.tokenizer), _tokenizer)


def _unasked(at: str, entry: ClusterEntry) -> Iterator[Finding]:
    if entry.cluster.tokenizer is None:
        yield fine(f"{at}tokenizer", NO_TOKENIZER)
    for engine, words in entry.cluster.engines.items():
        yield fine(
            f"{at}{engine}", f"{' '.join(words)}: not looked for, since the compute nodes are not the login node"
        )


def _executor(check: str, slurm: Slurm) -> Finding:
    return fine(check, f"slurm, partition {slurm.partition}, account {slurm.account}")


def _door(check: str, said: Answer, slurm: Slurm) -> Finding:
    if said.status != 0:
        return bad(check, f"{address_of(slurm)} runs no commands: {_words(said)}", "give the account a login shell")
    return fine(check, str(address_of(slurm)))


def _queue(check: str, said: Answer, slurm: Slurm) -> Finding:
    if said.status != 0:
        return bad(check, f"squeue, sacct or sinfo failed: {_words(said)}", "see to SLURM's commands on the login node")
    version = re.search(r"\bslurm\S* [0-9]\S*", _text(said))
    if f"has {slurm.partition}" not in _text(said).splitlines():
        return bad(check, f"there is no partition {slurm.partition}", "correct `partition`")
    return fine(check, version[0] if version else "answers")


def _root(check: str, said: Answer, root: str) -> Finding:
    if said.status != 0:
        return bad(check, f"{root} is no folder that can be written to", "correct `root`, or its owner")
    return fine(check, root)


def _aiperf(check: str, said: Answer) -> Finding:
    if said.status != 0:
        return bad(check, f"aiperf --version failed: {_words(said)}", AIPERF_MEND)
    return aiperf_version(check, _text(said))


def _prompts(check: str, said: Answer) -> Finding:
    digest = _DIGEST.search(_text(said))
    if said.status != 0 or digest is None:
        return bad(check, f"cannot be read: {_words(said)}", PROMPTS_MEND)
    return fine(check, f"sha256 {digest[0]}")


def _tokenizer(check: str, said: Answer) -> Finding:
    return bad(check, "is no folder there", TOKENIZER_MEND) if said.status != 0 else fine(check, "is there")


def _text(said: Answer) -> str:
    return said.output.decode(errors="replace")


def _words(said: Answer) -> str:
    return one_line(said.errors.decode(errors="replace")) or f"exit status {said.status}"
