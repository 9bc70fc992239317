"""One thread that writes: what waits is done together and committed once."""

import asyncio
import logging
import queue
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

log = logging.getLogger(__name__)

BATCH = 256  # writes in one commit, at most

Work = Callable[[sqlite3.Connection], Any]


@dataclass(frozen=True, slots=True)
class _Write:
    work: Work
    answer: asyncio.Future[Any]


@dataclass(frozen=True, slots=True)
class _Outcome:
    value: Any = None
    error: Exception | None = None


class Writer:
    """Owns a connection and the thread that uses it. `submit` answers into a future of the given loop."""

    def __init__(self, conn: sqlite3.Connection, loop: asyncio.AbstractEventLoop) -> None:
        self._conn = conn
        self._loop = loop
        self._queue: queue.SimpleQueue[_Write | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="database-writer", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def submit(self, work: Work) -> asyncio.Future[Any]:
        """The future is done after the commit: with the value of `work`, or with its error."""
        answer: asyncio.Future[Any] = self._loop.create_future()
        self._queue.put(_Write(work, answer))
        return answer

    def close(self) -> None:
        """Commits what was submitted before, then closes the connection. Blocks."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        open_ = True
        while open_:
            batch, open_ = self._next_batch()
            if batch:
                outcomes = self._commit(batch)
                self._loop.call_soon_threadsafe(_settle, batch, outcomes)
        self._conn.close()

    def _next_batch(self) -> tuple[list[_Write], bool]:
        """Waits for one write and takes what stands behind it; False: `close` was reached."""
        batch: list[_Write] = []
        item = self._queue.get()
        while item is not None:
            batch.append(item)
            if len(batch) == BATCH:
                return batch, True
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return batch, True
        return batch, False

    def _commit(self, batch: list[_Write]) -> list[_Outcome]:
        """All at once, which nearly always works; where one fails, all again and each in its own savepoint."""
        try:
            return self._in_one_commit(batch, lambda work: _Outcome(work(self._conn)))
        except Exception:  # the boundary: which one it was is found below, and told to its caller
            log.debug("a write failed, the batch is done again", exc_info=True)
        try:
            return self._in_one_commit(batch, self._alone)
        except sqlite3.Error as error:
            return [_Outcome(error=error)] * len(batch)

    def _in_one_commit(self, batch: list[_Write], do: Callable[[Work], _Outcome]) -> list[_Outcome]:
        try:
            self._conn.execute("BEGIN IMMEDIATE")
            outcomes = [do(write.work) for write in batch]
            self._conn.execute("COMMIT")
        except BaseException:
            if self._conn.in_transaction:
                self._conn.execute("ROLLBACK")
            raise
        return outcomes

    def _alone(self, work: Work) -> _Outcome:
        """One write in its savepoint: where it fails, the others of the batch stay."""
        self._conn.execute("SAVEPOINT one")
        try:
            outcome = _Outcome(work(self._conn))
        except Exception as error:  # the boundary: whatever `work` raises belongs to its caller
            if not self._conn.in_transaction:  # a full disk takes the whole transaction back
                raise sqlite3.OperationalError(f"the transaction was rolled back: {error}") from error
            self._conn.execute("ROLLBACK TO one")
            outcome = _Outcome(error=error)
        self._conn.execute("RELEASE one")
        return outcome


def _settle(batch: list[_Write], outcomes: list[_Outcome]) -> None:
    for write, outcome in zip(batch, outcomes, strict=True):
        if write.answer.done():  # its caller was cancelled
            continue
        if outcome.error is None:
            write.answer.set_result(outcome.value)
        else:
            write.answer.set_exception(outcome.error)
