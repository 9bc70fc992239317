"""What was read already, up to a number of bytes."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

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
