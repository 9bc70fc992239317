"""What is compared: how to install it, start it and look at it."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CACHE = ROOT / ".cache" / "ack"

GIDGETHUB_PYTHON = CACHE / "gidgethub" / "bin" / "python"


@dataclass(frozen=True)
class Subject:
    name: str
    command: tuple[str, ...]


def subjects(database: Path) -> list[Subject]:
    """Gatekit first."""
    door = (sys.executable, str(HERE / "servers/gatekit_door.py"), str(database))
    return [
        Subject("gatekit, acknowledging", (*door, "door")),
        Subject("gatekit, handling too", (*door, "dispatch")),
        Subject("gidgethub 6", (str(GIDGETHUB_PYTHON), str(HERE / "servers/gidgethub_app.py"))),
        Subject("probot 14", ("node", str(HERE / "servers/probot_app.mjs"), str(CACHE / "probot"))),
    ]


@dataclass(frozen=True)
class Server:
    process: "subprocess.Popen[bytes]"
    port: int

    @property
    def rss_mib(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))

    @property
    def cpu_seconds(self) -> float:
        """User and system time of all its threads."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def running(subject: Subject) -> Iterator[Server]:
    """On the first core. Killed at the end."""
    command = ("taskset", "--cpu-list", "0", *subject.command)
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
        try:
            assert process.stdout is not None
            yield Server(process, int(process.stdout.readline()))
        finally:
            process.kill()


def install() -> None:
    """Once for each lock, into .cache/ack."""
    lock = HERE / "gidgethub.lock"
    if _stale("gidgethub", lock):
        subprocess.run([sys.executable, "-m", "venv", str(CACHE / "gidgethub")], check=True)
        pip = [str(GIDGETHUB_PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--require-hashes", "-r", str(lock)], check=True)
        _stamp("gidgethub").write_text(_digest(lock), encoding="utf-8")
    lock = HERE / "probot" / "package-lock.json"
    if _stale("probot", lock):
        shutil.copytree(HERE / "probot", CACHE / "probot")
        npm = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run(npm, cwd=CACHE / "probot", check=True, stdout=sys.stderr)
        _stamp("probot").write_text(_digest(lock), encoding="utf-8")


def _stale(name: str, lock: Path) -> bool:
    """Not installed from this lock; what is there is removed."""
    if _stamp(name).exists() and _stamp(name).read_text(encoding="utf-8") == _digest(lock):
        return False
    shutil.rmtree(CACHE / name, ignore_errors=True)
    return True


def _stamp(name: str) -> Path:
    return CACHE / name / ".lock-sha256"


def _digest(lock: Path) -> str:
    return hashlib.sha256(lock.read_bytes()).hexdigest()
