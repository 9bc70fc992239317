"""Clusters that take no gates for now, and why: what a restart must remember, and pull requests are told."""

import sqlite3
from collections.abc import Collection
from datetime import datetime

from bot.store.database import Database
from bot.store.sweep_rows import IN_OPEN, read_pauses
from bot.store.sweeps import touch
from gatekit.cluster.policy import Cluster
from gatekit.domain.sweep import Pause, Pausing, SweepState

_ADDED = "UPDATE SET said = said || '; ' || excluded.said WHERE instr(said, excluded.said) = 0 AND length(said) < 4000"


class PauseStore:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def standing(self) -> tuple[Pause, ...]:
        return await self._db.read(
            lambda conn: read_pauses(
                conn.execute("SELECT DISTINCT cluster, why, since, said FROM pauses ORDER BY cluster, why").fetchall()
            )
        )

    async def begin(self, cluster: Cluster, why: Pausing, since: datetime, said: str) -> bool:
        """False: it was paused for this already, and nothing changed. Sweeps with gates for it are to be shown anew.

        What more is left on a cluster that is paused for it already is added to what was said.
        """
        more = _ADDED if why is Pausing.LEFTOVERS else "NOTHING"

        def write(conn: sqlite3.Connection) -> bool:
            values = [(cluster.name, why, runner, since.isoformat(), said) for runner in cluster.serves]
            begun = conn.executemany(
                f"INSERT INTO pauses VALUES (?, ?, ?, ?, ?) ON CONFLICT DO {more}", values
            ).rowcount
            if begun:
                _touch(conn, cluster.serves)
            return bool(begun)

        return await self._db.write(write)

    async def end(self, cluster: str, why: Pausing) -> bool:
        """False: it was not paused for this."""

        def write(conn: sqlite3.Connection) -> bool:
            found = conn.execute(
                "DELETE FROM pauses WHERE cluster = ? AND why = ? RETURNING runner", (cluster, why)
            ).fetchall()
            _touch(conn, [runner for (runner,) in found])
            return bool(found)

        return await self._db.write(write)


def _touch(conn: sqlite3.Connection, runners: Collection[str]) -> None:
    marks = ", ".join("?" * len(runners))
    rows = conn.execute(
        "SELECT DISTINCT sweeps.id FROM sweeps JOIN gates ON gates.sweep = sweeps.id WHERE sweeps.state = ?"
        f" AND gates.state {IN_OPEN} AND gates.runner IN ({marks})",
        (SweepState.RUNNING, *runners),
    ).fetchall()
    for (sweep,) in rows:
        touch(conn, sweep)
