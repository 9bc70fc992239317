"""A folder on disk → a snapshot, as if it were a commit."""

import argparse
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.errors import BadInput
from gatekit.goldens.curve import Curve
from gatekit.goldens.lookup import load_curves

# What lies in a checkout without being part of the repository.
SKIPPED = frozenset({".git", ".venv", ".venvs", "__pycache__", "node_modules"})


@dataclass(frozen=True, slots=True)
class FolderLimits:
    files: int = 50_000
    bytes_per_file: int = 16 * 1024 * 1024  # larger files are left out: nothing that is read is so large
    bytes: int = 512 * 1024 * 1024


def folder_named(text: str) -> Path:
    """An argparse type: no text at all would be the current folder, which nobody named."""
    if not text:
        raise argparse.ArgumentTypeError("an empty text names no folder: write . for the current one")
    return Path(text)


def read_folder(folder: Path, limits: FolderLimits | None = None) -> Snapshot:
    """Every regular file below a folder. Links are named and never followed; other kinds of files are left out.

    Raises BadInput where the folder is none, or holds more than the limits.
    """
    most = limits or FolderLimits()
    if not folder.is_dir():
        raise BadInput(str(folder), "is no folder; give the root of a checkout")
    files: dict[str, bytes] = {}
    links: set[str] = set()
    total = 0
    for entry in _entries(folder):
        path = Path(entry.path).relative_to(folder).as_posix()
        if entry.is_symlink():
            links.add(path)
            continue
        data = _read(entry.path, most.bytes_per_file)
        if data is None:
            continue
        files[path] = data
        total += len(data)
        if len(files) > most.files or total > most.bytes:
            allowed = f"{most.files:,} files or {most.bytes // 1024 // 1024} MiB"
            raise BadInput(str(folder), f"holds more than {allowed}; give a clean checkout of the repository")
    return Snapshot(sha=None, files=files, links=frozenset(links))


def read_curves(folder: Path) -> Mapping[str, Curve]:
    """The golden curves in a folder, by name. Raises BadInput with the file and line, and where there is none."""
    curves = load_curves(curve_files(folder))
    if not curves:
        raise BadInput(str(folder), "holds no curve; give a folder with one .yaml for each")
    return curves


def curve_files(folder: Path) -> Mapping[str, bytes]:
    return {f"{folder}/{path}": data for path, data in read_folder(folder).files.items()}


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in SKIPPED:
                yield from _entries(Path(entry.path))
        else:
            yield entry


def _read(path: str, most: int) -> bytes | None:
    """The bytes of a regular file; None for anything else, and for one that is too large."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        return file.read() if stat.S_ISREG(status.st_mode) and status.st_size <= most else None
