"""`gatekit cluster resume`: the operator says that the leftovers are gone."""

import asyncio
from pathlib import Path

import pytest

from bot.cli.main import main
from bot.store.database import Database
from bot.store.pauses import PauseStore
from gatekit.domain.sweep import Pausing
from tests.worlds.bot.bot_world import CLUSTER
from tests.worlds.bot.hand_clock import NOON

FILES = "gk-7-a3f9c1d2-1: root:/scratch/cache"


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GATEKIT_DATABASE", str(tmp_path / "bot.db"))
    return tmp_path / "bot.db"


async def paused(path: Path, why: Pausing) -> None:
    async with Database(path) as db:
        await PauseStore(db).begin(CLUSTER, why, NOON, FILES)


async def standing(path: Path) -> int:
    async with Database(path) as db:
        return len(await PauseStore(db).standing())


def test_a_paused_cluster_takes_gates_again(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(paused(database, Pausing.LEFTOVERS))
    assert main(["cluster", "resume", "demo"]) == 0
    assert capsys.readouterr().out == f"demo takes gates again. It was paused since 2026-11-30 12:00 UTC: {FILES}\n"
    assert asyncio.run(standing(database)) == 0
    assert main(["cluster", "resume", "demo"]) == 1
    assert capsys.readouterr().err == "demo is not paused.\n"


def test_a_cluster_out_of_reach_is_none_of_its_business(database: Path) -> None:
    asyncio.run(paused(database, Pausing.OUT_OF_REACH))
    assert main(["cluster", "resume", "demo"]) == 1
    assert asyncio.run(standing(database)) == 1


def test_without_a_database_there_is_one_sentence(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cluster", "resume", "demo"]) == 2
    assert capsys.readouterr().err == f"There is no database at {database}: set GATEKIT_DATABASE to the bot's file.\n"
