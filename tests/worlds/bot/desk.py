"""A store, a dispatcher and a handler that a test can hold, fail and look at."""

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from bot.deliveries.attempts import Options, Parked
from bot.deliveries.dispatcher import Dispatcher
from bot.deliveries.skim import route
from bot.store.database import Database
from bot.store.deliveries import Arrival, Deliveries, DeliveryRow, DeliveryState
from gatekit.domain.ids import DeliveryId
from handlers.events import Event, LabelAdded
from tests.worlds.bot.hand_clock import HandClock
from tests.worlds.github.hooks import labeled


@dataclass
class Desk:
    """Events are called by their label, or by their kind where they have none."""

    db: Database
    clock: HandClock = field(default_factory=HandClock)
    options: Options = field(default_factory=Options)
    begun: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    parked: list[Parked] = field(default_factory=list)
    failures: dict[str, list[Exception]] = field(default_factory=lambda: defaultdict(list))
    held: dict[str, asyncio.Event] = field(default_factory=dict)
    apology_fails_with: Exception | None = None

    def __post_init__(self) -> None:
        options = replace(self.options, on_parked=self._note_parked, sleep=self.clock.sleep, poll_seconds=0.05)
        self.deliveries = Deliveries(self.db)
        self.dispatcher = Dispatcher(self.deliveries, self._handle, self.clock, options)

    async def store(self, label: str, pr: int = 1, body: bytes | None = None, event: str = "pull_request") -> None:
        """A delivery with the label as its id."""
        body = labeled(label, pr) if body is None else body
        signature = hashlib.sha256(body + label.encode()).hexdigest()
        arrival = Arrival(DeliveryId(label), event, route(body), body, signature, self.clock.now())
        await self.deliveries.store(arrival)
        self.dispatcher.wake()

    def hold(self, label: str) -> asyncio.Event:
        """The handler of this label waits until the event is set."""
        self.held[label] = asyncio.Event()
        return self.held[label]

    async def states(self) -> dict[str, DeliveryState]:
        return {row.id: row.state for row in await self.rows()}

    async def rows(self) -> tuple[DeliveryRow, ...]:
        return tuple(reversed(await self.deliveries.listing(list(DeliveryState), 1000)))

    async def _handle(self, event: Event) -> None:
        name = event.label if isinstance(event, LabelAdded) else type(event).__name__
        self.begun.append(name)
        if name in self.held:
            await self.held[name].wait()
        if self.failures[name]:
            raise self.failures[name].pop(0)
        self.ended.append(name)

    async def _note_parked(self, parked: Parked) -> None:
        self.parked.append(parked)
        if self.apology_fails_with is not None:
            raise self.apology_fails_with


@asynccontextmanager
async def open_desk(path: Path, options: Options | None = None) -> AsyncIterator[Desk]:
    async with Database(path) as db:
        desk = Desk(db, options=options or Options())
        yield desk
        await desk.dispatcher.stop()
