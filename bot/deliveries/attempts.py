"""One item of work until it is done or parked. The error boundary: nothing that a handler raises gets past here."""

import asyncio
import json
import logging
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from bot.deliveries.translate import Nothing, translate
from bot.logs import redact_tokens
from bot.store.connection import StoreUnusable
from bot.store.deliveries import Deliveries, DeliveryState, Waiting
from gatekit.domain.errors import Refusal
from gatekit.domain.ids import DeliveryId
from handlers.errors import LookupFailed
from handlers.events import Event
from handlers.ports.bundle import Clock

Handle: TypeAlias = Callable[[Event], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Parked:
    """What failed too often."""

    event: Event | None  # None: it was never understood
    delivery: DeliveryId | None  # None: an event of our own
    error: str  # one line, redacted
    outside: bool = False  # something could not be found out; else it is a failure of ours


async def _tell_nobody(_: Parked) -> None:
    return


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Options:
    translate: Callable[[str, object], Event | Nothing] = translate
    on_parked: Callable[[Parked], Awaitable[None]] = _tell_nobody
    may_run: Callable[[], bool] = _always  # asked before each try; False: wait, the lease may be lost
    redact: Callable[[str], str] = redact_tokens
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    delays: tuple[float, ...] = (1, 5, 30, 120, 300)  # seconds before the second, third … try; then it is parked
    at_once: int = 32  # handlers that run at the same time
    handler_seconds: float = 900  # a handler that takes longer has failed
    poll_seconds: float = 2.0  # between two looks for what another process stored
    keep: timedelta = timedelta(days=30)  # how long a settled delivery is kept; GitHub redelivers for 3 days at most


@dataclass(frozen=True, slots=True)
class StoredDelivery:
    """A delivery of the store."""

    waiting: Waiting


@dataclass(frozen=True, slots=True)
class PostedEvent:
    """An event of our own, which is stored nowhere."""

    event: Event


Item: TypeAlias = StoredDelivery | PostedEvent


log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Failure:
    error: str
    event: Event | None
    outside: bool


class Attempts:
    def __init__(self, deliveries: Deliveries, handle: Handle, clock: Clock, options: Options) -> None:
        self._deliveries = deliveries
        self._handle = handle
        self._clock = clock
        self._options = options
        self._room = asyncio.Semaphore(options.at_once)
        self._waiting: set[asyncio.Task[None]] = set()

    async def run(self, item: Item) -> None:
        """Tries with growing delays; each failure is stored first, so that a restart goes on with the same count."""
        tries = item.waiting.tries if isinstance(item, StoredDelivery) else 0
        next_at = item.waiting.next_at if isinstance(item, StoredDelivery) else self._clock.now()
        while True:
            async with self._turn(next_at):
                failure = await self._try(item)
            if failure is None:
                return
            tries += 1
            if tries > len(self._options.delays):
                await self._park(item, failure)
                return
            next_at = self._clock.now() + timedelta(seconds=self._options.delays[tries - 1])
            await self._remember(item, tries, next_at, failure)

    def cut_waiting(self) -> None:
        """Ends the tasks that wait for their moment or for room; no handler runs in them."""
        for task in self._waiting:
            task.cancel()

    @asynccontextmanager
    async def _turn(self, moment: datetime) -> AsyncIterator[None]:
        task = asyncio.current_task()
        assert task is not None
        self._waiting.add(task)
        try:
            await self._until(moment)
            await self._room.acquire()
        finally:
            self._waiting.discard(task)
        try:
            yield
        finally:
            self._room.release()

    async def _until(self, moment: datetime) -> None:
        while (seconds := (moment - self._clock.now()).total_seconds()) > 0:
            await self._options.sleep(seconds)
        while not self._options.may_run():
            await self._options.sleep(0.5)

    async def _try(self, item: Item) -> _Failure | None:
        """None: it is done, in the store too."""
        event: Event | None = None
        try:
            event = await self._event(item)
            if event is not None:
                await self._to_handler(item, event)
        except LookupFailed as error:
            log.warning("could not find out: %s", error, extra=_names(item, event))
            return self._failure(error, event)
        except Exception as error:
            log.exception("failed", extra=_names(item, event))
            return self._failure(error, event)
        return None

    async def _event(self, item: Item) -> Event | None:
        """None: there is nothing to do, and the store says so."""
        if isinstance(item, PostedEvent):
            return item.event
        body = await self._deliveries.body(item.waiting.seq)
        if body is None:
            return None
        found = self._options.translate(item.waiting.event, _parsed(body))
        if not isinstance(found, Nothing):
            return found
        if found.odd:
            log.warning("not understood: %s", found.because, extra=_names(item, None))
        await self._finish(item, DeliveryState.NOTHING, found.because)
        return None

    async def _to_handler(self, item: Item, event: Event) -> None:
        detail = ""
        try:
            async with asyncio.timeout(self._options.handler_seconds):
                await self._handle(event)
        except Refusal as no:  # the handler's answer, not its failure
            detail = f"refused: {no}"
        await self._finish(item, DeliveryState.DONE, detail)

    async def _finish(self, item: Item, state: DeliveryState, detail: str) -> None:
        if isinstance(item, StoredDelivery):
            await self._deliveries.finish(item.waiting.seq, state, self._options.redact(detail), self._clock.now())

    async def _remember(self, item: Item, tries: int, next_at: datetime, failure: _Failure) -> None:
        if not isinstance(item, StoredDelivery):
            return
        try:
            await self._deliveries.retry(item.waiting.seq, tries, next_at, failure.error)
        except (sqlite3.Error, StoreUnusable):  # this process still knows
            log.exception("a failure could not be stored", extra=_names(item, None))

    async def _park(self, item: Item, failure: _Failure) -> None:
        log.error("parked: %s", failure.error, extra=_names(item, None))
        delivery = item.waiting.id if isinstance(item, StoredDelivery) else None
        try:
            await self._finish(item, DeliveryState.PARKED, failure.error)
            await self._options.on_parked(Parked(failure.event, delivery, failure.error, failure.outside))
        except Exception:  # the apology failed as well: the next item must not wait for it
            log.exception("parking failed", extra=_names(item, None))

    def _failure(self, error: Exception, event: Event | None) -> _Failure:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        return _Failure(self._options.redact(said), event, isinstance(error, LookupFailed))


def _parsed(body: bytes) -> object:
    try:
        return json.loads(body)
    except (RecursionError, ValueError):
        return None  # stored, but beyond what we can read


def _names(item: Item, event: Event | None) -> dict[str, str]:
    """What a log line needs to say which one it speaks of."""
    event = item.event if isinstance(item, PostedEvent) else event
    names = {"event": type(event).__name__, "pr": str(event.pr)} if event is not None else {}
    return names | (
        {"delivery": item.waiting.id, "webhook": item.waiting.event} if isinstance(item, StoredDelivery) else {}
    )
