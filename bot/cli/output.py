"""Stdout that cannot take what is written to it: a full disk, a closed pipe, no file at all."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TextIO


class OutputLost(Exception):
    """What was printed did not arrive. `str(error)` is one sentence; it is empty where the reader went away."""


class _Watched(io.TextIOBase):
    """A stream whose failures are told from those of every other file."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError as error:
            raise self._lost(error) from None

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            raise self._lost(error) from None

    def fileno(self) -> int:
        return self._stream.fileno()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def _lost(self, error: OSError) -> OutputLost:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())  # or the interpreter would try again at its end
        os.close(nowhere)
        if isinstance(error, BrokenPipeError):
            return OutputLost()
        return OutputLost(f"The output cannot be written ({error.strerror}): make room, or send it elsewhere.")


@contextmanager
def kept_output() -> Iterator[None]:
    """Raises OutputLost where not all that was printed within could be written. Afterwards stdout goes nowhere."""
    if sys.stdout is None:  # closed by who started us: its number must not go to the next file that is opened
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    with redirect_stdout(_Watched(sys.stdout)):
        try:
            yield
        finally:
            sys.stdout.flush()
