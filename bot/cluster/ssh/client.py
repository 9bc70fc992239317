"""Commands and files on a login node over one SSH connection that mends itself.

A cut connection means that nothing is known: whatever was asked for may have happened, in part or as a whole.
"""

import asyncio
import logging
import shlex
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import asyncssh
from asyncssh.constants import OPEN_REQUEST_SESSION_FAILED

from bot.cluster.executor import ClusterUnreachable
from bot.cluster.ssh.connection import Address, CannotConnect, Connected, Timing, connect

log = logging.getLogger(__name__)

COMMANDS = 5  # at once; with the one channel for files six, and sshd allows ten by default
OPEN_TRIES = 6  # sshd frees a channel a moment after we saw its end
OUTPUT_BYTES = 8 << 20
ERROR_BYTES = 64 << 10

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """What a command that came to its end said. `status` is -1 where a signal ended it."""

    status: int
    output: bytes
    errors: bytes


class Ssh:
    """Every method raises ClusterUnreachable where no whole answer came."""

    def __init__(self, address: Address, timing: Timing | None = None) -> None:
        self._address = address
        self._timing = timing or Timing()
        self._flight = asyncio.Lock()  # one attempt to connect at a time
        self._commands = asyncio.Semaphore(COMMANDS)
        self._connected: Connected | None = None
        self._sftp: asyncssh.SFTPClient | None = None
        self._failures = 0  # in a row
        self._silent_until = 0.0  # in loop time
        self._problem = ""

    async def run(self, words: Sequence[str], data: bytes = b"", *, seconds: float) -> CommandOutput:
        """Runs a command with `data` as its input. The words reach it as they are."""
        command = " ".join(map(shlex.quote, words))

        async def once(connected: Connected) -> CommandOutput:
            return await _run(connected.last, command, data)

        async with self._commands:
            return await self._try(once, seconds)

    async def files(self, work: Callable[[asyncssh.SFTPClient], Awaitable[T]], *, seconds: float) -> T:
        """Does some work with files. An SFTPError that speaks of a file gets through; it may be caught inside, too."""

        async def once(connected: Connected) -> T:
            return await work(await self._file_client(connected))

        return await self._try(once, seconds)

    async def close(self) -> None:
        async with self._flight:
            await self._drop()

    async def _try(self, once: Callable[[Connected], Awaitable[T]], seconds: float) -> T:
        for turn in range(OPEN_TRIES):
            connected = await self._connection()
            try:
                async with asyncio.timeout(seconds):
                    answer = await once(connected)
                self._failures = 0
                return answer
            except asyncssh.ChannelOpenError as error:  # nothing was started, so it may be tried again
                if connected.is_closed():  # it was cut while nobody looked
                    await self._cut(connected, error)
                    continue
                log.info("%s refused a channel, it is asked for again: %s", self._address, error.reason)
            except (asyncssh.DisconnectError, asyncssh.SFTPConnectionLost, asyncssh.SFTPNoConnection) as error:
                raise await self._cut(connected, error) from error
            except TimeoutError as error:
                await self._forget_files()
                raise ClusterUnreachable(f"{self._address} did not answer within {seconds:g} s") from error
            except ConnectionError as error:
                raise await self._cut(connected, error) from error
            await asyncio.sleep(0.05 * 2**turn)
        raise ClusterUnreachable(f"{self._address} opens no more channels: raise MaxSessions of its sshd")

    async def _connection(self) -> Connected:
        async with self._flight:
            if self._connected is not None and not self._connected.is_closed():
                return self._connected
            await self._drop()
            loop = asyncio.get_running_loop()
            if loop.time() < self._silent_until:
                left = self._silent_until - loop.time()
                raise ClusterUnreachable(f"{self._problem} (asked again in {left:.0f} s)")
            try:
                self._connected = await connect(self._address, self._timing)
            except CannotConnect as error:
                self._pause(str(error), lasting=error.lasting)
                raise ClusterUnreachable(str(error)) from error
            return self._connected

    async def _file_client(self, connected: Connected) -> asyncssh.SFTPClient:
        async with self._flight:
            if self._sftp is None:
                self._sftp = await self._start_files(connected)
            return self._sftp

    async def _start_files(self, connected: Connected) -> asyncssh.SFTPClient:
        try:
            return await connected.last.start_sftp_client()
        except asyncssh.ChannelOpenError as error:
            if error.code != OPEN_REQUEST_SESSION_FAILED or connected.is_closed():
                raise
            advice = "let its sshd have the line Subsystem sftp internal-sftp"
            raise ClusterUnreachable(f"{self._address} offers no file transfer: {advice}") from error

    async def _cut(self, connected: Connected, error: Exception) -> ClusterUnreachable:
        problem = f"the connection to {self._address} was cut: {str(error) or type(error).__name__}"
        async with self._flight:
            if self._connected is connected:  # whoever sees it first
                await self._drop()
                self._pause(problem, lasting=False)
        return ClusterUnreachable(problem)

    async def _forget_files(self) -> None:
        """A file server that hangs is left behind."""
        if self._sftp is not None:
            self._sftp.exit()
            self._sftp = None

    async def _drop(self) -> None:
        connected, self._connected, self._sftp = self._connected, None, None
        if connected is not None:
            await connected.close()

    def _pause(self, problem: str, *, lasting: bool) -> None:
        timing = self._timing
        doubled = timing.first_pause * 2 ** min(self._failures, 16) / 2
        growing = min(timing.longest_pause, doubled) if self._failures else 0.0
        self._failures += 1
        self._silent_until = asyncio.get_running_loop().time() + (timing.lasting_pause if lasting else growing)
        self._problem = problem


async def _run(connection: asyncssh.SSHClientConnection, command: str, data: bytes) -> CommandOutput:
    process = await connection.create_process(command, encoding=None)
    try:
        output, errors, _ = await asyncio.gather(
            _read(process.stdout, OUTPUT_BYTES), _read(process.stderr, ERROR_BYTES), _feed(process.stdin, data)
        )
        await process.wait_closed()
        status = process.exit_status
    finally:
        process.close()
    if status is None:
        raise asyncssh.ConnectionLost("in the middle of a command")
    return CommandOutput(status, output, errors)


async def _read(reader: asyncssh.SSHReader[bytes], limit: int) -> bytes:
    parts, size = [], 0
    while part := await reader.read(1 << 16):
        size += len(part)
        if size > limit:
            raise ClusterUnreachable(f"a command on the cluster said more than {limit:,} bytes")
        parts.append(part)
    return b"".join(parts)


async def _feed(writer: asyncssh.SSHWriter[bytes], data: bytes) -> None:
    """A command that does not read to the end still has its say."""
    try:
        writer.write(data)
        await writer.drain()
        writer.write_eof()
    except (BrokenPipeError, ConnectionResetError):
        return
