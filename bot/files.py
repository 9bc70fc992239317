"""Files of this machine: those that a person names, curves that come with the bot, YAML parsed once; and its clock."""

import hashlib
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

from bot.github.sharing import ByteLru
from gatekit.domain.errors import BadInput
from gatekit.formats.yaml_document import DEFAULT_LIMITS, Document, read_yaml
from gatekit.formats.yaml_reader import YamlLimits
from gatekit.goldens.curve import Curve
from gatekit.goldens.lookup import load_curves

MOST_BYTES = 3 * 1024 * 1024  # of file contents; with what plans make of them they take up to twenty times as much


class ParsedFiles:
    """Reads as `gatekit.formats.yaml_document.read_yaml` does, from any thread.

    What it gives is shared: nobody may change it.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._held: ByteLru[tuple[str, YamlLimits, bytes], Document] = ByteLru(most_bytes)
        self._lock = threading.Lock()

    def __call__(self, path: str, data: bytes, limits: YamlLimits = DEFAULT_LIMITS) -> Document:
        """Raises BadInput."""
        key = path, limits, hashlib.sha256(data).digest()
        with self._lock:
            known = self._held.get(key)
        if known is None:
            known = read_yaml(path, data, limits)
            with self._lock:
                self._held.put(key, known, len(data))
        return known


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
