"""What a command brings along when it starts: what it works with, and nothing of the others."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.cli.main import COMMANDS, main
from tests.bot.cli.test_plan import ROOT, written
from tests.worlds.bench.small_bench import bench, config, entry, row

CLI = ROOT / "bot" / "cli"
OUTSIDE = {"aiohttp", "asyncssh", "githubkit", "httpx", "sqlite3", "jinja2"}  # GitHub, clusters, database, pages
NAMES = [command.name for command in COMMANDS]

RUN_AND_TELL = """
import sys
from bot.cli.main import main
try:
    status = main(sys.argv[1:])
except SystemExit as ended:
    status = ended.code
print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
sys.exit(status)
"""


def loaded_by(*argv: object) -> set[str]:
    """The packages that are loaded once the command, in a process of its own, has ended well."""
    words = [sys.executable, "-c", RUN_AND_TELL, *map(str, argv)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return set(subprocess.run(words, env=env, capture_output=True, check=True, text=True).stderr.split())


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_the_list_of_commands_loads_none_of_them(option: str) -> None:
    loaded = loaded_by(option)
    assert {"bot", "gatekit"} <= loaded
    assert loaded & {*OUTSIDE, "asyncio", "handlers", "pydantic", "yaml", "prometheus_client"} == set()


def test_two_folders_are_planned_without_anything_that_reaches_outside(tmp_path: Path) -> None:
    base = written(bench(config(row("[4]"))), tmp_path / "base")
    head = written(bench(config(row("[4, 8]")), changelog=entry()), tmp_path / "head")
    loaded = loaded_by("plan", "--tree", head, "--base-tree", base)
    assert "yaml" in loaded
    assert loaded & {*OUTSIDE, "asyncio", "handlers", "prometheus_client"} == set()


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_its_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: gatekit {name} [-h]")


def test_every_file_of_a_command_is_on_the_list() -> None:
    files = [path.stem for path in CLI.glob("*.py") if "\ndef register(" in path.read_text(encoding="utf-8")]
    assert sorted(NAMES) == sorted(files)
