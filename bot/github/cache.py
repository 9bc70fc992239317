"""What was read already, up to a number of bytes; and many askers, one question."""

import asyncio
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

from gatekit.formats.yaml_document import DEFAULT_LIMITS, Document, read_yaml
from gatekit.formats.yaml_reader import YamlLimits

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class ByteLru(Generic[K, V]):
    """The most recently used values whose sizes together stay within `limit` bytes. A larger one is not kept."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self.size = 0

    def get(self, key: K) -> V | None:
        found = self._held.get(key)
        if found is None:
            return None
        self._held.move_to_end(key)
        return found[0]

    def put(self, key: K, value: V, size: int) -> None:
        self.drop(key)
        if size > self._limit:
            return
        self._held[key] = (value, size)
        self.size += size
        while self.size > self._limit:
            self.drop(next(iter(self._held)))

    def drop(self, key: K) -> None:
        gone = self._held.pop(key, None)
        if gone is not None:
            self.size -= gone[1]


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


MOST_BYTES = 3 * 1024 * 1024  # of file contents; with what plans make of them they take up to twenty times as much


class ParsedFiles:
    """Reads as `gatekit.formats.yaml_document.read_yaml` does, from any thread.

    What it gives is shared: nobody may change it.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._held: ByteLru[tuple[str, YamlLimits, bytes], Document] = ByteLru(most_bytes)
        self._lock = threading.Lock()

    def __call__(self, path: str, data: bytes, limits: YamlLimits = DEFAULT_LIMITS) -> Document:
        """Raises BadInput."""
        key = path, limits, hashlib.sha256(data).digest()
        with self._lock:
            known = self._held.get(key)
        if known is None:
            known = read_yaml(path, data, limits)
            with self._lock:
                self._held.put(key, known, len(data))
        return known
