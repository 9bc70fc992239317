"""The files of a repository at one commit, held in memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gatekit.domain.ids import Sha


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Regular files only; links are named, never followed. `sha` is None for a folder on disk."""

    sha: Sha | None
    files: Mapping[str, bytes]
    links: frozenset[str] = frozenset()
    gitlinks: Mapping[str, Sha] = field(default_factory=dict)  # submodule path -> commit
