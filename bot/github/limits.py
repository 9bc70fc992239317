"""How patient, how fast and how greedy the door to GitHub is."""

import asyncio
import time
from dataclasses import dataclass
from typing import Protocol

MIB = 1024 * 1024


class Time(Protocol):
    """Seconds since the epoch, and a way to let them pass."""

    def now(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


class SystemTime:
    def now(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@dataclass(frozen=True, slots=True)
class GitHubLimits:
    """Times in seconds, sizes in bytes.

    The pace is GitHub's own advice: a second between writes, 80 of them a minute, 500 new things an hour; after a rate
    limit that names no time, a minute at least.
    """

    connect_seconds: float = 10
    read_seconds: float = 30  # of silence
    call_seconds: float = 60  # one try, whole
    archive_seconds: float = 300
    retries: int = 3
    backoff_seconds: float = 0.5  # before the first retry, then four times as long each
    limited_retries: int = 2
    limited_seconds: float = 60  # where a rate limit names no time
    longest_wait: float = 90  # longer is not waited for: the delivery comes back later
    write_gap: float = 1
    writes_per_minute: int = 80
    creations_per_hour: int = 500
    look_again: tuple[float, ...] = (1, 3)  # after a lost answer
    json_bytes: int = 32 * MIB
    file_bytes: int = 16 * MIB
    archive_bytes: int = 128 * MIB
    etag_bytes: int = 4 * MIB  # per installation
    snapshot_bytes: int = 48 * MIB
    installations: int = 32
    installation_seconds: float = 3600  # how long a repository's installation is believed
    pages: int = 100  # of 100 items
