"""How the file is opened, everywhere."""

import contextlib
import os
import sqlite3
from pathlib import Path

from bot.errors import OperatorError

BUSY_SECONDS = 30  # to wait for another process that writes
APPLICATION_ID = 0x67617465  # "gate", in the file's header


class StoreUnusable(OperatorError):
    """The database cannot be used. `str(error)` is one sentence that says what to do."""


def connect(path: Path) -> sqlite3.Connection:
    """A connection that survives `kill -9` and power loss, shared by threads that take turns. Raises StoreUnusable.

    Makes the file where it is missing, readable by its owner only: it holds what private repositories say.
    """
    try:
        _make(path)
        conn = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    except (OSError, sqlite3.Error) as error:
        raise StoreUnusable(
            f"The database {path} cannot be opened ({error}): set GATEKIT_DATABASE to a file."
        ) from error
    try:
        conn.execute("PRAGMA journal_mode=WAL")
        conn.execute("PRAGMA synchronous=FULL")
        conn.execute("PRAGMA foreign_keys=ON")
    except sqlite3.Error as error:
        conn.close()
        raise StoreUnusable(
            f"{path} cannot be used as a database ({error}): set GATEKIT_DATABASE to another file."
        ) from error
    return conn


def _make(path: Path) -> None:
    """An empty file for its owner only, where there is none.

    One that is there is not opened: closing any descriptor of a file drops all locks that this process holds on it, and
    the next process to close the database would believe itself the last and delete the log that we still write to.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
