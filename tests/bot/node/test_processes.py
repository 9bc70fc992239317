"""Every process of a job ends, also one that does not want to, or hides. Who ends them runs in a process of its own."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bot.node import processes
from tests.worlds.node_run import ROOT, alive, marked, until

STORY = """
import json, os, sys, time
from bot.node import processes

processes.adopt_orphans()
stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); time.sleep(600)"
hide = "pid or os.setsid(); pid or os.execve('/bin/sleep', ['sleep', '600'], {})"
env = {"PATH": os.environ["PATH"], processes.MARKER: "gk-9-aaaa0000-1"}
one = processes.spawn([sys.executable, "-c", stubborn], env, "/")
one.stdout.readline()
other = processes.spawn([sys.executable, "-c", f"import os; pid = os.fork(); {hide}; print(pid, flush=True)"], env, "/")
hidden = int(other.stdout.readline())
family = processes.family("gk-9-aaaa0000-1")
left = processes.end_all("gk-9-aaaa0000-1", grace=0.3)
print(json.dumps({"stubborn": one.pid, "hidden": hidden, "family": sorted(family), "left": sorted(left)}))
"""


def test_who_ignores_the_polite_signal_or_left_its_session_is_ended_too() -> None:
    """The hidden one has another session, another parent and an empty environment."""
    ended = subprocess.run([sys.executable, "-c", STORY], cwd=ROOT, capture_output=True, text=True, timeout=60)
    told = json.loads(ended.stdout)
    assert {told["stubborn"], told["hidden"]} <= set(told["family"])
    assert told["left"] == []
    assert not alive(told["stubborn"])
    assert not alive(told["hidden"])


def test_a_marked_stranger_is_family_but_who_started_us_is_not(tmp_path: Path) -> None:
    """An executor may carry the mark itself: its node program must not end it."""
    mark = "gk-9-bbbb0000-1.0123456789ab"
    story = f"import sys, time; from bot.node import processes; print(processes.end_all({mark!r}), flush=True)"
    env = {"PATH": "/usr/bin:/bin", "GATEKIT_JOB": mark}
    stranger = subprocess.Popen(["sleep", "600"], env=env)
    until(lambda: stranger.pid in marked(mark))
    starter = f"import subprocess, sys; print(subprocess.run([sys.executable, '-c', {story!r}]).returncode)"
    ended = subprocess.run(
        [sys.executable, "-c", starter], cwd=ROOT, env=env, capture_output=True, text=True, timeout=60
    )
    assert ended.stdout.split() == ["set()", "0"]
    assert stranger.wait(30) == -15


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("/a/runs/gk-1-a-1", "/a/runs/gk-1-a-1", True),
        ("/a/runs/gk-1-a-1", "/b/runs/gk-1-a-1", False),
        ("/a/runs/gk-1-a-1", "/a/runs/gk-1-a-2", False),
    ],
)
def test_a_mark_belongs_to_one_run_folder_and_does_not_tell_where_it_is(one: str, other: str, same: bool) -> None:
    mark = processes.mark_of(Path(one))
    assert (mark == processes.mark_of(Path(other))) is same
    assert re.fullmatch(r"gk-1-a-1\.[0-9a-f]{12}", mark)


def test_a_program_that_is_none_ends_with_127() -> None:
    story = "from bot.node import processes; p = processes.spawn(['no-such'], {'PATH': '/bin'}, '/'); print(p.wait())"
    ended = subprocess.run([sys.executable, "-c", story], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert ended.stdout == "127\n"
