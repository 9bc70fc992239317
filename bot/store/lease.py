"""Which process is the active one: a row that its holder keeps fresh."""

import asyncio
import logging
import os
import socket
import sqlite3
import uuid
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from bot.store.database import Database
from handlers.ports.bundle import Clock

log = logging.getLogger(__name__)

Sleep = Callable[[float], Awaitable[None]]


class Lease:
    """At most one process holds it; the others take it over after it has run out.

    `seconds` is how long it lives without a heartbeat; a third of it is the time between two heartbeats.
    """

    def __init__(self, db: Database, clock: Clock, seconds: float = 15.0) -> None:
        self._db = db
        self._clock = clock
        self._length = timedelta(seconds=seconds)
        self._until = datetime.min.replace(tzinfo=UTC)
        self.owner = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"

    @property
    def held(self) -> bool:
        """Is it ours at this moment? Asks the clock, not the file: a process that slept too long sees it at once."""
        return self._clock.now() < self._until

    @property
    def heartbeat_seconds(self) -> float:
        return self._length.total_seconds() / 3

    async def take(self) -> bool:
        """Takes it where it is free, keeps it where it is ours. False: another process holds it."""
        now = self._clock.now()
        until = now + self._length
        if await self._db.write(lambda conn: _take(conn, self.owner, now, until)):
            self._until = until
            return True
        self._until = now
        return False

    async def give_back(self) -> None:
        """Lets the next process start without waiting."""
        self._until = self._clock.now()
        await self._db.write(lambda conn: conn.execute("DELETE FROM lease WHERE owner = ?", (self.owner,)).rowcount)

    async def holder(self) -> str | None:
        """Who holds it now, by the file."""
        now = self._clock.now().timestamp()
        row = await self._db.read(
            lambda conn: conn.execute("SELECT owner FROM lease WHERE expires > ?", (now,)).fetchone()
        )
        return None if row is None else str(row[0])

    async def keep(
        self, gained: Callable[[], Awaitable[None]], lost: Callable[[], Awaitable[None]], sleep: Sleep = asyncio.sleep
    ) -> None:
        """Until cancelled: calls `gained` when the lease becomes ours and `lost` when it no longer is.

        On cancellation neither is called; the lease is not given back.
        """
        active = False
        while True:
            ours = await self._beat()
            if ours and not active:
                log.info("this process is the active one", extra={"lease": self.owner})
                await gained()
            elif active and not ours:
                log.warning("the lease was lost: this process only stores deliveries now", extra={"lease": self.owner})
                await lost()
            active = ours
            await sleep(self.heartbeat_seconds)

    async def _beat(self) -> bool:
        """A heartbeat that cannot be written is no loss before the lease runs out."""
        try:
            async with asyncio.timeout(self.heartbeat_seconds):
                return await self.take()
        except (sqlite3.Error, TimeoutError):
            log.exception("the lease could not be renewed", extra={"lease": self.owner})
            return self.held


def _take(conn: sqlite3.Connection, owner: str, now: datetime, until: datetime) -> bool:
    taken = conn.execute(
        "INSERT INTO lease (only, owner, expires) VALUES (1, ?, ?) ON CONFLICT (only) DO UPDATE"
        " SET owner = excluded.owner, expires = excluded.expires"
        " WHERE lease.owner = excluded.owner OR lease.expires <= ?",
        (owner, until.timestamp(), now.timestamp()),
    ).rowcount
    return taken == 1
