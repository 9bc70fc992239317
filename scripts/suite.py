"""Runs the tests in two processes side by side: those that mostly wait (on a SLURM, end to end), and all others.

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
    """Shows the others as they run, then what came of the long ones; the worse exit status."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        waiting = (*PYTEST, "-m", "long", "-p", "no:cacheprovider", *words)
        with subprocess.Popen(waiting, cwd=ROOT, stdout=said, stderr=subprocess.STDOUT) as long:
            try:
                others = subprocess.run((*PYTEST, "-m", "not long", *words), cwd=ROOT, check=False).returncode
                long.wait()
            finally:
                if long.poll() is None:
                    long.send_signal(signal.SIGINT)  # it takes its cluster down
        said.seek(0)
        print(f"\nThe long tests:\n{said.read()}", flush=True)
    return together(others, long.returncode)


def together(*statuses: int) -> int:
    """0 where all went well. One that a signal ended has a negative status, and is a failure too."""
    return 1 if any(status not in (0, NOTHING) for status in statuses) else 0


def main(words: Sequence[str]) -> int:
    return subprocess.run((*PYTEST, *words), cwd=ROOT, check=False).returncode if words else side_by_side(())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
