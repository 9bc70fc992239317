"""What the dispatcher works on, and the ways in which it may be told to."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias

from bot.deliveries.translate import Nothing, translate
from bot.logs import redact_tokens
from bot.store.deliveries import Waiting
from gatekit.domain.ids import DeliveryId
from handlers.events import Event

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
class Stored:
    """A delivery of the store."""

    waiting: Waiting


@dataclass(frozen=True, slots=True)
class Posted:
    """An event of our own, which is stored nowhere."""

    event: Event


Item: TypeAlias = Stored | Posted
