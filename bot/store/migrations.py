"""The tables, as ordered steps. A step that was released is never edited: add one at the end."""

import sqlite3
from pathlib import Path

from bot.store.connection import APPLICATION_ID, StoreUnusable
from bot.store.schema import AUDIT, FOLDERS, SIGNOFFS, SWEEPS, USES

# seq is the order of arrival; times are seconds since 1970 UTC; body is zlib
_DELIVERIES = (
    """
    CREATE TABLE deliveries (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        event TEXT NOT NULL,
        action TEXT,
        repo_id INTEGER,
        repo TEXT,
        lane TEXT,
        body BLOB NOT NULL,
        received REAL NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'nothing', 'parked')),
        tries INTEGER NOT NULL DEFAULT 0,
        next_at REAL NOT NULL DEFAULT 0,
        detail TEXT NOT NULL DEFAULT '',
        finished REAL
    ) STRICT
    """,
    "CREATE INDEX deliveries_waiting ON deliveries (seq) WHERE state = 'waiting'",
    "CREATE INDEX deliveries_finished ON deliveries (finished) WHERE state IN ('done', 'nothing')",
)

# signatures of all bodies that ever came, also of deliveries that were forgotten since
_BODIES = ("CREATE TABLE bodies (signature BLOB PRIMARY KEY) STRICT, WITHOUT ROWID",)

_LEASE = (
    """
    CREATE TABLE lease (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        owner TEXT NOT NULL,
        expires REAL NOT NULL
    ) STRICT
    """,
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (_DELIVERIES + _BODIES + _LEASE + SWEEPS + USES, FOLDERS, SIGNOFFS, AUDIT)
VERSION = len(MIGRATIONS)


def refuse_other_version(conn: sqlite3.Connection, path: Path) -> None:
    """Gives an empty file the tables of today; raises StoreUnusable for every version but today's."""
    version = _version(conn, path)
    if version is None:
        upgrade(conn, path)
    elif version < VERSION:
        raise StoreUnusable(
            f"The database {path} has version {version}, this Gatekit needs {VERSION}:"
            " stop the bot and run `gatekit db upgrade`."
        )


def upgrade(conn: sqlite3.Connection, path: Path) -> tuple[int, int]:
    """Brings the file to today's version in one transaction; (version before, version now). Raises StoreUnusable."""
    try:
        conn.execute("BEGIN IMMEDIATE")
        before = _version(conn, path) or 0
        for statements in MIGRATIONS[before:]:
            for statement in statements:
                conn.execute(statement)
        conn.execute(f"PRAGMA user_version = {VERSION}")
        conn.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        conn.execute("COMMIT")
    except sqlite3.Error as error:
        raise StoreUnusable(
            f"The database {path} cannot be upgraded ({error}): stop the bot and run `gatekit db upgrade` again."
        ) from error
    finally:
        if conn.in_transaction:
            conn.execute("ROLLBACK")
    return before, VERSION


def _version(conn: sqlite3.Connection, path: Path) -> int | None:
    """None: nothing is in the file yet."""
    version = int(conn.execute("PRAGMA user_version").fetchone()[0])
    owner = int(conn.execute("PRAGMA application_id").fetchone()[0])
    tables = int(conn.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0])
    if tables == version == owner == 0:
        return None
    if owner != APPLICATION_ID:
        raise StoreUnusable(f"{path} is a database of another program: set GATEKIT_DATABASE to another file.")
    if version > VERSION:
        raise StoreUnusable(
            f"The database {path} has version {version}, this Gatekit knows {VERSION}: install the newer Gatekit again."
        )
    return version
