"""Shared memory of a job's processes. An engine that is killed leaves its own behind, where nobody looks for it."""

from __future__ import annotations

import os
from typing import Iterable, NamedTuple

FOLDER = "/dev/shm/"


class Segment(NamedTuple):
    """A file of FOLDER, with its identity as /proc writes it: a name may be used again by somebody else."""

    path: str
    device: str
    inode: str


def segments(pids: Iterable[int]) -> set[Segment]:
    """What these processes have mapped. Nothing of a process that is gone, or that is another user's."""
    found: set[Segment] = set()
    for pid in pids:
        try:
            with open(f"/proc/{pid}/maps", encoding="utf-8", errors="surrogateescape") as file:
                lines = [line.rstrip("\n").split(None, 5) for line in file if FOLDER in line]
        except OSError:
            continue
        found.update(Segment(words[5], words[3], words[4]) for words in lines if words[5:] and _inside(words[5]))
    return found


def remove(found: set[Segment]) -> None:
    """Takes away what no living process has mapped any more, where it is still the same file and ours."""
    living = segments(int(entry) for entry in os.listdir("/proc") if entry.isdigit())
    for segment in found - living:
        try:
            seen = os.lstat(segment.path)
            if _identity(seen) == segment[1:] and seen.st_uid == os.getuid():
                os.unlink(segment.path)
        except OSError:
            continue  # its owner was faster


def _inside(path: str) -> bool:
    return path.startswith(FOLDER) and "/" not in path[len(FOLDER) :]


def _identity(seen: os.stat_result) -> tuple[str, str]:
    return f"{os.major(seen.st_dev):02x}:{os.minor(seen.st_dev):02x}", str(seen.st_ino)
