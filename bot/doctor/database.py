"""The database: its tables, whether it can be written, and room to grow. Changes nothing, and makes no file."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from bot.doctor.finding import Finding, bad, fine, refused, unknown
from bot.pages.readiness import LOW_DISK
from bot.store.connection import StoreUnusable
from bot.store.migrations import VERSION, refuse_other_version

FILE, DISK = "database", "free disk"
WAIT_SECONDS = 5.0  # for another process that writes

_OTHER = "set GATEKIT_DATABASE to a file that the bot may write"


def check_database(path: Path) -> tuple[Finding, ...]:
    folder = path.absolute().parent
    if not folder.is_dir():
        return (bad(FILE, f"the folder {folder} is not there", f"make it, or {_OTHER}"),)
    return (_file(path, folder), _disk(folder))


def _file(path: Path, folder: Path) -> Finding:
    if not os.access(folder, os.W_OK | os.X_OK):  # the log beside the database is written there too
        return bad(FILE, f"the folder {folder} cannot be written to", _OTHER)
    if not path.exists():
        return fine(FILE, f"{path}: not there yet; `gatekit serve` makes it")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=WAIT_SECONDS)) as conn:
            return _opened(conn, path)
    except StoreUnusable as no:
        return refused(FILE, no, _OTHER)
    except sqlite3.Error as error:
        return bad(FILE, f"{path} cannot be used: {error}", _OTHER)


def _opened(conn: sqlite3.Connection, path: Path) -> Finding:
    conn.isolation_level = None
    if path.stat().st_size == 0:
        return fine(FILE, f"{path}: empty; `gatekit serve` makes its tables")
    conn.execute("PRAGMA query_only=ON")
    refuse_other_version(conn, path)
    conn.execute("PRAGMA query_only=OFF")
    conn.execute("BEGIN IMMEDIATE")
    conn.execute("ROLLBACK")
    return fine(FILE, f"{path}: version {VERSION}, writable")


def _disk(folder: Path) -> Finding:
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return unknown(DISK, f"{folder}: {error.strerror}", "look at it by hand")
    said = f"{free / 2**30:.1f} GiB free at {folder}"
    return fine(DISK, said) if free > LOW_DISK else bad(DISK, said, "make room: below 256 MiB the bot is not ready")
