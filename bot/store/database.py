"""The bot's one SQLite file: one thread writes, another reads."""

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from bot.store.connection import StoreUnusable, connect
from bot.store.migrations import refuse_other_version
from bot.store.writer import Writer

T = TypeVar("T")

Work = Callable[[sqlite3.Connection], T]


class Database:
    """`async with Database(path) as db`, or `open` and `close`.

    A new file gets the tables of today; an older or newer one is refused with `StoreUnusable`.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: Writer | None = None
        self._reading: sqlite3.Connection | None = None
        self._reader: ThreadPoolExecutor | None = None

    @property
    def path(self) -> Path:
        return self._path

    @property
    def alive(self) -> bool:
        """Does the writing thread still take work?"""
        return self._writer is not None and self._writer.alive

    async def open(self) -> None:
        """Raises StoreUnusable."""
        with ExitStack() as opened:
            writing = opened.enter_context(closing(await asyncio.to_thread(_opened, self._path)))
            reading = opened.enter_context(closing(connect(self._path)))
            reading.execute("PRAGMA query_only=ON")
            opened.pop_all()
        self._reading = reading
        self._writer = Writer(writing, asyncio.get_running_loop())
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="database-reader")

    async def close(self) -> None:
        """Commits what was asked for before, then lets go of the file."""
        if self._writer is None or self._reader is None or self._reading is None:
            return
        writer, self._writer = self._writer, None
        await asyncio.to_thread(writer.close)
        await asyncio.to_thread(self._reader.shutdown)
        self._reading.close()

    async def write(self, work: Work[T]) -> T:
        """What `work(conn)` returns, after its changes are on the disk.

        `work` runs in the writing thread, in a commit that it may share with others. What it raises takes its own
        changes back and is raised here. It must touch nothing but `conn`: where another write of the same commit
        failed, it runs a second time, after a rollback. A caller that is cancelled may or may not find it done.
        """
        if self._writer is None:
            raise StoreUnusable(f"{self._path} is closed.")
        value: T = await self._writer.submit(work)
        return value

    async def read(self, work: Work[T]) -> T:
        """What `work(conn)` returns; it sees one state of the file, with every write that returned before."""
        if self._reader is None or self._writer is None:
            raise StoreUnusable(f"{self._path} is closed.")
        return await asyncio.get_running_loop().run_in_executor(self._reader, self._read, work)

    def _read(self, work: Work[T]) -> T:
        conn = self._reading
        assert conn is not None
        conn.execute("BEGIN")
        try:
            return work(conn)
        finally:
            conn.execute("ROLLBACK")

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _opened(path: Path) -> sqlite3.Connection:
    conn = connect(path)
    try:
        refuse_other_version(conn, path)
    except BaseException:
        conn.close()
        raise
    return conn
