"""Many askers, one question."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class SingleFlight(Generic[K, V]):
    """Whoever asks for a key while its work is under way gets that work's result, or its error."""

    def __init__(self) -> None:
        self._flying: dict[K, asyncio.Task[V]] = {}

    async def run(self, key: K, work: Callable[[], Coroutine[Any, Any, V]]) -> V:
        """An asker that is cancelled leaves; the work goes on for the others."""
        task = self._flying.get(key)
        if task is None:
            task = self._flying[key] = asyncio.create_task(work())
            task.add_done_callback(lambda done: self._landed(key, done))
        return await asyncio.shield(task)

    def _landed(self, key: K, task: asyncio.Task[V]) -> None:
        del self._flying[key]
        if not task.cancelled():
            task.exception()  # seen, also where every asker has left

    async def close(self) -> None:
        tasks = tuple(self._flying.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
