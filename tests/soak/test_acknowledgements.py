"""kill -9 of the door under load: what it acknowledged is stored."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path

from tests.worlds.bot.door_process import door_process, post_until_it_dies
from tests.worlds.bot.until import until

CRASHES, CONNECTIONS, EACH = 20, 32, 500


async def test_twenty_crashes(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    numbers, acknowledged = count(), list[str]()
    for crash in range(1, CRASHES + 1):
        async with door_process(tmp_path / "a.db", tmp_path / "notes") as door:
            posting = [asyncio.create_task(post_until_it_dies(door, numbers, acknowledged)) for _ in range(CONNECTIONS)]
            await until(lambda c=crash: len(acknowledged) >= EACH * c)
            await door.kill()
            await asyncio.gather(*posting)
    with closing(sqlite3.connect(tmp_path / "a.db")) as conn:
        stored = {row[0] for row in conn.execute("SELECT id FROM deliveries")}
        assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert set(acknowledged) - stored == set()
    record_property(
        "said",
        f"{CRASHES} kills on one database under {CONNECTIONS} connections: {len(acknowledged):,} deliveries "
        "acknowledged, 0 lost",
    )
