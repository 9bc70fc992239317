"""Files on the cluster over SFTP. What a job wrote is foreign: no links, plain files only, never more than a bound."""

import secrets
import stat
from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

import asyncssh

from bot.cluster.executor import ClusterUnreachable
from bot.cluster.ssh.client import Ssh

SECONDS = 120.0  # for one piece of work; a whole fetch has several
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600

_MISSING = (asyncssh.SFTPNoSuchFile, asyncssh.SFTPNoSuchPath)

T = TypeVar("T")


class RemoteFiles:
    """Every method raises ClusterUnreachable where the cluster gave no answer, or did not let us."""

    def __init__(self, ssh: Ssh) -> None:
        self._ssh = ssh

    async def size(self, path: str) -> int | None:
        """Of a plain file; None: there is none."""
        return await self._do(path, lambda client: _size(client, path))

    async def make_folder(self, path: str) -> None:
        """With its parents; for our account only."""
        attributes = asyncssh.SFTPAttrs(permissions=PRIVATE_FOLDER)
        await self._do(path, lambda client: client.makedirs(path, attributes, exist_ok=True))

    async def place(self, path: str, data: bytes, mode: int = PRIVATE_FILE) -> None:
        """The whole file or none: it is written under another name, then renamed."""
        folder, _, name = path.rpartition("/")
        new = f"{folder}/.{name}.{secrets.token_hex(4)}"

        async def write(client: asyncssh.SFTPClient) -> None:
            try:
                async with client.open(new, "xb", asyncssh.SFTPAttrs(permissions=mode)) as file:
                    await file.write(data)
                if await _size(client, new) != len(data):
                    raise asyncssh.SFTPFailure("it came short")
                await client.posix_rename(new, path)
            except asyncssh.SFTPError:
                await _remove(client, new)
                raise

        await self._do(path, write)

    async def read(self, path: str, limit: int) -> str | None:
        """A file as text. None: it is not there, no plain file, or longer than `limit` bytes."""

        async def work(client: asyncssh.SFTPClient) -> str | None:
            size = await _size(client, path)
            if size is None or size > limit:
                return None
            data = await _read(client, path, 0, limit + 1)
            return None if len(data) > limit else data.decode(errors="replace")

        return await self._do(path, work)

    async def tail(self, path: str, limit: int) -> str | None:
        """The last `limit` bytes of a log, from the beginning of a line."""

        async def work(client: asyncssh.SFTPClient) -> str | None:
            size = await _size(client, path)
            if size is None:
                return None
            text = (await _read(client, path, max(0, size - limit), limit)).decode(errors="replace")
            return text if size <= limit else text.partition("\n")[2]

        return await self._do(path, work)

    async def _do(self, path: str, work: Callable[[asyncssh.SFTPClient], Awaitable[T]]) -> T:
        try:
            return await self._ssh.files(work, seconds=SECONDS)
        except asyncssh.SFTPError as error:
            problem = "is the disk full?" if isinstance(error, asyncssh.SFTPFailure) else "mend its folder"
            raise ClusterUnreachable(f"{path} on the cluster: {error.reason}; {problem}") from error


async def _size(client: asyncssh.SFTPClient, path: str) -> int | None:
    try:
        found = await client.lstat(path)
    except _MISSING:
        return None
    return found.size if found.permissions is not None and stat.S_ISREG(found.permissions) else None


async def _read(client: asyncssh.SFTPClient, path: str, offset: int, size: int) -> bytes:
    try:
        async with client.open(path, "rb", encoding=None) as file:
            return cast(bytes, await file.read(size, offset))
    except _MISSING:
        return b""


async def _remove(client: asyncssh.SFTPClient, path: str) -> None:
    try:
        await client.remove(path)
    except asyncssh.SFTPError:
        return  # it was never there, or the folder is out of reach as well
