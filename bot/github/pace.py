"""The account of one installation's rate limits, and the pace of its writes."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from bot.github.limits import GitHubLimits, Time
from bot.github.operations import Operation
from bot.github.outcome import RateLimited, RestAnswer, number, until


class Budget:
    """What GitHub said remains of the hour."""

    def __init__(self) -> None:
        self.remaining: int | None = None
        self.reset = 0.0
        self._blocked = 0.0

    def learn(self, answer: RestAnswer) -> None:
        """Answers may overtake each other: within one hour the lowest count is the newest."""
        remaining, reset = number(answer, "x-ratelimit-remaining"), number(answer, "x-ratelimit-reset")
        if remaining is None or reset is None or reset < self.reset:
            return
        if reset > self.reset or self.remaining is None or remaining < self.remaining:
            self.remaining, self.reset = remaining, float(reset)

    def block(self, moment: float) -> None:
        self._blocked = max(self._blocked, moment)

    def free_at(self, now: float) -> float:
        """The moment from which we may ask; not later than `now` when we may already."""
        spent = self.remaining == 0 and self.reset > now
        return max(self._blocked, self.reset + 1 if spent else 0.0)


class Window:
    """At most `most` events in any `seconds`."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._times: deque[float] = deque()

    def free_at(self, now: float) -> float:
        while self._times and self._times[0] + self._seconds <= now:
            self._times.popleft()
        return now if len(self._times) < self._most else self._times[-self._most] + self._seconds

    def count(self, now: float) -> None:
        self._times.append(now)


class Traffic:
    """Lets requests of one installation through when they may go: writes one after the other, with a gap."""

    def __init__(self, limits: GitHubLimits, time: Time) -> None:
        self.budget = Budget()
        self._limits = limits
        self._time = time
        self._one_write = asyncio.Lock()
        self._next_write = 0.0
        self._minute = Window(limits.writes_per_minute, 60)
        self._hour = Window(limits.creations_per_hour, 3600)

    @asynccontextmanager
    async def turn(self, operation: Operation) -> AsyncIterator[None]:
        """Raises RateLimited rather than wait longer than the limits say."""
        if not operation.writes:
            await self._wait(self.budget.free_at)
            yield
            return
        async with self._one_write:
            await self._wait(lambda now: self._write_at(operation, now))
            self._minute.count(self._time.now())
            if operation.creates:
                self._hour.count(self._time.now())
            try:
                yield
            finally:
                self._next_write = self._time.now() + self._limits.write_gap

    def _write_at(self, operation: Operation, now: float) -> float:
        hour = self._hour.free_at(now) if operation.creates else now
        return max(self.budget.free_at(now), self._next_write, self._minute.free_at(now), hour)

    async def _wait(self, free_at: Callable[[float], float]) -> None:
        while (moment := free_at(now := self._time.now())) > now:
            if moment - now > self._limits.longest_wait:
                raise RateLimited(until(moment))
            await self._time.sleep(moment - now)
