"""Processes of this machine by job, read from /proc, and signals that cannot hit anybody else. Linux only, blocking."""

import os
import signal
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.node.processes import MARKER

_PROC = Path("/proc")
_DEAD = frozenset("ZXx")  # a zombie does nothing any more; only its parent can bury it


@dataclass(frozen=True, slots=True)
class Process:
    """`pid` and `started` (clock ticks since boot) together name one process for ever: pids are used again."""

    pid: int
    started: int
    parent: int
    session: int


def read(pid: int) -> Process | None:
    """The living process that has this pid now; None: there is none."""
    try:
        text = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    fields = text.rpartition(b")")[2].split()  # the program's name before it may hold blanks and brackets
    if fields[0].decode() in _DEAD:
        return None
    return Process(pid, started=int(fields[19]), parent=int(fields[1]), session=int(fields[3]))


def everybody() -> Mapping[int, Process]:
    pids = (int(entry) for entry in os.listdir(_PROC) if entry.isdigit())
    return {process.pid: process for process in map(read, pids) if process is not None}


def marks(processes: Iterable[Process]) -> Mapping[int, str]:
    """The mark of the job that a process was started for, by pid, as far as its environment tells."""
    found: dict[int, str] = {}
    prefix = f"{MARKER}=".encode()
    for process in processes:
        try:
            environment = (_PROC / str(process.pid) / "environ").read_bytes().split(b"\0")
        except OSError:
            continue  # gone, or another user's: then it is no job of ours
        for entry in environment:
            if entry.startswith(prefix):
                found[process.pid] = entry.removeprefix(prefix).decode(errors="replace")
    return found


def families(wanted: Collection[str]) -> Mapping[str, frozenset[Process]]:
    """The living processes of each job, by its mark: who carries it, who shares a session with them, all descendants.

    Never ourselves, nor whoever started us, even where the bot was started inside a job.
    """
    table = everybody()
    marked = marks(table.values())
    spared = _ancestors(table, os.getpid())
    sessions = {table[pid].session: mark for pid, mark in marked.items() if pid not in spared}
    own = read(os.getpid())
    sessions.pop(own.session if own else 0, None)
    roots = {process.pid: sessions[process.session] for process in table.values() if process.session in sessions}
    owner = _spread(table, {**roots, **marked}, spared)
    return {mark: frozenset(table[pid] for pid, its in owner.items() if its == mark) for mark in wanted}


def is_living(process: Process) -> bool:
    now = read(process.pid)
    return now is not None and now.started == process.started


def ends_within(process: Process, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while is_living(process):
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def send(process: Process, number: signal.Signals) -> None:
    """Sends a signal to exactly this process; nothing where it is gone, even if its pid is used again."""
    try:
        handle = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return
    try:
        if is_living(process):
            signal.pidfd_send_signal(handle, number)
    except (ProcessLookupError, PermissionError):
        return  # gone between the two calls, or it gave itself to another user: the caller looks again
    finally:
        os.close(handle)


def _ancestors(table: Mapping[int, Process], pid: int) -> frozenset[int]:
    found: set[int] = set()
    while pid in table and pid not in found:
        found.add(pid)
        pid = table[pid].parent
    return frozenset(found)


def _spread(table: Mapping[int, Process], roots: Mapping[int, str], spared: frozenset[int]) -> Mapping[int, str]:
    """Hands each root's mark down to its descendants, but not past a spared process."""
    children: dict[int, list[int]] = {}
    for process in table.values():
        children.setdefault(process.parent, []).append(process.pid)
    owner = {pid: mark for pid, mark in roots.items() if pid not in spared}
    todo = list(owner)
    while todo:
        pid = todo.pop()
        for child in children.get(pid, []):
            if child not in owner and child not in spared:
                owner[child] = owner[pid]
                todo.append(child)
    return owner
