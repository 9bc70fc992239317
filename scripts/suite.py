"""Runs the tests in two processes side by side: those that mostly wait (on a SLURM, end to end), and all others. Then
the fast ones once more, on each other Python that is supported and on this machine.

usage: python -m scripts.suite [WORD...]      with words, one pytest does as they say, on this Python alone
"""

import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTHING = 5  # pytest found no test
PYTEST = (sys.executable, "-m", "pytest")
SUPPORTED = ("3.11", "3.12", "3.13")
SLOW = (
    "tests/gatekit/measure/test_confidence_coverage.py",
    "tests/gatekit/plan/test_fuzz.py",
    "tests/gatekit/signoff/test_hostile_texts.py",
    "tests/bot/store/test_crash.py",
    "tests/bot/store/test_histories.py",
)
FAST = ("tests/gatekit", "tests/bot/store", *(f"--ignore={file}" for file in SLOW))  # a minute
# A pyenv stands in the way with programs that only say that they are not there; Debian keeps venv in its own package.
WORKS = "import ensurepip, sqlite3, ssl, sys, venv; print('%d.%d' % sys.version_info[:2])"


def side_by_side() -> int:
    """Shows the others as they run, then what came of the long ones; the worse exit status."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        waiting = (*PYTEST, "-m", "long", "-p", "no:cacheprovider")
        with subprocess.Popen(waiting, cwd=ROOT, stdout=said, stderr=subprocess.STDOUT) as long:
            try:
                others = subprocess.run((*PYTEST, "-m", "not long"), cwd=ROOT, check=False).returncode
                long.wait()
            finally:
                if long.poll() is None:
                    long.send_signal(signal.SIGINT)  # it takes its cluster down
        said.seek(0)
        say(f"\nThe long tests:\n{said.read()}")
    return together(others, long.returncode)


def together(*statuses: int) -> int:
    """0 where all went well. One that a signal ended has a negative status, and is a failure too."""
    return 1 if any(status not in (0, NOTHING) for status in statuses) else 0


def other_pythons(own: str, path: str, home: Path) -> Mapping[str, str]:
    """By version, a program for each supported one but `own`: on `path`, or of a pyenv in `home`."""
    found = {}
    for version in SUPPORTED:
        pyenv = sorted(home.glob(f".pyenv/versions/{version}.*/bin/python"))
        programs = (shutil.which(f"python{version}", path=path), *map(str, pyenv))
        working = [program for program in programs if program and version_of(program) == version]
        if version != own and working:
            found[version] = working[0]
    return found


def version_of(program: str) -> str | None:
    """None where it is no Python that an environment can be made of."""
    said = subprocess.run((program, "-c", WORKS), capture_output=True, text=True, check=False)
    return said.stdout.strip() if said.returncode == 0 else None


def on_others(others: Mapping[str, str]) -> int:
    """The fast tests, each Python in an environment of its own, which is made at the first time."""
    statuses = {version: environment(version, program) for version, program in others.items()}
    made = [version for version, status in statuses.items() if status == 0]
    with ThreadPoolExecutor() as pool:
        for version, ran in zip(made, pool.map(fast_tests, made), strict=True):
            say(f"\nThe fast tests on Python {version}:\n{ran.stdout}")
            statuses[version] = ran.returncode
    return together(*statuses.values())


def environment(version: str, program: str) -> int:
    env = {**os.environ, "PYTHON": program}
    return subprocess.run(("scripts/venv.sh", "bot", version), cwd=ROOT, env=env, check=False).returncode


def fast_tests(version: str) -> "subprocess.CompletedProcess[str]":
    words = ("-m", "pytest", "-q", "-m", "not long", "-p", "no:cacheprovider", *FAST)
    python = ROOT / ".venvs" / f"bot-{version}" / "bin" / "python"
    return subprocess.run(
        (python, *words), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )


def everything(own: str) -> int:
    here = side_by_side()
    others = other_pythons(own, os.environ.get("PATH", os.defpath), Path.home())
    missing = [version for version in SUPPORTED if version not in (own, *others)]
    if missing:
        say(f"\nNot run on Python {' and '.join(missing)}: not on this machine.")
    return together(here, on_others(others))


def say(line: str) -> None:
    print(line, flush=True)


def main(words: Sequence[str]) -> int:
    say(f"The tests run on Python {platform.python_version()}, {sys.executable}")
    if words:
        return subprocess.run((*PYTEST, *words), cwd=ROOT, check=False).returncode
    return everything("{}.{}".format(*sys.version_info[:2]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
