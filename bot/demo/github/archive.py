"""The archive that GitHub serves of a commit: what `git archive` writes, attributes of the commit itself included."""

import gzip
import io
import tarfile
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from bot.demo.github.objects import Commit, Entry, Files, Mode

ATTRIBUTES = ".gitattributes"
FOLDER = Entry(b"", Mode.TREE)
ORDINARY = (Mode.FILE, Mode.EXECUTABLE)
KINDS: Mapping[Mode, tuple[bytes, int]] = {  # of the archive's members; a gitlink is an empty folder
    Mode.FILE: (tarfile.REGTYPE, 0o664),
    Mode.EXECUTABLE: (tarfile.REGTYPE, 0o775),
    Mode.LINK: (tarfile.SYMTYPE, 0o777),
    Mode.TREE: (tarfile.DIRTYPE, 0o775),
    Mode.GITLINK: (tarfile.DIRTYPE, 0o775),
}


def tarball(commit: Commit, top: str) -> bytes:
    """A gzipped tar with the one folder `top`; the same bytes for the same commit.

    `export-ignore` drops a path and `export-subst` rewrites `$Format:%H$`, as the commit's own `.gitattributes` says.
    """
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT, pax_headers={"comment": commit.sha}) as tar:
        for path in ("", *_with_folders(commit.files)):
            if path and _has(commit.files, path, "export-ignore"):
                continue
            entry = commit.files.get(path, FOLDER)
            data = _exported(commit, path, entry) if entry.mode in ORDINARY else b""
            info = tarfile.TarInfo(f"{top}/{path}".rstrip("/"))
            info.type, info.mode = KINDS[entry.mode]
            info.mtime, info.size = int(commit.when.timestamp()), len(data)
            info.linkname = entry.data.decode() if entry.mode is Mode.LINK else ""
            tar.addfile(info, io.BytesIO(data))
    return gzip.compress(raw.getvalue(), mtime=0)


def _with_folders(files: Files) -> list[str]:
    folders = {folder for path in files for folder in _folders(path)}
    return sorted(folders | set(files))


def _folders(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    return ("/".join(parts[: depth + 1]) for depth in range(len(parts)))


def _exported(commit: Commit, path: str, entry: Entry) -> bytes:
    if not _has(commit.files, path, "export-subst"):
        return entry.data
    return entry.data.replace(b"$Format:%H$", commit.sha.encode())


def _has(files: Files, path: str, attribute: str) -> bool:
    """Whether the path, or a folder that holds it, carries the attribute; a later line wins over an earlier one."""
    for candidate in (path, *_folders(path)):
        carried = False
        for folder in ("", *_folders(candidate)):
            source = files.get(f"{folder}/{ATTRIBUTES}" if folder else ATTRIBUTES)
            below = candidate.removeprefix(f"{folder}/")
            for pattern, *names in _lines(source):
                if {attribute, f"-{attribute}"} & set(names) and _matches(pattern, below):
                    carried = attribute in names
        if carried:
            return True
    return False


def _lines(source: Entry | None) -> list[list[str]]:
    lines = source.data.decode().splitlines() if source and source.mode is not Mode.LINK else []
    return [line.split() for line in lines if line.strip() and not line.startswith("#")]


def _matches(pattern: str, path: str) -> bool:
    """A pattern with a slash is held against the whole path, one without against the last name."""
    if "/" in pattern:
        return fnmatchcase(path, pattern.removeprefix("/"))
    return fnmatchcase(path.rpartition("/")[2], pattern)
