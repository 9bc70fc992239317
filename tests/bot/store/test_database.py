import asyncio
import sqlite3
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store.connection import StoreUnusable
from bot.store.database import Database


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database(tmp_path / "a.db") as database:
        await database.write(
            lambda conn: conn.execute("CREATE TABLE notes (n INTEGER PRIMARY KEY, of INTEGER REFERENCES notes)")
        )
        yield database


def _insert(n: int):
    return lambda conn: conn.execute("INSERT INTO notes (n) VALUES (?)", (n,)).lastrowid


async def _notes(db: Database) -> list[int]:
    return await db.read(lambda conn: [row[0] for row in conn.execute("SELECT n FROM notes ORDER BY n")])


async def test_what_was_written_is_read(db: Database) -> None:
    assert await db.write(_insert(7)) == 7
    assert await _notes(db) == [7]


async def test_a_failing_write_falls_alone(db: Database) -> None:
    """Five writes share a commit; the one that fails takes back its own half, tells its caller, and hurts nobody."""

    def half_done(conn: sqlite3.Connection) -> None:
        conn.execute("INSERT INTO notes (n) VALUES (100)")
        raise LookupError("mine")

    outcomes = await asyncio.gather(
        *(db.write(work) for work in (_insert(1), half_done, _insert(1), _insert(2), _insert(3))),
        return_exceptions=True,
    )

    assert [type(outcome) for outcome in outcomes] == [int, LookupError, sqlite3.IntegrityError, int, int]
    assert await _notes(db) == [1, 2, 3]


async def test_writes_keep_their_order_and_share_commits(db: Database) -> None:
    before = await db.write(lambda conn: conn.total_changes)
    assert await asyncio.gather(*(db.write(_insert(n)) for n in range(1000))) == list(range(1000))
    assert await db.write(lambda conn: conn.total_changes) - before == 1000


async def test_a_caller_that_went_away_hurts_nobody(db: Database) -> None:
    leaving = asyncio.create_task(db.write(_insert(1)))
    await asyncio.sleep(0)
    leaving.cancel()
    assert await db.write(_insert(2)) == 2
    assert leaving.cancelled()


async def test_a_work_that_ends_the_transaction_fails_the_batch_and_nothing_is_half_stored(db: Database) -> None:
    def ends_it(conn: sqlite3.Connection) -> None:
        conn.execute("ROLLBACK")
        raise sqlite3.OperationalError("database or disk is full")

    with pytest.raises(sqlite3.OperationalError, match="disk is full"):
        await db.write(ends_it)
    assert await db.write(_insert(1)) == 1


async def test_the_reader_cannot_write(db: Database) -> None:
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        await db.read(lambda conn: conn.execute("DELETE FROM notes"))


async def test_a_read_sees_one_state(db: Database) -> None:
    """A write that commits while a read goes on is not seen by it."""
    loop = asyncio.get_running_loop()

    def slow(conn: sqlite3.Connection) -> tuple[int, int]:
        count = "SELECT count(*) FROM notes"
        first = conn.execute(count).fetchone()[0]
        asyncio.run_coroutine_threadsafe(db.write(_insert(1)), loop).result(10)
        return first, conn.execute(count).fetchone()[0]

    assert await db.read(slow) == (0, 0)
    assert await _notes(db) == [1]


async def test_durability_and_foreign_keys_are_on(db: Database) -> None:
    def pragmas(conn: sqlite3.Connection) -> list[object]:
        return [
            conn.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous", "foreign_keys")
        ]

    assert await db.write(pragmas) == ["wal", 2, 1]
    with pytest.raises(sqlite3.IntegrityError):
        await db.write(lambda conn: conn.execute("INSERT INTO notes (n, of) VALUES (1, 99)"))


async def test_close_commits_what_was_asked_for(tmp_path: Path) -> None:
    db = Database(tmp_path / "a.db")
    await db.open()
    await db.write(lambda conn: conn.execute("CREATE TABLE notes (n INTEGER PRIMARY KEY)"))
    pending = [asyncio.create_task(db.write(_insert(n))) for n in range(50)]
    await asyncio.sleep(0)
    await db.close()
    await asyncio.gather(*pending)

    async with Database(tmp_path / "a.db") as again:
        assert await _notes(again) == list(range(50))
    with pytest.raises(StoreUnusable, match="closed"):
        await db.write(_insert(99))


async def test_the_file_is_its_owners(tmp_path: Path) -> None:
    async with Database(tmp_path / "a.db"):
        assert stat.S_IMODE((tmp_path / "a.db").stat().st_mode) == 0o600
