"""The curve file that is being filled, and what this machine says of itself for its record."""

import contextlib
import os
import platform
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


CPUINFO = Path("/proc/cpuinfo")


def this_machine() -> str:
    """E.g. `Intel(R) Xeon(R) Processor, 2 CPUs, x86_64, Linux`. Says nothing of what it cannot find out."""
    count = os.cpu_count()
    cpus = None if count is None else f"{count} CPU{'s' if count > 1 else ''}"
    facts = (_cpu(), cpus, platform.machine(), platform.system())
    return ", ".join(fact for fact in facts if fact)


def _cpu() -> str:
    try:
        lines = CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor())
