"""A database that an earlier bot wrote is read as it was meant, and the bot of today goes on with it."""

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot.cli import db
from bot.store.database import Database
from bot.store.deliveries import Deliveries
from gatekit.domain.sweep import SweepState
from gatekit.domain.verdict import CurveOutcome, Judged
from tests.worlds.bench.bench_pr import Setting
from tests.worlds.bot.bot_world import bot_world
from tests.worlds.bot.commands import run_command
from tests.worlds.bot.old_database import FOLDER, head_of_today, known_then, lay_down, summary
from tests.worlds.signoff.signing import grounds

DUMP = (FOLDER / "8fe7f89.sql").read_text(encoding="utf-8")
THEN: dict[str, Any] = json.loads((FOLDER / "8fe7f89.json").read_text(encoding="utf-8"))
SETTING = Setting(base=grounds(), max_jobs=2)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file, brought to today's tables as its operator would."""
    lay_down(DUMP, tmp_path / "gatekit.db")
    return upgraded(tmp_path / "gatekit.db", monkeypatch)


def upgraded(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GATEKIT_DATABASE", str(path))
    assert run_command(db, "db", "upgrade") == 0
    return path


async def test_everything_in_it_is_read_as_it_was_then(path: Path) -> None:
    async with Database(path) as opened:
        found = await summary(opened)
    assert known_then(found, THEN["read"]) == THEN["read"]


def test_an_upgrade_changes_nothing_of_it(path: Path, tmp_path: Path) -> None:
    """Every table of then has rows, and they are the same in the columns of then."""
    lay_down(DUMP, tmp_path / "before.db")
    with closing(sqlite3.connect(path)) as now, closing(sqlite3.connect(tmp_path / "before.db")) as before:
        for (table,) in before.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            columns = ", ".join(f'"{one[1]}"' for one in before.execute(f"PRAGMA table_info({table})"))
            query = f"SELECT {columns} FROM {table} ORDER BY {columns}"
            assert now.execute(query).fetchall() == before.execute(query).fetchall() != []


async def test_a_bot_goes_on_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of four gates was judged, one ran, one had ended, one waited; two deliveries were not handled yet."""
    path = tmp_path / "gatekit.db"
    lay_down(DUMP.replace(THEN["head"], await head_of_today(SETTING)), path)
    upgraded(path, monkeypatch)
    (running,) = THEN["jobs"]
    job = tmp_path / "cluster" / running / "job.json"
    job.parent.mkdir(parents=True)
    job.write_text(json.dumps(THEN["jobs"][running]))
    async with bot_world(tmp_path, SETTING) as world:
        await world.settled()
        rows = (await world.sweep()).rows
        assert sorted(row.state for row in rows) == ["judged", "judged", "running", "running"]
        assert len(world.cluster.submitted) == 1  # the one that waited
        assert running in world.cluster.running
        await world.finish_all()

        sweep = await world.sweep()
        assert sweep.state is SweepState.DONE
        outcomes = [row.verdict.outcome for row in sweep.rows if isinstance(row.verdict, Judged)]
        assert Counter(outcomes) == {CurveOutcome.ON_CURVE: 3, CurveOutcome.BELOW: 1}
        assert all(row.gate.config_key in world.gates for row in sweep.rows[:2])
        assert world.check == ("completed", "neutral")
        async with Database(path) as opened:
            assert await Deliveries(opened).waiting(0) == ()
