"""Run folders on clusters: which there may be, and which may go.

A folder may go once nobody asks about its job any more: its raw material is in the database, or its gate was cancelled
and the job is verified gone.
"""

import sqlite3
from collections.abc import Collection
from datetime import datetime

from bot.store.database import Database
from gatekit.domain.ids import GateKey, JobName, SweepId, job_name

_GATE = "SELECT 1 FROM gates WHERE job_sweep = folders.sweep AND key = folders.key AND attempt = folders.attempt"
_OVER = (
    f"NOT EXISTS ({_GATE} AND (state IN ('submitting', 'running', 'ended')"
    " OR (state IN ('waiting', 'cancelled') AND gone = 0)))"
    f" AND (EXISTS (SELECT 1 FROM materials WHERE job = folders.job) OR EXISTS ({_GATE} AND state = 'cancelled'))"
)


def begun(conn: sqlite3.Connection, runner: str, sweep: SweepId, key: GateKey, attempt: int) -> None:
    """The attempt begins: from now on it may have a folder."""
    values = (job_name(sweep, key, attempt), runner, sweep, key, attempt)
    conn.execute("INSERT OR IGNORE INTO folders (job, runner, sweep, key, attempt) VALUES (?, ?, ?, ?, ?)", values)


class FolderStore:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def over(self, runners: Collection[str], now: datetime) -> None:
        """Notes of which folders it is true by now that they may go."""
        marks = ", ".join("?" * len(runners))
        await self._db.write(
            lambda conn: conn.execute(
                f"UPDATE folders SET over = ? WHERE over IS NULL AND runner IN ({marks}) AND {_OVER}",
                (now.timestamp(), *runners),
            )
        )

    async def due(self, runners: Collection[str], before: datetime, limit: int) -> tuple[JobName, ...]:
        """Those that might go before that moment already, the oldest first."""
        marks = ", ".join("?" * len(runners))
        rows = await self._db.read(
            lambda conn: conn.execute(
                f"SELECT job FROM folders WHERE over <= ? AND runner IN ({marks}) ORDER BY over, job LIMIT ?",
                (before.timestamp(), *runners, limit),
            ).fetchall()
        )
        return tuple(JobName(job) for (job,) in rows)

    async def forget(self, jobs: Collection[JobName]) -> None:
        """They are removed, or no folders of ours."""
        await self._db.write(
            lambda conn: conn.executemany("DELETE FROM folders WHERE job = ?", [(job,) for job in jobs])
        )

    async def put_off(self, jobs: Collection[JobName], now: datetime) -> None:
        """They could not be removed: their time begins anew, so that they do not stand before the others."""
        moment = now.timestamp()
        await self._db.write(
            lambda conn: conn.executemany("UPDATE folders SET over = ? WHERE job = ?", [(moment, job) for job in jobs])
        )
