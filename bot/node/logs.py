"""The log files of a run folder: both bounded, whatever is written."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import IO

HEAD_BYTES = 256 << 10  # of a program's output that stay for ever
TAIL_BYTES = 1 << 20  # at least this much of its end stays
LINE_CHARS = 2000

_ERROR = " ERROR "


class JobLog:
    """job.log: what the node program does, a line each, with the time in UTC."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def __call__(self, line: str) -> None:
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        with self._lock, self._path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(f"{moment} {' '.join(line.split())[:LINE_CHARS]}\n")


class BoundedFile:
    """A file that keeps the first HEAD_BYTES and the last TAIL_BYTES (up to twice that) of what is written to it."""

    def __init__(self, path: Path, head: int = HEAD_BYTES, tail: int = TAIL_BYTES) -> None:
        self._file = path.open("w+b", buffering=0)
        self._head = head
        self._tail = tail
        self._cut = 0  # bytes left out so far

    def write(self, data: bytes) -> None:
        self._file.write(data)
        if self._file.tell() > self._head + 2 * self._tail:
            self._shorten()

    def _shorten(self) -> None:
        size = self._file.tell()
        self._file.seek(size - self._tail)
        tail = self._file.read(self._tail)
        self._cut += size - self._head - len(tail)
        self._file.seek(self._head)
        self._file.truncate()
        self._file.write(b"\n[about %d bytes left out]\n" % self._cut + tail)

    def close(self) -> None:
        self._file.close()


class Pump(threading.Thread):
    """Carries a program's output into a bounded file, so that the program never learns where its log lies."""

    def __init__(self, source: IO[bytes], target: BoundedFile) -> None:
        super().__init__(daemon=True)
        self._source = source
        self._target = target

    def run(self) -> None:
        while True:
            data = os.read(self._source.fileno(), 64 << 10)
            if not data:
                break
            self._target.write(data)
        self._source.close()
        self._target.close()


def first_error(path: Path) -> str | None:
    """What a program's first line with the level ERROR says; None: there is none. Later ones only follow from it."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            found = next((line for line in file if _ERROR in line), None)
    except OSError:
        return None
    return None if found is None else " ".join(found.partition(_ERROR)[2].split())
