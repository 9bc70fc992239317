"""The way in: is the login node reached, what may the key do there, and are our programs in place?"""

import re
from dataclasses import dataclass

from bot.cluster.config import Slurm
from bot.cluster.executor import ClusterUnreachable
from bot.cluster.slurm.files import ClusterLayout, RemoteFiles
from bot.cluster.slurm.programs import shell_program
from bot.cluster.slurm.remote import let_in
from bot.cluster.slurm.setup import key_line, public_key
from bot.cluster.ssh.client import CommandOutput, Ssh
from bot.doctor.finding import Finding, bad, fine, refused, warning
from gatekit.formats.redact import one_line

SSH, DOOR, PROGRAMS = "ssh", "key", "programs"
SECONDS = 60.0  # for one command
WORD = "gatekit-asks"
_THROUGH = re.compile(r"[A-Za-z0-9=,:._/@+-]+")  # as door.sh has it
_SSH_MEND = "check host, port, user, key_file, known_hosts_file and jump of the cluster, and the network"


@dataclass(frozen=True, slots=True)
class Way:
    """How one cluster is reached, and where our programs lie on it."""

    name: str
    slurm: Slurm
    layout: ClusterLayout
    ssh: Ssh

    @property
    def at(self) -> str:
        return f"cluster {self.name}: "

    @property
    def remote(self) -> str:
        return f"{self.layout.programs}/{shell_program('remote').name}"

    @property
    def door(self) -> str:
        return f"{self.layout.programs}/{shell_program('door').name}"

    @property
    def set_up(self) -> str:
        return f"gatekit cluster setup {self.name}"


async def check_way(way: Way) -> tuple[Finding, ...]:
    """Until the first that is in the way of all that follows."""
    try:
        answer = await way.ssh.run(("echo", WORD), seconds=SECONDS)
    except ClusterUnreachable as error:
        return (refused(f"{way.at}{SSH}", error, _SSH_MEND),)
    found = (fine(f"{way.at}{SSH}", f"{way.slurm.user}@{way.slurm.host}:{way.slurm.port}"), judge_key(way, answer))
    return found if found[-1].ok is False else (*found, await _programs(way))


def judge_key(way: Way, answer: CommandOutput) -> Finding:
    """`answer`: to `echo WORD`, which a shell runs and our door does not."""
    check = f"{way.at}{DOOR}"
    if answer.status == 0 and WORD in answer.output.decode(errors="replace").split():
        line = key_line(way.door, way.remote, public_key(way.slurm.key_file))
        advice = f"run {way.set_up}, then write as the only line into the authorized_keys of {way.slurm.user}: {line}"
        return warning(check, "has a full shell there: who steals it can do whatever the account can", advice)
    program = let_in(answer)
    if program is None:
        advice = (
            f"take command=… out of its line in authorized_keys, run {way.set_up}, and write the line that it prints"
        )
        return bad(check, f"runs neither a command nor our program: {_words(answer)}", advice)
    if program != way.remote:
        advice = f"run {way.set_up}, and put the line that it prints in place of the old one in authorized_keys"
        return bad(check, f"runs {program} only, which is not the program of this version", advice)
    odd = [option for option in way.slurm.options if not _THROUGH.fullmatch(option)]
    if odd:
        advice = "write them in letters, digits and =,:._/@+- only, or give the key a shell"
        return bad(check, f"its door does not let these `options` through: {' '.join(odd)}", advice)
    return fine(check, "runs nothing but our program and file transfer")


async def _programs(way: Way) -> Finding:
    check, files = f"{way.at}{PROGRAMS}", RemoteFiles(way.ssh)
    try:
        size = await files.size(way.remote)
    except ClusterUnreachable as error:
        return refused(check, error, "see that sshd offers file transfer, and that the account may use it")
    if size is None:
        return bad(check, f"{way.remote} is not there yet", f"run {way.set_up}")
    whole = len(shell_program("remote").data)
    if size != whole:
        return bad(check, f"{way.remote} has {size:,} bytes instead of {whole:,}", f"remove it, then {way.set_up}")
    return fine(check, way.remote)


def _words(answer: CommandOutput) -> str:
    return one_line(answer.errors.decode(errors="replace")) or f"exit status {answer.status}"
