"""A repository archive, read in memory and held against the git tree of its commit."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.errors import BadInput
from gatekit.domain.ids import Sha
from gatekit.domain.text import is_inside, shown
from gatekit.formats.tar_members import ArchiveLimits, Blob, members, readable

LINK_MODE = "120000"
NAMED = 3  # files that a refusal names


class EntryKind(StrEnum):
    """What a git tree entry is, in GitHub's words. COMMIT is a submodule."""

    BLOB = "blob"
    TREE = "tree"
    COMMIT = "commit"


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One row of a recursive git tree."""

    path: str
    mode: str
    kind: EntryKind
    sha: str


DEFAULT_LIMITS = ArchiveLimits()


def git_blob_sha(data: bytes) -> str:
    """The object id that git gives to these bytes as a file."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def read_archive(gz: bytes, tree: Sequence[TreeEntry], sha: Sha, limits: ArchiveLimits = DEFAULT_LIMITS) -> Snapshot:
    """The files of a commit from its tar.gz, each verified by its git object id against the commit's recursive tree.

    The archive holds one top folder, as GitHub makes it. Inflating stops at a limit. Links are named in the snapshot,
    never followed; submodules come from the tree. Raises BadInput where the archive is not exactly the tree.
    """
    where = f"archive of {sha[:12]}"
    found = _unpack(gz, where, limits)
    _compare(found, tree, where)
    return Snapshot(
        sha=sha,
        files={path: stored.data for path, stored in found.items() if not stored.link},
        links=frozenset(path for path, stored in found.items() if stored.link),
        gitlinks={entry.path: Sha(entry.sha) for entry in tree if entry.kind is EntryKind.COMMIT},
    )


def _unpack(gz: bytes, where: str, limits: ArchiveLimits) -> dict[str, Blob]:
    found: dict[str, Blob] = {}
    seen: set[str] = set()
    top = None
    for member in members(gz, where, limits):
        folder, _, path = member.name.partition("/")
        top = top or folder
        if not is_inside(member.name) or folder != top or (not path and member.stored is not None):
            raise BadInput(where, f"holds `{readable(member.name)}`, which is not inside its one top folder; rename it")
        if path in seen:
            raise BadInput(where, f"holds `{readable(path)}` twice; keep one of them")
        seen.add(path)
        if member.stored is not None:
            found[path] = member.stored
    return found


def _compare(found: Mapping[str, Blob], tree: Sequence[TreeEntry], where: str) -> None:
    wanted = {entry.path: entry for entry in tree if entry.kind is EntryKind.BLOB}
    wrong = [f"{shown(path)} (missing)" for path in wanted if path not in found]
    wrong += [f"{readable(path)} (not in the commit)" for path in found if path not in wanted]
    wrong += [
        f"{shown(path)} (different)"
        for path, entry in wanted.items()
        if path in found and not _same(found[path], entry)
    ]
    if wrong:
        more = f" and {len(wrong) - NAMED} more" if len(wrong) > NAMED else ""
        raise BadInput(
            where,
            f"is not what the commit holds: {', '.join(wrong[:NAMED])}{more}; take out what changes archives "
            "in `.gitattributes`, such as export-ignore or export-subst",
        )


def _same(stored: Blob, entry: TreeEntry) -> bool:
    return stored.link == (entry.mode == LINK_MODE) and git_blob_sha(stored.data) == entry.sha
