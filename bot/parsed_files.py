"""YAML files of repositories, each content parsed once while there is room: most of a tree stays from push to push.

What a plan makes of a recipe (merged, stripped, read by an engine) hangs on its document, and stays as long.
"""

import hashlib
import threading

from bot.github.cache import ByteLru
from gatekit.formats.yaml_document import DEFAULT_LIMITS, Document, Limits, read_yaml

MOST_BYTES = 3 * 1024 * 1024  # of file contents; with what plans make of them they take up to twenty times as much


class ParsedFiles:
    """Reads as `gatekit.formats.yaml_document.read_yaml` does, from any thread.

    What it gives is shared: nobody may change it.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._held: ByteLru[tuple[str, Limits, bytes], Document] = ByteLru(most_bytes)
        self._lock = threading.Lock()

    def __call__(self, path: str, data: bytes, limits: Limits = DEFAULT_LIMITS) -> Document:
        """Raises BadInput."""
        key = path, limits, hashlib.sha256(data).digest()
        with self._lock:
            known = self._held.get(key)
        if known is None:
            known = read_yaml(path, data, limits)
            with self._lock:
                self._held.put(key, known, len(data))
        return known
