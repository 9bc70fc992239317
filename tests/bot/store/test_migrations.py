import asyncio
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from bot.store.connection import StoreUnusable, connect
from bot.store.database import Database
from bot.store.migrations import MIGRATIONS, VERSION, refuse_other_version, upgrade


def _tables(conn: sqlite3.Connection) -> set[str]:
    return {row[0] for row in conn.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


def test_a_new_file_gets_every_table(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "a.db")) as conn:
        refuse_other_version(conn, tmp_path / "a.db")
        assert {"deliveries", "lease"} <= _tables(conn)
        assert conn.execute("PRAGMA user_version").fetchone()[0] == VERSION == len(MIGRATIONS)


def test_upgrading_twice_changes_nothing(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "a.db")) as conn:
        assert upgrade(conn, tmp_path / "a.db") == (0, VERSION)
        assert upgrade(conn, tmp_path / "a.db") == (VERSION, VERSION)


def test_a_step_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "a.db")) as conn:
        conn.execute("CREATE TABLE lease (mine)")
        conn.execute("PRAGMA application_id = 0x67617465")
        with pytest.raises(StoreUnusable, match="lease already exists"):
            upgrade(conn, tmp_path / "a.db")
        assert _tables(conn) == {"lease"}


async def test_a_newer_database_is_refused_in_one_sentence(tmp_path: Path) -> None:
    await _with_version(tmp_path / "a.db", VERSION + 1)
    with pytest.raises(
        StoreUnusable, match=rf"has version {VERSION + 1}, this Gatekit knows {VERSION}: install the newer"
    ):
        await Database(tmp_path / "a.db").open()


async def test_an_older_database_names_the_command(tmp_path: Path) -> None:
    await _with_version(tmp_path / "a.db", VERSION - 1)
    with pytest.raises(StoreUnusable, match="run `gatekit db upgrade`"):
        await Database(tmp_path / "a.db").open()


async def _with_version(path: Path, version: int) -> None:
    async with Database(path) as db:
        await db.write(lambda conn: conn.execute("SELECT 1").fetchone())
    with closing(sqlite3.connect(path)) as conn:
        conn.execute(f"PRAGMA user_version = {version}")


async def test_a_file_of_another_program_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as conn:
        conn.execute("CREATE TABLE bookmarks (url)")
    with pytest.raises(StoreUnusable, match="another program"):
        await Database(tmp_path / "a.db").open()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: path.write_bytes(b"not a database" * 100), "cannot be used as a database"),
        (lambda path: path.mkdir(), "cannot be opened"),
    ],
)
async def test_what_is_no_database_is_refused(tmp_path: Path, make, says: str) -> None:
    make(tmp_path / "a.db")
    with pytest.raises(StoreUnusable, match=says):
        await Database(tmp_path / "a.db").open()


async def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match="GATEKIT_DATABASE"):
        await Database(tmp_path / "no" / "a.db").open()


async def test_processes_that_start_together_make_one_database(tmp_path: Path) -> None:
    program = (
        "import asyncio, pathlib, sys; from bot.store.database import Database\n"
        "async def main():\n"
        "    async with Database(pathlib.Path(sys.argv[1])) as db: print(await db.read(lambda c: 1))\n"
        "asyncio.run(main())"
    )
    started = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", program, str(tmp_path / "a.db"), stdout=asyncio.subprocess.PIPE
        )
        for _ in range(4)
    ]
    assert [(await process.communicate())[0] for process in started] == [b"1\n"] * 4
