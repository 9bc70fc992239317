"""A look that is taken again and again: after a pause that it asks for itself, or at once when somebody wakes it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

log = logging.getLogger(__name__)


class Loop:
    """`look` returns the seconds until the next one. What it raises ends nothing: the next look comes after `usual`."""

    def __init__(
        self, look: Callable[[], Awaitable[float]], sleep: Callable[[float], Awaitable[None]], usual: float
    ) -> None:
        self._look = look
        self._sleep = sleep
        self._usual = usual
        self._woken = asyncio.Event()
        self._rounds = asyncio.Condition()
        self._ended = 0

    def wake(self) -> None:
        self._woken.set()

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            self._woken.clear()
            seconds = self._usual
            try:
                seconds = await self._look()
            except Exception:  # the boundary: one bad round must not end the loop
                log.exception("a look at the gates failed")
            async with self._rounds:
                self._ended += 1
                self._rounds.notify_all()
            await self._pause(seconds)

    async def looked(self) -> None:
        """Until a round that began after this call has ended. Only while `run` runs."""
        async with self._rounds:
            wanted = self._ended + 2  # one may be under way
            while self._ended < wanted:
                self.wake()
                await self._rounds.wait()

    async def _pause(self, seconds: float) -> None:
        waits = [asyncio.ensure_future(self._sleep(seconds)), asyncio.ensure_future(self._woken.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waits:
                one.cancel()
