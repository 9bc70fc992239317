"""The curve file that is being filled."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from bot.files import text_of
from gatekit.domain.errors import BadInput
from gatekit.goldens.curve import Curve, curve_text
from gatekit.goldens.lookup import parse_curve

_A_CURVE = "a curve file"
ROOM = 64 * 1024  # bytes; no curve file is larger


def read_curve_file(path: Path) -> Curve:
    """Raises BadInput."""
    return parse_curve(str(path), text_of(path, _A_CURVE))


def try_writing(path: Path) -> None:
    """Whether a curve could be written there, before hours are spent on it. Leaves nothing behind. Raises BadInput."""
    _put(path, "#" * ROOM, lambda new: new.unlink())


def write_curve_file(path: Path, curve: Curve) -> None:
    """By rename, so that nobody ever reads half of it. Comment lines at the top of a file that is there stay.

    Raises BadInput where it cannot be written.
    """
    _put(path, _opening(path) + curve_text(curve), lambda new: os.replace(new, path))


def _put(path: Path, text: str, then: Callable[[Path], None]) -> None:
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        new.write_text(text, encoding="utf-8")
        then(new)
    except OSError as error:
        with contextlib.suppress(OSError):
            new.unlink()
        raise BadInput(str(path), f"cannot be written ({error.strerror}): choose another --out") from error


def _opening(path: Path) -> str:
    lines = text_of(path, _A_CURVE).splitlines(keepends=True) if path.exists() else []
    first = next((at for at, line in enumerate(lines) if not line.startswith("#")), len(lines))
    return "".join(lines[:first])
