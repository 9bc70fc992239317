"""One REST operation, with the App permission it needs."""

from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote


class Level(StrEnum):
    READ = "read"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class Operation:
    """One line of GitHub's REST reference.

    `permission` is the App permission as the manifest spells it; None: the App itself asks, signed by its key.
    """

    method: str
    path: str
    permission: str | None
    level: Level
    why: str

    @property
    def writes(self) -> bool:
        return self.method not in ("GET", "HEAD") and self.permission is not None

    @property
    def creates(self) -> bool:
        """Sent twice, it would make a second thing. A second token is harmless."""
        return self.method == "POST" and self.permission is not None

    def url(self, values: dict[str, str | int]) -> str:
        """The path with its places filled in; only a file's path may bring its own slashes."""
        filled = {name: quote(str(value), safe="/" if name == "path" else "") for name, value in values.items()}
        return self.path.format(**filled)
