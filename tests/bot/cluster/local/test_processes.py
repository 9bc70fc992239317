"""Who belongs to a job, and who never does."""

import json
import os
import subprocess
import sys

import pytest

from bot.cluster.local import processes

MARK = f"gk-{os.getpid()}-proctest-1.0123456789ab"
INSIDE = """
import json, os, subprocess, sys
from bot.cluster.local import processes
children = [subprocess.Popen(["/bin/sleep", "600"]), subprocess.Popen(["/bin/sleep", "600"], env={})]
family = processes.families([sys.argv[1]])[sys.argv[1]]
for child in children:
    child.kill()
print(json.dumps({"family": sorted(p.pid for p in family), "children": sorted(c.pid for c in children),
                  "me": os.getpid(), "shell": os.getppid()}))
"""


def test_a_bot_inside_a_job_ends_neither_itself_nor_who_started_it() -> None:
    """The mark is inherited: by us, by the program that started us, and by what we start."""
    words = ["/bin/sh", "-c", '"$@"; exit $?', "sh", sys.executable, "-c", INSIDE, MARK]
    ended = subprocess.run(words, env={**os.environ, "GATEKIT_JOB": MARK}, capture_output=True, text=True, check=True)
    seen = json.loads(ended.stdout)
    assert seen["me"] not in seen["family"]
    assert seen["shell"] not in seen["family"]
    assert set(seen["family"]) & set(seen["children"])


@pytest.mark.parametrize("entry", [f"GATEKIT_JOB={MARK}0", f"XGATEKIT_JOB={MARK}", f"OTHER=GATEKIT_JOB={MARK}"])
def test_only_the_whole_mark_counts(entry: str) -> None:
    name, _, value = entry.partition("=")
    with subprocess.Popen(["/bin/sleep", "600"], env={name: value}) as stranger:
        assert processes.families([MARK])[MARK] == frozenset()
        assert processes.read(stranger.pid) is not None
        stranger.kill()


def test_a_zombie_is_dead() -> None:
    child = subprocess.Popen(["/bin/true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it ended, and stays unburied
    assert processes.read(child.pid) is None
    assert child.wait() == 0
