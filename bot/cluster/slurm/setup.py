"""Makes a cluster ready for the bot: folders, programs, and the line that lets the bot's key do nothing else."""

from dataclasses import dataclass

import asyncssh

from bot.cluster.node_program import NodeProgram
from bot.cluster.slurm.files import ClusterLayout, RemoteFiles
from bot.cluster.slurm.programs import Programs, shell_program
from bot.cluster.slurm.remote import KeyBarred, Remote
from bot.cluster.ssh.client import Ssh


@dataclass(frozen=True, slots=True)
class Ready:
    """Paths on the cluster, and how many jobs its account has in the queue; None: the key may not ask yet, since the
    door of an earlier version lets in that version's program only.
    """

    node: str
    remote: str
    door: str
    jobs: int | None

    def authorized_keys(self, public_key: str) -> str:
        return key_line(self.door, self.remote, public_key)


def key_line(door: str, remote: str, public_key: str) -> str:
    """The account's line for the bot's key: no shell, no forwarding, nothing but our program and files."""
    return f'restrict,command="sh {door} {remote}" {public_key}'


async def set_up(ssh: Ssh, layout: ClusterLayout, node: NodeProgram) -> Ready:
    """Raises ClusterUnreachable. May be done again at any time."""
    files = RemoteFiles(ssh)
    programs = Programs(layout, files, node)
    await programs.put()
    door = shell_program("door")
    path = f"{layout.programs}/{door.name}"
    await programs.put_file(path, door.data)
    try:
        jobs = len((await Remote(ssh, programs, layout).look(())).queue)
    except KeyBarred:
        jobs = None
    return Ready(programs.node, programs.remote, path, jobs)


def public_key(key_file: str) -> str:
    """The public half of the bot's key, as authorized_keys has it. Raises OSError or KeyImportError."""
    return asyncssh.read_private_key(key_file).export_public_key().decode().strip()
