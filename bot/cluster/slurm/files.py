"""Files on the cluster over SFTP, where they lie, and how long a silence may last. What a job wrote is foreign."""

import secrets
import stat
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar, cast

import asyncssh

from bot.cluster.executor import ClusterUnreachable
from bot.cluster.ssh.client import Ssh
from gatekit.domain.ids import JobName, is_job_name

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


@dataclass(frozen=True, slots=True)
class SlurmPatience:
    """Seconds, but `absent_looks`."""

    absent_looks: int = 3  # in a row, by a controller that answers
    absent: float = 60.0  # between the first and the last of them
    settle: float = 30.0  # from the end of a job until its files must be visible through the shared file system
    resubmit: float = 3.0  # between two looks for a submission whose answer was lost
    cancel: float = 6.0  # for one call; what is not gone by then is looked for in the next one
    between: float = 0.5  # the first two looks of one cancel; doubles


class Memory:
    """Since when something has been so, and how often it was seen. To forget it costs nothing but time."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._seen: dict[str, tuple[float, int]] = {}

    def again(self, name: str) -> tuple[float, int]:
        """Seconds since the first time, and the number of times with this one."""
        since, times = self._seen.get(name, (self._now(), 0))
        self._seen[name] = (since, times + 1)
        return self._now() - since, times + 1

    def forget(self, name: str) -> None:
        self._seen.pop(name, None)


@dataclass(frozen=True, slots=True)
class ClusterLayout:
    root: str

    @property
    def programs(self) -> str:
        return f"{self.root}/bin"

    @property
    def runs(self) -> str:
        return f"{self.root}/runs"

    def run(self, name: JobName) -> str:
        """The run folder of an attempt. Raises ValueError for a name that is none."""
        if not is_job_name(name):
            raise ValueError(f"{name!r} is no job name")
        return f"{self.runs}/{name}"

    def own(self, name: JobName) -> str:
        """What we and the batch script keep of the attempt beside the node program's files."""
        return f"{self.run(name)}/slurm"
