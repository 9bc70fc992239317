"""How many rows are in which state, for metrics."""

import sqlite3

from bot.store.database import Database


async def count_states(db: Database) -> tuple[dict[str, int], dict[str, int]]:
    """Gates and deliveries by state."""

    def read(conn: sqlite3.Connection) -> tuple[dict[str, int], dict[str, int]]:
        gates = dict(conn.execute("SELECT state, count(*) FROM gates GROUP BY state").fetchall())
        deliveries = dict(conn.execute("SELECT state, count(*) FROM deliveries GROUP BY state").fetchall())
        return gates, deliveries

    return await db.read(read)


async def count_parked(db: Database) -> int:
    """Deliveries that a person must look at. Counted by indexes alone, so that a page may ask often."""

    def read(conn: sqlite3.Connection) -> int:
        (parked,) = conn.execute(
            "SELECT (SELECT count(*) FROM deliveries)"
            " - (SELECT count(*) FROM deliveries WHERE state = 'waiting')"
            " - (SELECT count(*) FROM deliveries WHERE state IN ('done', 'nothing'))"
        ).fetchone()
        return int(parked)

    return await db.read(read)
