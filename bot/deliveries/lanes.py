"""In order within a lane, in parallel across lanes."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Lanes(Generic[Item]):
    """A lane is a queue with a task; both exist only while there is something in it.

    `run` must not raise: what it raises ends its lane's task, and is raised by `stop`.
    """

    def __init__(self, run: Callable[[Item], Awaitable[None]]) -> None:
        self._run = run
        self._queues: dict[str, deque[Item]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._open = True
        self.empty = asyncio.Event()  # set while nothing runs and nothing waits
        self.empty.set()

    def put(self, lane: str, item: Item) -> None:
        if not self._open:
            return
        self._queues.setdefault(lane, deque()).append(item)
        self.empty.clear()
        if lane not in self._tasks:
            self._tasks[lane] = asyncio.create_task(self._work(lane), name=f"lane {lane}")

    def holds(self, lane: str, item: Item) -> bool:
        """Does an equal item wait or run in this lane?"""
        return item in self._queues.get(lane, ())

    def __len__(self) -> int:
        """Items that wait or run."""
        return sum(len(waiting) for waiting in self._queues.values())

    async def stop(self, grace_seconds: float) -> None:
        """Starts nothing more, waits for what runs, then cancels it."""
        self._open = False
        for waiting in self._queues.values():
            while len(waiting) > 1:  # the first one runs
                waiting.pop()
        tasks = tuple(self._tasks.values())
        if tasks and grace_seconds > 0:
            await asyncio.wait(tasks, timeout=grace_seconds)
        for task in tasks:
            task.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(outcome, Exception):
                raise outcome
        self.empty.set()

    async def _work(self, lane: str) -> None:
        waiting = self._queues[lane]
        try:
            while waiting and self._open:
                await self._run(waiting[0])
                waiting.popleft()
        finally:
            del self._queues[lane], self._tasks[lane]
            if not self._tasks:
                self.empty.set()
