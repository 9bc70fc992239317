"""Two halves of the tests, other Pythons, and one status."""

import sys
from pathlib import Path

import pytest

from scripts.suite import ROOT, SLOW, SUPPORTED, other_pythons, together

OURS = "{}.{}".format(*sys.version_info[:2])
OTHER, THIRD = (version for version in SUPPORTED if version != OURS)


@pytest.mark.parametrize(
    ("statuses", "status"), [((0, 0), 0), ((0, 5), 0), ((1, 0), 1), ((0, 2), 1), ((0, -9), 1), ((-2, 0), 1)]
)
def test_a_half_that_failed_or_was_killed_fails_the_whole(statuses: tuple[int, int], status: int) -> None:
    assert together(*statuses) == status


def program(path: Path, script: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_other_pythons_are_those_that_work_and_are_what_they_are_called(tmp_path: Path) -> None:
    """One says that it is not there, as a pyenv's does; one is another version."""
    here = f'exec "{sys.executable}" "$@"'
    ours = program(tmp_path / "bin" / f"python{OURS}", here)
    program(tmp_path / "bin" / f"python{OTHER}", "echo command not found >&2; exit 127")
    program(tmp_path / "bin" / f"python{THIRD}", here)
    assert other_pythons(OTHER, str(tmp_path / "bin"), tmp_path) == {OURS: ours}
    assert other_pythons(OURS, str(tmp_path / "bin"), tmp_path) == {}


def test_a_python_that_only_a_pyenv_has_is_found(tmp_path: Path) -> None:
    program(tmp_path / "shims" / f"python{OURS}", "exit 127")
    ours = program(tmp_path / ".pyenv" / "versions" / f"{OURS}.7" / "bin" / "python", f'exec "{sys.executable}" "$@"')
    assert other_pythons(OTHER, str(tmp_path / "shims"), tmp_path) == {OURS: ours}


def test_what_is_left_out_there_is_where_it_is_said_to_be() -> None:
    assert [file for file in SLOW if not (ROOT / file).is_file()] == []
