"""A cable between the bot and the cluster that can be cut at any instant."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from bot.cluster.ssh.connection import Address


@dataclass
class Cable:
    address: Address  # of its near end
    writers: list[asyncio.StreamWriter] = field(default_factory=list)
    broken: bool = False  # new connections break as well
    carried: int = 0  # bytes, both ways
    plugged: int = 0  # connections that were asked for

    def cut(self) -> None:
        """Whatever is under way is lost; a new connection gets through."""
        while self.writers:
            transport = self.writers.pop().transport
            transport.abort()


@contextlib.asynccontextmanager
async def cable_to(far: Address, folder: Path) -> AsyncIterator[Cable]:
    """`folder`: where the known_hosts file for the near end goes."""
    tasks: set[asyncio.Task[None]] = set()

    async def plug(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        cable.plugged += 1
        if cable.broken:
            writer.transport.abort()
            return
        there, back = await asyncio.open_connection(far.host, far.port)
        cable.writers += [writer, back]
        for source, target in ((reader, back), (there, writer)):
            task = asyncio.create_task(_carry(cable, source, target))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(plug, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    cable = Cable(replace(far, port=port, known_hosts_file=known_hosts(far, port, folder)))
    try:
        yield cable
    finally:
        server.close()
        cable.cut()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


def known_hosts(far: Address, port: int, folder: Path) -> str:
    """A file that has the far end's keys under another port."""
    path = folder / f"known_hosts-{port}"
    path.write_text(Path(far.known_hosts_file).read_text().replace(f":{far.port} ", f":{port} "))
    return str(path)


async def _carry(cable: Cable, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await source.read(1 << 15):
            cable.carried += len(data)
            target.write(data)
            await target.drain()
    target.transport.abort()
