"""A node program for tests of executors: does at once what `engine.command` of its job.json says, and no replay.

usage: python stub_node.py RUN_DIR
words: sit       claim, and wait for SIGTERM         unclaimed  wait without a claim
       die       claim, and end without a result     deaf       claim, and do not hear SIGTERM
       finish    claim, write a result, end          hide       leave a child in a session of its own, unmarked
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from bot.node.claim import claim

CHILDREN = "children"  # one pid a line
ENVIRONMENT = "environment.json"
STARTS = "starts"  # one line for each start that got the claim


def write_down(folder: Path, file: str, line: object) -> None:
    with (folder / file).open("a") as opened:
        opened.write(f"{line}\n")


def hide(folder: Path) -> None:
    """A child that leaves our session and our environment behind, but not us."""
    child = subprocess.Popen(["/bin/sleep", "600"], env={}, start_new_session=True)
    write_down(folder, CHILDREN, child.pid)


def main(folder: Path) -> None:
    words = json.loads((folder / "job.json").read_text())["engine"]["command"]
    if "deaf" in words:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "unclaimed" not in words:
        if not claim(folder):
            sys.exit(3)
        write_down(folder, STARTS, os.getpid())
    (folder / ENVIRONMENT).write_text(json.dumps(dict(os.environ)))
    Path(os.environ["TMPDIR"], "left-behind").touch()
    if "hide" in words:
        hide(folder)
    if "finish" in words:
        (folder / "result.json").write_text("{}")
    if not {"finish", "die"} & set(words):
        write_down(folder, "ready", os.getpid())
        while True:
            time.sleep(600)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
