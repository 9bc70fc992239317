"""How long the executor waits before it concludes something from a silence."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds, but `absent_looks`."""

    absent_looks: int = 3  # in a row, by a controller that answers
    absent: float = 60.0  # between the first and the last of them
    settle: float = 30.0  # from the end of a job until its files must be visible through the shared file system
    resubmit: float = 3.0  # between two looks for a submission whose answer was lost
    cancel: float = 6.0  # for one call; what is not gone by then is looked for in the next one
    between: float = 0.5  # the first two looks of one cancel; doubles


class Memory:
    """Since when something has been so, and how often it was seen. To forget it costs nothing but time."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._seen: dict[str, tuple[float, int]] = {}

    def again(self, name: str) -> tuple[float, int]:
        """Seconds since the first time, and the number of times with this one."""
        since, times = self._seen.get(name, (self._now(), 0))
        self._seen[name] = (since, times + 1)
        return self._now() - since, times + 1

    def forget(self, name: str) -> None:
        self._seen.pop(name, None)
