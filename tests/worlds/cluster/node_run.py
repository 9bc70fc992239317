"""A run folder, a prompt file and a started node program, as an executor would have them."""

import copy
import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.cluster.node_program import build_node
from bot.node.processes import mark_of
from tests.worlds.bot.until import WHOLE_GATE
from tests.worlds.engine.tokenizer import write_tokenizer

ROOT = Path(__file__).resolve().parents[3]
AIPERF = ROOT / ".venvs" / "aiperf" / "bin" / "aiperf"
RECORDING = ROOT / "tests" / "worlds" / "engine" / "recording.py"


@functools.cache
def old_python() -> str:
    """The oldest Python here that the node program promises to run on; where there is none, ours."""
    found = [shutil.which("python3.9"), *map(str, Path.home().glob(".pyenv/versions/3.9.*/bin/python")), sys.executable]
    works = "import sys; sys.exit(sys.version_info < (3, 9))"
    return next(
        name for name in found if name and subprocess.run([name, "-c", works], capture_output=True).returncode == 0
    )


def prompt(number: int, *turns: str, category: str = "coding") -> dict[str, Any]:
    texts = turns or (f"write function {number}",)
    return {
        "question_id": f"{number:032d}",
        "category": category,
        "messages": [{"role": "user", "content": text} for text in texts],
    }


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def marked(mark: str) -> list[int]:
    """Every living process that carries a job's mark."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"GATEKIT_JOB={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue
    return [pid for pid in found if alive(pid)]


@dataclass
class NodeRun:
    """One attempt. `job` may be changed until `start`."""

    folder: Path
    home: Path  # prompts, tokenizer and the engine's record: outside of the run folder
    temporary: Path  # TMPDIR of the node
    job: dict[str, Any]
    given_mark: str | None = None  # by whoever starts the node program, such as a job script
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def mark(self) -> str:
        """What the node program gives itself where nobody else did."""
        return self.given_mark or mark_of(self.folder)

    @property
    def record(self) -> list[dict[str, Any]]:
        path = self.home / "record.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    @property
    def requests(self) -> list[dict[str, Any]]:
        return [entry for entry in self.record if "path" in entry]

    @property
    def engine(self) -> dict[str, Any]:
        return next(entry["start"] for entry in self.record if "start" in entry)

    def prompts(self, *rows: Mapping[str, Any]) -> None:
        path = Path(self.job["replay"]["prompts"])
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        self.job["replay"]["prompts_sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()

    def engine_faults(self, *words: str) -> None:
        self.job["engine"]["command"] += words

    def start(self) -> subprocess.Popen[bytes]:
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.folder / "job.json").exists():
            (self.folder / "job.json").write_text(json.dumps(self.job))
        return self.start_again()

    def start_again(self) -> subprocess.Popen[bytes]:
        program = build_node(self.home / "node")
        env = {"PATH": os.environ["PATH"], "TMPDIR": str(self.temporary), "SECRET_TOKEN": "hidden", "LANG": "C.UTF-8"}
        if self.given_mark is not None:
            env["GATEKIT_JOB"] = self.given_mark
        process = subprocess.Popen([old_python(), str(program.path), str(self.folder)], env=env, cwd=self.folder)
        self.started.append(process)
        return process

    def run(self) -> dict[str, Any]:
        """To the end, and the result."""
        self.start().wait(WHOLE_GATE)
        return self.result()

    def result(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "result.json").read_text())
        return found

    def text(self, name: str) -> str:
        return (self.folder / name).read_text()

    def nothing_is_left(self) -> None:
        """No process of the job lives, and no temporary file lies about."""
        assert marked(self.mark) == []
        assert list(self.temporary.iterdir()) == []

    def stop(self) -> None:
        for process in self.started:
            if process.poll() is None:
                process.terminate()
                process.wait(WHOLE_GATE)


def job(home: Path, name: str) -> dict[str, Any]:
    """A job for the recording engine: two prompts to the chat endpoint."""
    command = [sys.executable, str(RECORDING), "--port", "{port}", "--record", str(home / "record.jsonl")]
    replay = {
        "prompts": str(home / "prompts.jsonl"),
        "prompts_sha256": None,
        "category": "coding",
        "count": 2,
        "turns": "first",
        "endpoint": "/v1/chat/completions",
        "rendering": "server",
        "output_len": 16,
        "ignore_eos": False,
        "concurrency": 1,
        "sampling": {"temperature": 1.0},
        "template_kwargs": None,
        "thinking_marker": None,
        "seconds": 600,
    }
    engine = {
        "name": "vllm",
        "command": command,
        "env": [["COLOUR", "blue"]],
        "unset": ["LANG"],
        "health": "/health",
        "metrics": "/metrics",
        "start_seconds": 600,
        "settle_seconds": 0.1,
    }
    whole = {
        "schema": 1,
        "job": name,
        "gate": "f" * 64,
        "attempt": 1,
        "model": "toy",
        "checkpoint": str(home / "model"),
        "engine": engine,
        "replay": replay,
    }
    return copy.deepcopy({**whole, "aiperf": [str(AIPERF)], "tokenizer": str(home / "tokenizer"), "slice_seconds": 0.2})


@contextmanager
def node_run(tmp_path: Path, name: str = "gk-7-abc12345-1") -> Iterator[NodeRun]:
    home, temporary = tmp_path / f"home-{name}", Path(tempfile.mkdtemp(prefix="node-test-"))
    home.mkdir()
    write_tokenizer(home / "tokenizer")
    world = NodeRun(tmp_path / "runs" / name, home, temporary, job(home, name))
    world.prompts(prompt(1), prompt(2))
    try:
        yield world
    finally:
        world.stop()
        shutil.rmtree(temporary, ignore_errors=True)
