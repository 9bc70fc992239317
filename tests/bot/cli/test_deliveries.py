import asyncio
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.cli.main import main
from bot.store.deliveries import DeliveryState
from bot.store.migrations import VERSION
from tests.worlds.bot.desk import open_desk
from tests.worlds.bot.hand_clock import NOON


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.upper().startswith("GATEKIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


async def _three(path: Path) -> None:
    async with open_desk(path) as desk:
        for label in ("done", "parked", "waits"):
            await desk.store(label, pr=7)
        await desk.deliveries.finish(1, DeliveryState.DONE, "", NOON)
        await desk.deliveries.retry(2, 5, NOON, "")
        await desk.deliveries.finish(2, DeliveryState.PARKED, "RuntimeError: \x1b[2J", NOON)


@pytest.fixture
def store(tmp_path: Path) -> None:
    asyncio.run(_three(tmp_path / "gatekit.db"))


@pytest.mark.usefixtures("store")
def test_list_shows_the_newest_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deliveries", "list"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "2026-11-30 12:00:00Z  waiting  waits  pull_request.labeled  codertocat/hello-world#7",
        "2026-11-30 12:00:00Z  parked  parked  pull_request.labeled  codertocat/hello-world#7  5 failed"
        "  RuntimeError: ?[2J",
        "2026-11-30 12:00:00Z  done  done  pull_request.labeled  codertocat/hello-world#7",
    ]


@pytest.mark.usefixtures("store")
def test_list_as_json_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deliveries", "list", "--state", "parked", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "deliveries": [
            {
                "id": "parked",
                "event": "pull_request",
                "action": "labeled",
                "lane": "codertocat/hello-world#7",
                "received": "2026-11-30T12:00:00+00:00",
                "state": "parked",
                "tries": 5,
                "next": None,
                "detail": "RuntimeError: \x1b[2J",
            }
        ]
    }


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("id_", "status", "says"),
    [
        ("parked", 0, "Was parked; waits to be handled again."),
        ("done", 0, "Was done; waits to be handled again."),
        ("waits", 0, "It waits already."),
        ("nobody", 1, "There is no delivery nobody"),
    ],
)
def test_replay(capsys: pytest.CaptureFixture[str], id_: str, status: int, says: str) -> None:
    assert main(["deliveries", "replay", id_]) == status
    said = capsys.readouterr()
    assert says in said.out + said.err
    main(["deliveries", "list", "--state", "waiting", "--json"])
    waiting = {row["id"] for row in json.loads(capsys.readouterr().out)["deliveries"]}
    assert waiting == {"waits"} | ({id_} if status == 0 else set())


@pytest.mark.parametrize("words", [("deliveries", "list"), ("deliveries", "replay", "x")])
def test_without_a_database_nothing_is_made(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...]
) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err == "There is no database at gatekit.db: set GATEKIT_DATABASE to the bot's file.\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [("deliveries", "list"), ("deliveries", "replay", "x")])
def test_an_empty_file_stays_empty(capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "gatekit.db").touch()
    assert main(words) == 2
    assert capsys.readouterr().err == (
        "The database gatekit.db is empty: start the bot once, or set GATEKIT_DATABASE to the bot's file.\n"
    )
    assert [(file.name, file.stat().st_size) for file in tmp_path.iterdir()] == [("gatekit.db", 0)]


def test_the_database_of_another_program_is_not_changed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "gatekit.db"
    with closing(sqlite3.connect(file)) as conn:
        conn.execute("CREATE TABLE theirs (id)")
    before = file.read_bytes()
    assert main(["deliveries", "list"]) == 2
    assert "another program" in capsys.readouterr().err
    assert file.read_bytes() == before


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("limit", ["9223372036854775808", "9" * 5000, "1000001", "0", "-1", "x", "1_0"])
def test_a_limit_that_is_no_count_is_wrong_usage(capsys: pytest.CaptureFixture[str], limit: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["deliveries", "list", f"--limit={limit}"])
    assert ended.value.code == 2
    assert "is no whole number from 1 to 1000000" in capsys.readouterr().err


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(("limit", "lines"), [("1", 1), ("1000000", 3)])
def test_a_limit_is_how_many(capsys: pytest.CaptureFixture[str], limit: str, lines: int) -> None:
    assert main(["deliveries", "list", "--limit", limit]) == 0
    assert len(capsys.readouterr().out.splitlines()) == lines


@pytest.mark.parametrize("words", [("deliveries", "list"), ("db", "upgrade")])
def test_a_wrong_setting_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("GATEKIT_PORT", "x")
    assert main(words) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_upgrade_makes_the_tables_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["db", "upgrade"]) == 0
    assert main(["db", "upgrade"]) == 0
    assert capsys.readouterr().out == f"gatekit.db: version 0 → {VERSION}\ngatekit.db: version {VERSION} already\n"


@pytest.mark.usefixtures("store")
def test_upgrade_refuses_a_newer_database(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "gatekit.db")) as conn:
        conn.execute(f"PRAGMA user_version = {VERSION + 1}")
    assert main(["db", "upgrade"]) == 2
    assert "install the newer Gatekit again" in capsys.readouterr().err
