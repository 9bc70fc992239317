"""The two programs that the cluster must have, each under its digest: so none is ever replaced while it runs."""

import asyncio
import hashlib
from dataclasses import dataclass
from importlib.resources import files

import bot.cluster.remote
from bot.cluster.node_program import NodeProgram
from bot.cluster.slurm.files import ClusterLayout, RemoteFiles

RUNNABLE = 0o700


@dataclass(frozen=True, slots=True)
class Text:
    """A shell program of ours. `name` carries its digest."""

    name: str
    data: bytes


_PARTS = {"remote": ("remote", "tidy", "check", "verbs"), "door": ("door",)}


def shell_program(stem: str) -> Text:
    """`remote`: what the bot runs on the login node. `door`: the only command that a restricted key may run."""
    data = b"\n".join(files(bot.cluster.remote).joinpath(f"{part}.sh").read_bytes() for part in _PARTS[stem])
    return Text(f"{stem}-{hashlib.sha256(data).hexdigest()}.sh", data)


class Programs:
    """Puts the programs in place where they are not. Their paths hold as soon as the object is made."""

    def __init__(self, layout: ClusterLayout, files: RemoteFiles, node: NodeProgram) -> None:
        self._layout = layout
        self._files = files
        self._node = node
        self._remote = shell_program("remote")
        self._flight = asyncio.Lock()
        self._there = False

    @property
    def node(self) -> str:
        return f"{self._layout.programs}/{self._node.path.name}"

    @property
    def remote(self) -> str:
        return f"{self._layout.programs}/{self._remote.name}"

    def doubt(self) -> None:
        """Somebody may have removed them: look again."""
        self._there = False

    async def put(self) -> None:
        async with self._flight:
            if self._there:
                return
            await self._files.make_folder(self._layout.programs)
            await self._files.make_folder(self._layout.runs)
            await self.put_file(self.node, await asyncio.to_thread(self._node.path.read_bytes))
            await self.put_file(self.remote, self._remote.data)
            self._there = True

    async def put_file(self, path: str, data: bytes) -> None:
        if await self._files.size(path) != len(data):
            await self._files.place(path, data, RUNNABLE)
