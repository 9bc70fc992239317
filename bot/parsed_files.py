"""Files of pull requests, parsed once: one push after the other brings mostly the same."""

import hashlib
import threading

from bot.github.cache import ByteLru
from gatekit.formats.yaml_document import DEFAULT_LIMITS, Document, read_yaml
from gatekit.formats.yaml_reader import YamlLimits

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
