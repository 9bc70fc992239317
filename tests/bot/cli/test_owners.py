"""`gatekit owners`."""

import json
from pathlib import Path

import pytest

from bot.cli import owners
from gatekit.domain.errors import BadInput
from tests.worlds.bot.commands import run_command

FILE = "* @org/core\n/docs/ @Ann b@example.com\n/docs/free/\n!/x @ann\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "CODEOWNERS"
    path.write_text(FILE)
    return path


def test_owners_and_the_line_that_decides(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = ("docs/a b.md", "./docs/free/x", "src/x.py")
    assert run_command(owners, "owners", "--codeowners", file, *paths, "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "docs/a b.md": {"owners": ["@Ann", "b@example.com"], "line": 2},
        "./docs/free/x": {"owners": [], "line": 3},
        "src/x.py": {"owners": ["@org/core"], "line": 1},
        "file": {
            "invalid_lines": [
                {
                    "line": 4,
                    "text": "!/x @ann",
                    "why": "`!` does not take a path out here; write a later line without owners",
                }
            ]
        },
    }
    assert run_command(owners, "owners", "--codeowners", file, *paths) == 0
    captured = capsys.readouterr()
    assert captured.out.split("\n")[:2] == [
        "docs/a b.md  @Ann b@example.com  (line 2: /docs/)",
        "./docs/free/x  nobody  (line 3: /docs/free/)",
    ]
    assert captured.err.startswith(f"{file}:4: skipped, !/x @ann: ")


def test_a_path_that_no_line_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "CODEOWNERS"
    file.write_text("/docs/ @ann\n")
    assert run_command(owners, "owners", "--codeowners", file, "x", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"x": {"owners": [], "line": None}, "file": {"invalid_lines": []}}
    assert run_command(owners, "owners", "--codeowners", file, "x") == 0
    assert capsys.readouterr().out == "x  nobody (no line matches)\n"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/docs/a", "/docs/a: is no path of a file from the repository's root; write it like docs/a.md"),
        ("docs/../a", "docs/../a: is no path of a file from the repository's root; write it like docs/a.md"),
        ("docs/", "docs/: is no path of a file from the repository's root; write it like docs/a.md"),
        ("file", "file: is the name under which the file's own lines are reported; write ./file"),
    ],
)
def test_what_is_no_path_is_refused(file: Path, path: str, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        run_command(owners, "owners", "--codeowners", file, path)
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("data", "said"),
    [(None, "cannot be read (No such file or directory): give a CODEOWNERS file"), (b"\xff", "is no UTF-8")],
)
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, data: bytes | None, said: str) -> None:
    file = tmp_path / "CODEOWNERS"
    if data is not None:
        file.write_bytes(data)
    with pytest.raises(BadInput) as refused:
        run_command(owners, "owners", "--codeowners", file, "a")
    assert said in str(refused.value)
