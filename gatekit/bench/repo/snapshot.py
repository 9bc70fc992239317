"""The files of a repository at one commit, held in memory, and why it has none at a path."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gatekit.domain.ids import Sha
from gatekit.domain.text import folders


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Regular files only; links are named, never followed. `sha` is None for a folder on disk."""

    sha: Sha | None
    files: Mapping[str, bytes]
    links: frozenset[str] = frozenset()
    gitlinks: Mapping[str, Sha] = field(default_factory=dict)  # submodule path -> commit


def in_the_way(snapshot: Snapshot, path: str) -> str | None:
    """What stands where the file should be, and what to do; None: nothing does."""
    for place in (*folders(path), path):
        at = "" if place == path else f"{place} "
        if place in snapshot.links:
            return f"{at}is a link, which is not followed; put the file itself there"
        if place in snapshot.gitlinks:
            return f"{at}is a submodule, which is not read; put the file into the repository"
        if place != path and place in snapshot.files:
            return f"{at}is a file; make it a folder that holds the file"
    if any(name.startswith(f"{path}/") for name in (*snapshot.files, *snapshot.links, *snapshot.gitlinks)):
        return "is a folder; put a file there"
    return None
