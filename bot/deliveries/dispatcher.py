"""From stored deliveries to handlers: one lane per PR, in order of arrival."""

import asyncio
import logging
import sqlite3
from datetime import datetime, timedelta

from bot.deliveries.attempts import Attempts, Handle, Item, Options, PostedEvent, StoredDelivery
from bot.deliveries.lanes import Lanes
from bot.store.connection import StoreUnusable
from bot.store.deliveries import Deliveries, lane_of
from handlers.events import Event
from handlers.ports.bundle import Clock

log = logging.getLogger(__name__)

PRUNE_EVERY = timedelta(hours=1)


class Dispatcher:
    """Runs every unfinished delivery, oldest first, and the events that `post` brings.

    Later events of a PR wait while an earlier one is tried again, for the sum of the delays at most; then that one is
    parked. A delivery that belongs to no PR has a lane of its own.
    """

    def __init__(self, deliveries: Deliveries, handle: Handle, clock: Clock, options: Options | None = None) -> None:
        options = options or Options()
        self._deliveries = deliveries
        self._attempts = Attempts(deliveries, handle, clock, options)
        self._clock = clock
        self._options = options
        self._lanes: Lanes[Item] | None = None
        self._feeding: asyncio.Task[None] | None = None
        self._woken = asyncio.Event()
        self._fed = asyncio.Event()

    @property
    def running(self) -> bool:
        return self._feeding is not None

    @property
    def backlog(self) -> int:
        """Events that wait or run in this process."""
        return 0 if self._lanes is None else len(self._lanes)

    async def start(self) -> None:
        """Takes up every unfinished delivery. Does nothing where it runs already."""
        if self._feeding is None:
            self._fed.clear()
            self._lanes = Lanes(self._attempts.run)
            self._feeding = asyncio.create_task(self._feed(self._lanes), name="dispatch feed")

    async def stop(self, grace_seconds: float = 0) -> None:
        """Starts nothing more, gives running handlers that long, then cancels them. It may be started again.

        What waits to be tried again, or for room, is left to the next start.
        """
        feeding, lanes = self._feeding, self._lanes
        if feeding is None or lanes is None:
            return
        self._feeding = self._lanes = None
        feeding.cancel()
        await asyncio.wait((feeding,))
        self._attempts.cut_waiting()
        await lanes.stop(grace_seconds)
        self._fed.set()

    def wake(self) -> None:
        """There is a new delivery in the store."""
        self._fed.clear()
        self._woken.set()

    def post(self, event: Event) -> None:
        """An event of our own, into its PR's lane; one that waits or runs there already is not taken twice.

        It is not stored: whoever posts must post again after a restart. Ignored while the dispatcher does not run.
        """
        lane, item = lane_of(event.pr.repo, event.pr.number), PostedEvent(event)
        if self._lanes is not None and not self._lanes.holds(lane, item):
            self._lanes.put(lane, item)

    async def idle(self) -> None:
        """Until nothing waits, nothing runs and nothing is to be tried again."""
        while self._lanes is not None and not (self._fed.is_set() and self._lanes.empty.is_set()):
            lanes = self._lanes
            await self._fed.wait()
            await lanes.empty.wait()

    async def _feed(self, lanes: Lanes[Item]) -> None:
        seen, prune_at = 0, self._clock.now()
        while True:
            self._woken.clear()
            try:
                seen = await self._pull(lanes, seen)
                prune_at = await self._prune(prune_at)
            except (sqlite3.Error, StoreUnusable):
                log.exception("the deliveries could not be read")
            if not self._woken.is_set():
                self._fed.set()
            try:
                async with asyncio.timeout(self._options.poll_seconds):
                    await self._woken.wait()
            except TimeoutError:
                self._fed.clear()

    async def _pull(self, lanes: Lanes[Item], seen: int) -> int:
        """Puts what was stored after `seen` into its lanes; the last `seq` that was put."""
        while found := await self._deliveries.waiting(seen):
            for waiting in found:
                lanes.put(waiting.lane or f"delivery {waiting.seq}", StoredDelivery(waiting))
            seen = found[-1].seq
        return seen

    async def _prune(self, due: datetime) -> datetime:
        """Forgets what was settled long ago, where it is time to; when to do so next."""
        now = self._clock.now()
        if now < due:
            return due
        await self._deliveries.prune(now, self._options.keep)
        return now + PRUNE_EVERY
