"""Every process of a job ends, also one that does not want to, or hides. Who ends them runs in a process of its own."""

import json
import mmap
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bot.node import memory, processes
from tests.worlds.bot.until import PATIENCE, wait_until
from tests.worlds.cluster.node_run import ROOT, alive, marked

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
    ended = subprocess.run([sys.executable, "-c", STORY], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
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
    wait_until(lambda: stranger.pid in marked(mark))
    starter = f"import subprocess, sys; print(subprocess.run([sys.executable, '-c', {story!r}]).returncode)"
    ended = subprocess.run(
        [sys.executable, "-c", starter], cwd=ROOT, env=env, capture_output=True, text=True, timeout=PATIENCE
    )
    assert ended.stdout.split() == ["set()", "0"]
    assert stranger.wait(PATIENCE) == -15


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
    ended = subprocess.run([sys.executable, "-c", story], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
    assert ended.stdout == "127\n"


SHARING = """
import json, mmap, os, sys
from bot.node import processes

map_it = "import mmap, os, signal, sys, time; f = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600); "
map_it += "os.ftruncate(f, 4096); m = mmap.mmap(f, 4096); signal.signal(signal.SIGTERM, signal.SIG_IGN); "
map_it += "print(1, flush=True); time.sleep(600)"
env = {"PATH": os.environ["PATH"], processes.MARKER: "gk-9-cccc0000-1"}
for path in sys.argv[1:]:
    processes.spawn([sys.executable, "-c", map_it, path], env, "/").stdout.readline()
print(json.dumps(sorted(processes.end_all("gk-9-cccc0000-1", grace=0.3))))
"""


def test_shared_memory_that_only_the_job_had_goes_with_it() -> None:
    """One segment is only the job's; one a stranger has mapped too; and one file beside them nobody has mapped."""
    alone, shared, beside = (Path(f"/dev/shm/gk-test-{os.getpid()}-{name}") for name in ("alone", "shared", "beside"))
    try:
        beside.write_bytes(b"somebody's")
        shared.write_bytes(bytes(4096))
        with shared.open("r+b") as file, mmap.mmap(file.fileno(), 4096):
            words = [sys.executable, "-c", SHARING, str(alone), str(shared)]
            ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
        assert (ended.stdout, ended.stderr) == ("[]\n", "")
        assert [path.exists() for path in (alone, shared, beside)] == [False, True, True]
    finally:
        for path in (alone, shared, beside):
            path.unlink(missing_ok=True)


LEAVING = """
import json, os, sys
from bot.node import processes

make = "import multiprocessing, signal, time; from multiprocessing.shared_memory import SharedMemory; "
make += "signal.signal(signal.SIGTERM, signal.SIG_IGN); m = SharedMemory(create=True, size=4096); "
make += "s = multiprocessing.get_context('spawn').Semaphore(); print(m.name, s._semlock.name[1:], flush=True); "
make += "m.close(); time.sleep(600)"
env = {"PATH": os.environ["PATH"], processes.MARKER: "gk-9-dddd0000-1"}
names = processes.spawn([sys.executable, "-c", make], env, "/").stdout.readline().decode().split()
there = [os.path.exists("/dev/shm/" + name) for name in (names[0], "sem." + names[1])]
left = processes.end_all("gk-9-dddd0000-1", grace=0.3)
gone = [not os.path.exists("/dev/shm/" + name) for name in (names[0], "sem." + names[1])]
print(json.dumps({"there": there, "gone": gone, "left": sorted(left)}))
"""


def test_pythons_own_helper_may_take_away_what_a_killed_program_left() -> None:
    """Nobody has it mapped any more: only the helper knows of it."""
    ended = subprocess.run([sys.executable, "-c", LEAVING], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
    assert json.loads(ended.stdout) == {"there": [True, True], "gone": [True, True], "left": []}


def test_another_file_of_the_same_name_is_not_taken_away() -> None:
    path = Path(f"/dev/shm/gk-test-{os.getpid()}-again")
    try:
        path.write_bytes(bytes(4096))
        with path.open("r+b") as file, mmap.mmap(file.fileno(), 4096):
            mapped = {one for one in memory.segments([os.getpid()]) if one.path == str(path)}
        assert len(mapped) == 1
        other = path.with_name(f"{path.name}-other")
        other.write_bytes(b"somebody's")  # beside the first, so that it has an inode of its own
        other.replace(path)
        memory.remove(mapped)
        assert path.read_bytes() == b"somebody's"
    finally:
        path.unlink(missing_ok=True)
