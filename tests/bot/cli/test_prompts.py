"""`gatekit prompts`: what a prepared file must hold, and a stand-in for the script that prepares it."""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from bot.cli import prompts
from bot.collect.prompts import AS_OF, LONGEST_SCRIPT, NEEDS, REVISION, Preparing, prepare
from bot.node.failures import Failed
from bot.node.prompts import PLACEHOLDER
from tests.worlds.bot.commands import run_command
from tests.worlds.cluster.node_run import prompt

ROWS = [*(prompt(n) for n in range(80)), *(prompt(n, PLACEHOLDER, category="math") for n in range(100, 103))]


def written(*rows: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


WHOLE = written(*ROWS)
SHA256 = hashlib.sha256(WHOLE).hexdigest()

# Says what it was asked and what it sees, and copies what was prepared before.
STAND_IN = """
import argparse, json, os, pathlib, sys
parser = argparse.ArgumentParser()
parser.add_argument("--config")
parser.add_argument("--output_dir", type=pathlib.Path)
args = parser.parse_args()
seen = {"config": args.config, "environment": dict(os.environ), "prefix": sys.prefix, "base": sys.base_prefix}
pathlib.Path(%r).write_text(json.dumps(seen))
print("prepared")
source = pathlib.Path(%r)
if not source.exists():
    sys.exit(3)
(args.output_dir / f"{args.config}.jsonl").write_bytes(source.read_bytes())
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "qualitative.jsonl"
    path.write_bytes(WHOLE)
    return path


def test_a_file_as_it_should_be(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(prompts, "prompts", "check", file, "--sha256", SHA256.upper()) == 0
    said = capsys.readouterr()
    assert said.out == f"80 prompts of category coding, all fetched; sha256 {SHA256}\n"
    assert said.err == ""


def test_a_digest_that_nobody_wrote_down(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(prompts, "prompts", "check", file) == 0
    assert capsys.readouterr().err.startswith("Nobody wrote down which digest it should have: ")


def test_the_json_of_a_check(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(prompts, "prompts", "check", file, "--curve", "dsv4_mtp", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "ok": True,
        "sha256": SHA256,
        "expected": None,
        "reason": None,
        "category": "coding",
        "prompts": 80,
    }
    assert run_command(prompts, "prompts", "check", file.with_name("gone"), "--json") == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["ok"], said["sha256"], "cannot be read" in said["reason"]) == (False, None, True)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{" + WHOLE, "line 1: it is no JSON object"),
        (WHOLE.replace(b'"content"', b'"text"', 1), "line 1: a message must have the role user or system, and a text"),
        (WHOLE[: len(WHOLE) // 2], "it is no JSON object"),
        (written(*ROWS[:79]), "holds 79 prompts of category 'coding', the collection 80"),
        (
            written(*ROWS[:79], prompt(79, PLACEHOLDER)),
            "line 80: its text was never fetched: run prepare.py with access",
        ),
        (written(*ROWS[:79], prompt(78)), "line 80: question_id"),
        (written(*ROWS, ROWS[-1]), f"has the digest {hashlib.sha256(written(*ROWS, ROWS[-1])).hexdigest()}"),
        (b"", "holds 0 prompts"),
        (b"\xff\xfe" * 50, "line 1: it is no JSON object"),
    ],
)
def test_a_file_that_is_corrupted_short_or_was_never_fetched(
    file: Path, data: bytes, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_bytes(data)
    assert run_command(prompts, "prompts", "check", file, "--sha256", SHA256) == 1
    told = capsys.readouterr()
    assert (told.out, said in told.err, told.err.count("\n")) == ("", True, 1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--curve", "nobody"), "nobody is no curve of ours"),
        (("--curve", "musespark_dflash"), "musespark_dflash has no collection"),
    ],
)
def test_what_cannot_be_asked(
    file: Path, options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(prompts, "prompts", "check", file, *options) == 2
    assert said in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run_command(prompts, "prompts", "check", file, "--sha256", "abc")


@pytest.fixture
def script(tmp_path: Path, file: Path) -> Path:
    path = tmp_path / "stand_in.py"
    path.write_text(STAND_IN % (str(tmp_path / "seen.json"), str(file)))
    return path


def seen(tmp_path: Path) -> dict[str, object]:
    found = json.loads((tmp_path / "seen.json").read_text())
    assert isinstance(found, dict)
    return found


def test_the_script_runs_in_an_environment_of_its_own(tmp_path: Path, script: Path) -> None:
    """A real uv; the stand-in needs nothing, so nothing is installed."""
    ours = {**os.environ, "HF_TOKEN": "hf_x", "AWS_SECRET_ACCESS_KEY": "not theirs", "PYTHONPATH": "/nowhere"}
    assert prepare(Preparing(script, needs=()), ours) == WHOLE
    told = seen(tmp_path)
    environment = told["environment"]
    assert isinstance(environment, dict)
    assert told["config"] == "qualitative"
    assert told["prefix"] not in (told["base"], sys.prefix)
    assert environment["HF_TOKEN"] == "hf_x"
    assert "AWS_SECRET_ACCESS_KEY" not in environment
    assert "PYTHONPATH" not in environment
    assert not Path(environment["HOME"]).exists(), "what it needed is gone"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_the_script_is_fetched(tmp_path: Path, script: Path) -> None:
    (tmp_path / "large.py").write_bytes(b"#" * (LONGEST_SCRIPT + 1))
    with served(tmp_path) as address:
        assert prepare(Preparing(needs=(), address=f"{address}/{script.name}"), os.environ) == WHOLE
        for name, said in (("gone.py", "cannot be fetched (HTTP Error 404"), ("large.py", "is larger than a script")):
            with pytest.raises(Failed) as refused:
                prepare(Preparing(needs=(), address=f"{address}/{name}"), os.environ)
            assert said in str(refused.value)
            assert "--script" in str(refused.value)


def test_the_script_stands_at_one_revision() -> None:
    assert re.fullmatch("[0-9a-f]{40}", REVISION)
    assert f"/{REVISION}/" in Preparing().address


RECORDING_UV = """#!{python}
import os, subprocess, sys
open({record!r}, "w").write("\\n".join(sys.argv[1:]))
sys.exit(subprocess.call([sys.executable, *sys.argv[sys.argv.index("python") + 1:]]))
"""


def command(tmp_path: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """The console script on a machine whose uv writes down what it is asked, and then does without the packages."""
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    (folder / "uv").write_text(RECORDING_UV.format(python=sys.executable, record=str(tmp_path / "asked")))
    (folder / "uv").chmod(0o755)
    (folder / "python3").unlink(missing_ok=True)
    (folder / "python3").symlink_to(sys.executable)
    program = "import sys; from bot.cli.main import main; sys.exit(main(sys.argv[1:]))"
    env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": os.pathsep.join(sys.path)}
    line = [str(folder / "python3"), "-c", program, "prompts", "prepare", *map(str, words)]
    return subprocess.run(line, env=env, capture_output=True, text=True, check=False)


def test_what_it_needs_is_resolved_as_of_a_day(tmp_path: Path, script: Path) -> None:
    out = tmp_path / "out.jsonl"
    done = command(tmp_path, "--out", out, "--script", script, "--sha256", SHA256)
    assert (done.returncode, done.stdout) == (0, f"80 prompts of category coding, all fetched; sha256 {SHA256}\n")
    assert "prepared" in done.stderr
    asked = (tmp_path / "asked").read_text().split("\n")
    assert asked[:2] == ["run", "--no-project"]
    assert asked[asked.index("--exclude-newer") + 1] == AS_OF
    assert [asked[at + 1] for at, word in enumerate(asked) if word == "--with"] == list(NEEDS)
    assert out.read_bytes() == WHOLE


@pytest.mark.parametrize(
    ("prepared", "said"),
    [
        (written(*ROWS[:79]), "holds 79 prompts"),
        (written(*ROWS[:79], prompt(79, PLACEHOLDER)), "its text was never fetched"),
        (written(*ROWS, ROWS[-1]), "has the digest"),
        (None, "prepare.py ended with 3; what it said stands above."),
    ],
)
def test_what_is_not_as_it_should_be_is_not_written(
    tmp_path: Path, script: Path, file: Path, prepared: bytes | None, said: str
) -> None:
    out = tmp_path / "out.jsonl"
    out.write_bytes(b"from before")
    if prepared is None:
        file.unlink()
    else:
        file.write_bytes(prepared)
    done = command(tmp_path, "--out", out, "--script", script, "--sha256", SHA256)
    assert (done.returncode, said in done.stderr, "Traceback" in done.stderr) == (1, True, False)
    assert out.read_bytes() == b"from before"


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (("--out", "{tmp}/gone/out.jsonl"), 2, "gone is no folder; correct --out"),
        (("--out", "{tmp}/out.jsonl", "--script", "{tmp}/gone.py"), 1, "gone.py cannot be read"),
    ],
)
def test_where_it_cannot_begin(tmp_path: Path, options: tuple[str, ...], status: int, said: str) -> None:
    done = command(tmp_path, *(option.format(tmp=tmp_path) for option in options))
    assert (done.returncode, said in done.stderr) == (status, True)
