"""Files of this machine: those that a person names, and curves that come with the bot; and its clock."""

from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

from gatekit.domain.errors import BadInput
from gatekit.goldens.curve import Curve
from gatekit.goldens.lookup import load_curves


def bytes_of(path: Path, what: str) -> bytes:
    """The bytes of a file; `what` says what it should hold, e.g. `a CODEOWNERS file`. Raises BadInput."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(str(path), f"cannot be read ({error.strerror}): give {what}") from error


def text_of(path: Path, what: str) -> str:
    """The same as text, with plain line ends. Raises BadInput."""
    try:
        return bytes_of(path, what).decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise BadInput(str(path), f"is not UTF-8 text: give {what}") from error


def own_curves() -> Mapping[str, Curve]:
    """By name. Raises BadInput where a file is no curve."""
    return load_curves(own_files())


def own_files() -> Mapping[str, bytes]:
    entries = files("goldens").iterdir()
    return {f"goldens/{entry.name}": entry.read_bytes() for entry in entries if entry.is_file()}


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)
