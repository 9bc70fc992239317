"""What an operator's monitor asks: is everything in reach that we need?"""

import asyncio
import shutil
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from bot.store.connection import StoreUnusable
from bot.store.database import Database
from bot.store.deliveries import count_parked
from bot.store.lease import Lease
from bot.store.pauses import PauseStore
from gatekit.domain.sweep import Pausing

LOW_DISK = 256 * 1024 * 1024  # bytes
PATIENCE_SECONDS = 5.0  # a database that takes longer than this does not work


@dataclass(frozen=True, slots=True)
class OutOfReach:
    """How long something has been out of reach, in seconds; 0: the last try was answered, or there was none."""

    github: float
    clusters: Mapping[str, float]  # by name


@dataclass(frozen=True, slots=True)
class Readiness:
    database: bool  # a commit went through just now
    lease: bool  # we are the active process; a waiting one is healthy, but not ready
    lease_holder: str | None  # host:pid:random of the active process; None: there is none, or we could not find out
    free_disk_bytes: int  # where the database is
    parked_deliveries: int | None  # None: could not find out
    github_out_of_reach_seconds: float
    clusters_out_of_reach_seconds: Mapping[str, float]
    clusters_paused: Mapping[str, str] = field(default_factory=dict)  # by name: what jobs left there

    @property
    def unready_because(self) -> tuple[str, ...]:
        """What makes us unready. GitHub or a cluster out of reach does not: nothing here can mend it."""
        found = {
            "the database takes no work": not self.database,
            "another process is the active one" if self.lease_holder else "no process holds the lease": not self.lease,
            "the disk is nearly full": self.free_disk_bytes <= LOW_DISK,
        }
        return tuple(reason for reason, holds in found.items() if holds)

    @property
    def ready(self) -> bool:
        return not self.unready_because

    def as_json(self) -> dict[str, object]:
        return {"ready": self.ready, "unready_because": self.unready_because, **asdict(self)}


async def look(db: Database, lease: Lease, reach: OutOfReach) -> Readiness:
    """Tries everything that can be tried now. Never raises for something that does not work: it says so."""
    holder, parked, database, paused = None, None, db.alive, dict[str, str]()
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await db.write(lambda conn: conn.execute("SELECT 1").fetchone())
            holder, parked = await lease.holder(), await count_parked(db)
            standing = await PauseStore(db).standing()
            paused = {one.cluster: one.said for one in standing if one.why is Pausing.LEFTOVERS}
    except (sqlite3.Error, StoreUnusable, TimeoutError):
        database = False
    return Readiness(
        database=database,
        lease=lease.held,
        lease_holder=holder,
        free_disk_bytes=free_disk(db),
        parked_deliveries=parked,
        github_out_of_reach_seconds=reach.github,
        clusters_out_of_reach_seconds=dict(reach.clusters),
        clusters_paused=paused,
    )


def free_disk(db: Database) -> int:
    """Bytes that are free where the database is."""
    return shutil.disk_usage(db.path.absolute().parent).free
