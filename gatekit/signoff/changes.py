"""The files that a pull request changes, and whether all of them are known."""

from collections.abc import Sequence
from dataclasses import dataclass

from gatekit.domain.unknown import Unknown


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One row of GitHub's list. A file that turned into a link comes as two rows of one path."""

    path: str
    previous: str | None = None  # of a renamed file
    removed: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        """Both names of a renamed file: each has its owners."""
        return (self.path,) if self.previous is None else (self.path, self.previous)


def all_files(rows: Sequence[ChangedFile], count: int) -> tuple[ChangedFile, ...] | Unknown:
    """The rows, where they are all; `count` is what the pull request itself says. GitHub lists 3,000 files at most."""
    listed = len({row.path for row in rows})
    if listed != count:
        return Unknown(f"the list of changed files has {listed:,} of {count:,}")
    return tuple(rows)


def paths_of(files: Sequence[ChangedFile]) -> tuple[str, ...]:
    """Every path that is touched, old names too, each once, in order."""
    return tuple(dict.fromkeys(path for file in files for path in file.paths))
