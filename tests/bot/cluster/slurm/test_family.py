"""Whom the batch script takes for its own: never the helpers of another's session, as SLURM's step daemon heads one."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from gatekit.cluster.slurm.script import Attempt, job_script
from gatekit.domain.ids import JobName

MARK = "gk-7-a3f9c1d2-1.0123456789ab"
ACCOUNT = 65534  # nobody: who runs the tests is root
# Heads a session, and has two children of the account in it: one with the mark of the attempt, one without.
LEADER = """
import os, sys
for env in ({"GATEKIT_JOB": sys.argv[1]}, {}):
    child = os.fork()
    if not child:
        os.setuid(int(sys.argv[2]))
        os.execve("/bin/sleep", ["sleep", "600"], env)
    while open(f"/proc/{child}/comm").read().strip() != "sleep":
        pass
    print(child, flush=True)
os.wait()
"""


@contextmanager
def session(leader: int) -> Iterator[tuple[int, int]]:
    """The pids of the marked one and of the other."""
    words = ["/usr/bin/python3", "-c", LEADER, MARK, str(ACCOUNT)]
    with subprocess.Popen(words, user=leader, start_new_session=True, stdout=subprocess.PIPE, text=True) as head:
        assert head.stdout is not None
        pids = int(head.stdout.readline()), int(head.stdout.readline())
        try:
            yield pids
        finally:
            for pid in pids:
                subprocess.run(["kill", "-KILL", str(pid)], check=True)


def family() -> set[int]:
    script = job_script(Attempt(JobName("gk-7-a3f9c1d2-1"), "/run", "/node", "python3", "/tmp", MARK))
    (function,) = re.findall(r"^family\(\) \{.*?^\}$", script, re.MULTILINE | re.DOTALL)
    text = f"mark={MARK} child= session=$(ps -o sess= -p $$ | tr -d ' ')\n{function}\nfamily"
    said = subprocess.run(["bash", "-c", text], user=ACCOUNT, capture_output=True, text=True, check=True)
    return {int(pid) for pid in said.stdout.split()}


@pytest.mark.parametrize(("leader", "both"), [(ACCOUNT, True), (0, False)])
def test_who_shares_a_session_is_family_where_the_account_heads_it(leader: int, both: bool) -> None:
    with session(leader) as (marked, other):
        found = family()
        assert marked in found
        assert (other in found) is both
