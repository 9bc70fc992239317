"""The doctor looks at the database and leaves it as it is."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.doctor.database import check_database
from bot.store.database import Database
from bot.store.migrations import VERSION


def state(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_file_that_is_not_there_yet_is_fine_and_is_not_made(tmp_path: Path) -> None:
    found = check_database(tmp_path / "gatekit.db")
    assert [each.ok for each in found] == [True, True]
    assert "not there yet" in found[0].detail
    assert state(tmp_path) == {}


def test_an_empty_file_gets_no_tables(tmp_path: Path) -> None:
    path = tmp_path / "gatekit.db"
    path.touch()
    assert check_database(path)[0].ok
    assert state(tmp_path) == {"gatekit.db": b""}


async def test_the_file_of_a_running_bot_is_fine(tmp_path: Path) -> None:
    path = tmp_path / "gatekit.db"
    async with Database(path):
        found = await asyncio.to_thread(check_database, path)
    assert found[0].detail == f"{path}: version {VERSION}, writable"
    assert found[1].detail.endswith(f"GiB free at {tmp_path}")


@pytest.mark.parametrize(
    ("sql", "detail", "mend"),
    [
        (f"PRAGMA user_version = {VERSION + 1}", f"this Gatekit knows {VERSION}", "install the newer Gatekit again."),
        ("PRAGMA application_id = 7", "another program", "set GATEKIT_DATABASE to another file."),
        ("PRAGMA user_version = 0", "has version 0", "stop the bot and run `gatekit db upgrade`."),
    ],
)
async def test_a_file_of_another_version_or_program_is_named_and_left_alone(
    tmp_path: Path, sql: str, detail: str, mend: str
) -> None:
    path = tmp_path / "gatekit.db"
    async with Database(path):
        pass
    with closing(sqlite3.connect(path)) as conn:
        conn.execute(sql)
    before = state(tmp_path)["gatekit.db"]
    found = check_database(path)[0]
    assert (found.ok, found.mend) == (False, mend)
    assert detail in found.detail
    assert state(tmp_path)["gatekit.db"] == before


@pytest.mark.parametrize("content", [b"this is no database at all, but it is long enough to be one" * 20, b"SQLite"])
def test_what_is_no_database_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "gatekit.db"
    path.write_bytes(content)
    found = check_database(path)[0]
    assert not found.ok
    assert "cannot be used" in found.detail
    assert "GATEKIT_DATABASE" in found.mend
    assert path.read_bytes() == content


@pytest.mark.parametrize("place", ["nowhere/gatekit.db", "folder"])
def test_a_place_where_no_database_can_be_is_named(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    found = check_database(tmp_path / place)[0]
    assert not found.ok
    assert "GATEKIT_DATABASE" in found.mend
