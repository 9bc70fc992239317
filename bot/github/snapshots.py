"""Whole commits in memory: one archive each, held against the git tree of the same commit."""

import asyncio
import re
from typing import Final

from bot.github.cache import ByteLru, SingleFlight
from bot.github.client import GitHubApp
from bot.github.fields import at, rows, text
from bot.github.operations import TARBALL, TREE
from bot.github.outcome import RestRequest, TooLarge, names
from gatekit.bench.repo.archive import EntryKind, TreeEntry, read_archive
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.errors import BadInput
from gatekit.domain.ids import Repo, Sha
from handlers.errors import LookupFailed

_TREE_BYTES: Final = 256  # about what one row of a tree takes
_TREES_BYTES: Final = 8 * 1024 * 1024
_SHA: Final = re.compile(r"[0-9a-f]{40}")

_Key = tuple[Repo, Sha]


class Snapshots:
    """Two requests for a commit that is not held; none for one that is."""

    def __init__(self, app: GitHubApp) -> None:
        self._app = app
        self._held: ByteLru[_Key, Snapshot] = ByteLru(app.limits.snapshot_bytes)
        self._trees: ByteLru[_Key, tuple[TreeEntry, ...]] = ByteLru(_TREES_BYTES)
        self._flight: SingleFlight[_Key, Snapshot] = SingleFlight()

    def held(self, repo: Repo, ref: str) -> Snapshot | None:
        """A snapshot that is in memory; None also for the name of a branch, which may have moved."""
        return self._held.get((repo, Sha(ref))) if _SHA.fullmatch(ref) else None

    async def snapshot(self, repo: Repo, sha: Sha) -> Snapshot:
        """Raises LookupFailed, and BadInput where the commit is too large or its archive is not its tree."""
        return self.held(repo, sha) or await self._flight.run((repo, sha), lambda: self._read(repo, sha))

    async def _read(self, repo: Repo, sha: Sha) -> Snapshot:
        tree = self._trees.get((repo, sha)) or await self._tree(repo, sha)
        archive = await self._archive(repo, sha)
        snapshot = await asyncio.to_thread(read_archive, archive, tree, sha)
        self._held.put((repo, sha), snapshot, sum(map(len, snapshot.files.values())))
        return snapshot

    async def _tree(self, repo: Repo, sha: Sha) -> tuple[TreeEntry, ...]:
        ask = RestRequest(TREE, {**names(repo), "tree_sha": sha}, {"recursive": "1"})
        tree = read_tree((await self._app.call(repo, ask)).json(), f"tree of {sha[:12]}")
        self._trees.put((repo, sha), tree, len(tree) * _TREE_BYTES)
        return tree

    async def _archive(self, repo: Repo, sha: Sha) -> bytes:
        """GitHub redirects to a host of its own; httpx does not take our Authorization there."""
        ask = RestRequest(TARBALL, {**names(repo), "ref": sha}, limit=self._app.limits.archive_bytes)
        try:
            return (await self._app.call(repo, ask)).body
        except TooLarge as large:
            raise BadInput(f"archive of {sha[:12]}", f"{large}; take large files out of the repository") from None


def read_tree(found: object, where: str) -> tuple[TreeEntry, ...]:
    """A recursive tree as GitHub answers it. Raises BadInput where GitHub cut it short."""
    if at(found, "truncated") is not False:
        raise BadInput(
            where, "GitHub does not list all of its files (100,000 at most); take some out of the repository"
        )
    return tuple(_entry(row) for row in rows(found, "tree"))


def _entry(row: object) -> TreeEntry:
    return TreeEntry(text(row, "path"), text(row, "mode"), _kind(text(row, "type")), text(row, "sha"))


def _kind(word: str) -> EntryKind:
    try:
        return EntryKind(word)
    except ValueError:
        raise LookupFailed(f"GitHub names a kind of tree entry that we do not know: {word!r}") from None
