"""Processes that die at any instruction."""

import asyncio
import os
import sqlite3
import sys
from contextlib import closing
from itertools import count
from pathlib import Path

import aiohttp
import pytest

from tests.worlds.bot.door_process import ROOT, door_process, post_until_it_dies
from tests.worlds.bot.until import until
from tests.worlds.github.hooks import labeled

CONNECTIONS = 32


async def test_no_acknowledged_delivery_is_lost_to_kill_9(tmp_path: Path) -> None:
    """Twice on the same file, while 32 connections post."""
    numbers, acknowledged = count(), list[str]()
    for crash in (1, 2):
        async with door_process(tmp_path / "a.db", tmp_path / "notes") as door:
            posting = [asyncio.create_task(post_until_it_dies(door, numbers, acknowledged)) for _ in range(CONNECTIONS)]
            await until(lambda c=crash: len(acknowledged) >= 400 * c)
            await door.kill()
            await asyncio.gather(*posting)

    with closing(sqlite3.connect(tmp_path / "a.db")) as conn:
        stored = {row[0] for row in conn.execute("SELECT id FROM deliveries")}
        assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert set(acknowledged) - stored == set()
    assert len(acknowledged) == len(set(acknowledged)) >= 800


LOOK = (
    "import sqlite3, sys; conn = sqlite3.connect(sys.argv[1]);"
    "conn.execute('SELECT count(*) FROM deliveries'); conn.close()"
)
LIST = "import sys; from bot.cli.main import main; sys.exit(main(['deliveries', 'list']))"
OPEN = (
    "import sys; from pathlib import Path; from bot.store.connection import connect; connect(Path(sys.argv[1])).close()"
)


@pytest.mark.parametrize("visitor", [LOOK, LIST, OPEN], ids=["looks", "lists deliveries", "opens as we do"])
async def test_a_process_that_comes_and_goes_takes_nothing_along(tmp_path: Path, visitor: str) -> None:
    """The last one to close a database deletes its log: nobody may believe that while the bot still writes to it."""
    database = tmp_path / "a.db"
    async with door_process(database, tmp_path / "notes") as door, aiohttp.ClientSession() as session:
        assert await door.post(session, labeled("before"), "before") == 202
        guest = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            visitor,
            str(database),
            env={**os.environ, "GATEKIT_DATABASE": str(database)},
            cwd=ROOT,
        )
        assert await guest.wait() == 0
        assert await door.post(session, labeled("after"), "after") == 202
        await door.kill()
    with closing(sqlite3.connect(database)) as conn:
        assert {row[0] for row in conn.execute("SELECT id FROM deliveries")} == {"before", "after"}


async def test_a_second_process_stores_and_takes_over_when_the_first_is_killed(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.touch()

    def said() -> list[str]:
        return notes.read_text().splitlines()

    async with (
        door_process(tmp_path / "a.db", notes, "--hang") as first,
        door_process(tmp_path / "a.db", notes) as second,
        aiohttp.ClientSession() as session,
    ):
        assert await second.post(session, labeled("one", 1), "1") == 202
        await until(lambda: said() == [f"{first.pid} one"])
        assert await first.post(session, labeled("hang", 2), "2") == 202
        assert await second.post(session, labeled("behind", 2), "3") == 202
        assert await second.post(session, labeled("beside", 3), "4") == 202
        await until(lambda: said() == [f"{first.pid} one", f"{first.pid} beside"])

        await first.kill()

        await until(lambda: f"{second.pid} behind" in said())
        after = [line for line in said()[2:] if "beside" not in line]  # may run again: nobody knows if it was finished
        assert after == [f"{second.pid} hang", f"{second.pid} behind"]
