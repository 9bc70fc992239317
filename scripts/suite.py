"""Runs the tests in two processes side by side: those on a SLURM, which mostly wait, and all others.

usage: python -m scripts.suite [WORD...]      with words, one pytest does as they say
"""

import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTHING = 5  # pytest found no test
PYTEST = (sys.executable, "-m", "pytest")


def side_by_side(words: Sequence[str]) -> int:
    """Shows the others as they run, then what came of those on a SLURM; the worse exit status."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        waiting = (*PYTEST, "-m", "slurm", "-p", "no:cacheprovider", *words)
        with subprocess.Popen(waiting, cwd=ROOT, stdout=said, stderr=subprocess.STDOUT) as slurm:
            try:
                others = subprocess.run((*PYTEST, "-m", "not slurm", *words), cwd=ROOT, check=False).returncode
                slurm.wait()
            finally:
                if slurm.poll() is None:
                    slurm.send_signal(signal.SIGINT)  # it takes its cluster down
        said.seek(0)
        print(f"\nThe tests on a SLURM:\n{said.read()}", flush=True)
    return together(others, slurm.returncode)


def together(*statuses: int) -> int:
    """0 where all went well. One that a signal ended has a negative status, and is a failure too."""
    return 1 if any(status not in (0, NOTHING) for status in statuses) else 0


def main(words: Sequence[str]) -> int:
    return subprocess.run((*PYTEST, *words), cwd=ROOT, check=False).returncode if words else side_by_side(())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
