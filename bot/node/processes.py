"""Processes that we start, all that they start, and how every one of them ends."""

from __future__ import annotations

import ctypes
import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import PurePath
from typing import Iterator, Mapping, NamedTuple, Sequence

from bot.node import memory

MARKER = "GATEKIT_JOB"  # in the environment of every process of a job, so that others can find them after us
MARK_DIGITS = 12  # of the run folder's digest
GRACE_SECONDS = 8.0  # between the polite signal and the other one
TIDY_SECONDS = 3.0  # from the other one to the end of those who tidy up after the rest
KILL_SECONDS = 5.0  # how long the other one may take
TIDIES = b"multiprocessing.resource_tracker"  # in the command line of one

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: orphans of our children become our children
# Between fork and exec in a process of its own, because Python code in a forked child is unsafe beside threads:
# ends with its parent (PR_SET_PDEATHSIG is 1), then becomes the program.
_TRAMPOLINE = """
import ctypes, os, signal, sys
try:
    ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)
except (OSError, AttributeError):
    pass
if os.getppid() != int(sys.argv[1]):
    os._exit(125)
try:
    os.execvp(sys.argv[2], sys.argv[2:])
except OSError as error:
    print(f"{sys.argv[2]}: {error.strerror}", file=sys.stderr, flush=True)
    os._exit(127)
"""


def mark_of(folder: PurePath) -> str:
    """The mark of the job in a run folder: its name and a digest of the whole path.

    Two bots on one machine may give equal names to different jobs, so a name alone marks nobody.
    """
    return f"{folder.name}.{hashlib.sha256(os.fsencode(folder)).hexdigest()[:MARK_DIGITS]}"


class Stat(NamedTuple):
    state: str
    parent: int
    started: int  # clock ticks since boot: with the pid it names a process for ever


def adopt_orphans() -> None:
    """From now on a process that loses its parent among our descendants becomes our child. Best effort."""
    try:
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        return


def spawn(
    argv: Sequence[str], env: Mapping[str, str], folder: str, output: int | None = None
) -> subprocess.Popen[bytes]:
    """Starts a program in a session of its own. Exit code 127: it cannot be started. Call it in the main thread only.

    `output` is a file descriptor for stdout and stderr; None: a pipe.
    """
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _TRAMPOLINE, str(os.getpid()), *argv],
        env=dict(env),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if output is None else output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def stat(pid: int) -> Stat | None:
    """What /proc says; None: there is no such process (any more)."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return Stat(fields[0].decode(), int(fields[1]), int(fields[19]))


def family(mark: str) -> set[int]:
    """Every living process that descends from us or carries the job's mark: not ourselves, nor who started us."""
    table: dict[int, Stat] = {pid: found for pid, found in ((pid, stat(pid)) for pid in _pids()) if found}
    children: dict[int, list[int]] = {}
    for pid, found in table.items():
        children.setdefault(found.parent, []).append(pid)
    ours, todo = set(), [os.getpid()]
    while todo:
        new = children.get(todo.pop(), [])
        ours.update(new)
        todo.extend(new)
    ours.update(pid for pid in table if pid not in ours and _marked(pid, mark))
    ours -= _ancestors(table)
    return {pid for pid in ours if table[pid].state not in "ZX"}


def end_all(mark: str, grace: float = GRACE_SECONDS) -> set[int]:
    """Ends the family: politely, and after `grace` seconds not. Returns who is still there, which should be nobody.

    What it had of shared memory, alone, goes with it.
    """
    shared: set[memory.Segment] = set()
    for number, seconds, spared in (
        (signal.SIGTERM, grace, _nobody),
        (signal.SIGKILL, TIDY_SECONDS, _tidying),
        (signal.SIGKILL, KILL_SECONDS, _nobody),
    ):
        end = time.monotonic() + seconds
        told: set[int] = set()
        while (left := family(mark)) and time.monotonic() < end:
            shared |= memory.segments(left - told)
            for pid in left - told - spared(left):
                _signal(pid, number)
            told |= left
            _reap()
            time.sleep(0.05)
    memory.remove(shared)
    return left


def _nobody(_: set[int]) -> set[int]:
    return set()


def _tidying(pids: set[int]) -> set[int]:
    """Python's helpers that take away what their program left, and end by themselves once it is gone."""
    return {pid for pid in pids if TIDIES in _words(pid)}


def _pids() -> Iterator[int]:
    return (int(entry) for entry in os.listdir("/proc") if entry.isdigit())


def _marked(pid: int, mark: str) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return f"{MARKER}={mark}".encode() in file.read().split(b"\0")
    except OSError:
        return False


def _words(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""


def _ancestors(table: Mapping[int, Stat]) -> set[int]:
    found, pid = set(), os.getpid()
    while pid in table and pid not in found:
        found.add(pid)
        pid = table[pid].parent
    return found


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return  # gone already, or never ours to end


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return
