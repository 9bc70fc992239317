"""A clock that a test moves by hand."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@dataclass
class ShiftedClock:
    """Goes as clocks do, and can be put forward."""

    ahead: timedelta = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def advance(self, seconds: float) -> None:
        self.ahead += timedelta(seconds=seconds)


@dataclass
class HandClock:
    """`sleep` returns when `advance` has gone past its end."""

    time: datetime = NOON
    _sleepers: list[tuple[datetime, asyncio.Event]] = field(default_factory=list)

    def now(self) -> datetime:
        return self.time

    async def sleep(self, seconds: float) -> None:
        sleeper = (self.time + timedelta(seconds=seconds), asyncio.Event())
        self._sleepers.append(sleeper)
        try:
            await sleeper[1].wait()
        finally:
            self._sleepers.remove(sleeper)

    def advance(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)
        for until, woken in self._sleepers:
            if until <= self.time:
                woken.set()

    @property
    def waits(self) -> tuple[float, ...]:
        """Seconds that each sleeper still has to wait, the shortest first."""
        return tuple(
            sorted((until - self.time).total_seconds() for until, woken in self._sleepers if not woken.is_set())
        )
