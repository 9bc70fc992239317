"""The door, the store, the lease and the dispatcher as a process of its own, to be killed.

`python -m tests.worlds.bot.door_process DATABASE NOTES [--hang]` prints its port. Its handler appends `<pid> <label>`
to NOTES; with `--hang` the label `hang` is never done.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from aiohttp import web

from bot.deliveries.attempts import Options
from bot.deliveries.dispatcher import Dispatcher
from bot.deliveries.webhook import Door, webhook_app
from bot.files import SystemClock
from bot.store.database import Database
from bot.store.deliveries import Deliveries
from bot.store.lease import Lease
from handlers.events import Event, LabelAdded
from tests.worlds.github.hooks import SECRET, headers, labeled

ROOT = Path(__file__).parents[3]


async def main(database: Path, notes: Path, hang: bool) -> None:
    async def handle(event: Event) -> None:
        assert isinstance(event, LabelAdded)
        if hang and event.label == "hang":
            await asyncio.Event().wait()
        with notes.open("a") as file:
            file.write(f"{os.getpid()} {event.label}\n")

    async with Database(database) as db:
        dispatcher = Dispatcher(Deliveries(db), handle, SystemClock(), Options(poll_seconds=0.1))
        lease = Lease(
            db, SystemClock(), seconds=6.0
        )  # a process that is kept from its processor for some seconds keeps it
        keeping = asyncio.create_task(lease.keep(dispatcher.start, dispatcher.stop))
        door = Door(SECRET, Deliveries(db), SystemClock(), dispatcher.wake, lambda: db.alive)
        runner = web.AppRunner(webhook_app(door), access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        sys.stdout.write(f"{runner.addresses[0][1]}\n")
        sys.stdout.flush()
        await keeping


@dataclass
class DoorProcess:
    process: asyncio.subprocess.Process
    port: int

    @property
    def pid(self) -> int:
        return self.process.pid

    async def post(self, session: aiohttp.ClientSession, body: bytes, delivery: str) -> int:
        async with session.post(
            f"http://127.0.0.1:{self.port}/webhook", data=body, headers=headers(body, delivery=delivery)
        ) as answer:
            return answer.status

    async def kill(self) -> None:
        """kill -9"""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()


async def post_until_it_dies(door: DoorProcess, numbers: Iterator[int], acknowledged: list[str]) -> None:
    """One connection: the next delivery after each answer, kept in `acknowledged` when it was 202."""
    body = labeled("full-sweep-enabled")
    async with aiohttp.ClientSession() as session:
        for number in numbers:
            try:
                if await door.post(session, body, f"d-{number}") == 202:
                    acknowledged.append(f"d-{number}")
            except (aiohttp.ClientError, ConnectionError):
                return


@asynccontextmanager
async def door_process(database: Path, notes: Path, *flags: str) -> AsyncIterator[DoorProcess]:
    arguments = ("-m", "tests.worlds.bot.door_process", str(database), str(notes), *flags)
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    door = DoorProcess(process, int(await process.stdout.readline()))
    try:
        yield door
    finally:
        await door.kill()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), "--hang" in sys.argv))
