"""Gatekit's own door and store; with `dispatch` also everything behind them, up to a handler that does nothing.

usage: gatekit_door.py DATABASE door|dispatch        prints its port
"""

import asyncio
import sys
from pathlib import Path

from aiohttp import web

from bot.deliveries.dispatcher import Dispatcher
from bot.deliveries.webhook import Door, webhook_app
from bot.files import SystemClock
from bot.store.database import Database
from bot.store.deliveries import Deliveries
from handlers.events import Event


async def nothing(event: Event) -> None:
    del event


async def main(path: Path, dispatches: bool) -> None:
    async with Database(path) as db:
        deliveries = Deliveries(db)
        dispatcher = Dispatcher(deliveries, nothing, SystemClock())
        if dispatches:
            await dispatcher.start()
        app = webhook_app(
            Door(b"a secret of the benchmark", deliveries, SystemClock(), dispatcher.wake, lambda: db.alive)
        )
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        print(runner.addresses[0][1], flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2] == "dispatch"))
