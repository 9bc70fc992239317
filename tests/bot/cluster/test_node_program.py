"""One file for the cluster: the same bytes each time, nothing in it but the node program, and it runs."""

import ast
import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from bot.cluster.node_program import build_node
from tests.worlds.cluster.node_run import ROOT

NODE = ROOT / "bot" / "node"


def test_the_same_sources_make_the_same_file(tmp_path: Path) -> None:
    one, other = build_node(tmp_path / "one"), build_node(tmp_path / "other")
    assert one.path.read_bytes() == other.path.read_bytes()
    assert one.digest == hashlib.sha256(one.path.read_bytes()).hexdigest()
    assert one.path.name == f"node-{one.digest}.pyz"
    assert [path.name for path in (tmp_path / "one").iterdir()] == [one.path.name]


def test_a_file_that_is_there_is_not_written_again(tmp_path: Path) -> None:
    program = build_node(tmp_path)
    before = program.path.stat().st_ino
    assert build_node(tmp_path).path.stat().st_ino == before


def test_nothing_but_the_node_program_is_in_it(tmp_path: Path) -> None:
    with zipfile.ZipFile(build_node(tmp_path).path) as archive:
        names = archive.namelist()
        assert names == sorted(names)
        assert set(names) == {
            "__main__.py",
            "bot/__init__.py",
            *(f"bot/node/{path.name}" for path in NODE.glob("*.py")),
        }
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert archive.read("bot/__init__.py") == b""


def test_it_starts_by_itself_and_says_how_to_use_it(tmp_path: Path) -> None:
    argv = [sys.executable, "-I", "-S", str(build_node(tmp_path).path)]
    ended = subprocess.run(argv, capture_output=True, text=True, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("usage: node.pyz RUN_DIR")


@pytest.mark.parametrize("path", sorted(NODE.glob("*.py")), ids=lambda path: path.name)
def test_every_file_is_for_python_3_9_and_the_standard_library(path: Path) -> None:
    tree = ast.parse(path.read_text(), feature_version=(3, 9))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    for name in imported:
        assert name.startswith("bot.node") or name.partition(".")[0] in sys.stdlib_module_names, name
