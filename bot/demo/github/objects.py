"""Git objects, named by the SHA-1 that git itself would give them."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from gatekit.domain.ids import Sha


class Mode(StrEnum):
    FILE = "100644"
    EXECUTABLE = "100755"
    LINK = "120000"
    GITLINK = "160000"
    TREE = "040000"

    @property
    def kind(self) -> str:
        return {Mode.TREE: "tree", Mode.GITLINK: "commit"}.get(self, "blob")


@dataclass(frozen=True, slots=True)
class Entry:
    """One path of a commit. `data` is a file's content, a link's target, or the commit that a gitlink names."""

    data: bytes
    mode: Mode = Mode.FILE

    @property
    def sha(self) -> Sha:
        return Sha(self.data.decode()) if self.mode is Mode.GITLINK else object_sha("blob", self.data)


Files: TypeAlias = Mapping[str, Entry]


@dataclass(frozen=True, slots=True)
class TreeItem:
    path: str  # from the root of the listing
    mode: Mode
    sha: Sha
    size: int | None  # bytes of a blob


@dataclass(frozen=True, slots=True)
class Commit:
    sha: Sha
    tree: Sha
    parents: tuple[Sha, ...]
    author: str  # login
    message: str
    when: datetime
    files: Files


def object_sha(kind: str, body: bytes) -> Sha:
    """The name that git gives an object: SHA-1 over `<kind> <length>`, a zero byte and the body."""
    return Sha(hashlib.sha1(f"{kind} {len(body)}\0".encode() + body, usedforsecurity=False).hexdigest())


def email(login: str) -> str:
    return f"{login}@users.noreply.github.example"


def entries(files: Mapping[str, bytes | Entry]) -> Files:
    """Plain bytes are regular files."""
    return {path: data if isinstance(data, Entry) else Entry(data) for path, data in files.items()}


def tree_items(files: Files, prefix: str = "") -> tuple[Sha, tuple[TreeItem, ...]]:
    """The tree's SHA and everything below it, each folder before what it holds, in git's order."""
    folders: dict[str, dict[str, Entry]] = {}
    leaves: dict[str, Entry] = {}
    for path, entry in files.items():
        head, slash, rest = path.partition("/")
        if slash:
            folders.setdefault(head, {})[rest] = entry
        else:
            leaves[head] = entry
    body = b""
    items: list[TreeItem] = []
    for name in sorted({*leaves, *folders}, key=lambda name: f"{name}/".encode() if name in folders else name.encode()):
        below: tuple[TreeItem, ...] = ()
        if name in folders:
            sha, below = tree_items(folders[name], f"{prefix}{name}/")
            item = TreeItem(prefix + name, Mode.TREE, sha, None)
        else:
            leaf = leaves[name]
            size = None if leaf.mode is Mode.GITLINK else len(leaf.data)
            item = TreeItem(prefix + name, leaf.mode, leaf.sha, size)
        body += f"{item.mode.lstrip('0')} {name}\0".encode() + bytes.fromhex(item.sha)
        items += [item, *below]
    return object_sha("tree", body), tuple(items)


@dataclass(slots=True)
class History:
    """All commits of all repositories: forks share their objects, as they do on GitHub."""

    commits: dict[Sha, Commit] = field(default_factory=dict)  # parents before children

    def commit(self, files: Files, parents: Iterable[Sha], author: str, message: str, when: datetime) -> Commit:
        tree, _ = tree_items(files)
        parents = tuple(parents)
        who = f"{author} <{email(author)}> {int(when.timestamp())} +0000"
        lines = [
            f"tree {tree}",
            *(f"parent {sha}" for sha in parents),
            f"author {who}",
            f"committer {who}",
            "",
            message,
        ]
        sha = object_sha("commit", "\n".join(lines).encode() + b"\n")
        self.commits[sha] = Commit(sha, tree, parents, author, message, when, dict(files))
        return self.commits[sha]

    def ancestors(self, sha: Sha) -> frozenset[Sha]:
        """The commit itself and all that it descends from."""
        seen: set[Sha] = set()
        waiting = [sha]
        while waiting:
            commit = waiting.pop()
            if commit not in seen:
                seen.add(commit)
                waiting += self.commits[commit].parents
        return frozenset(seen)

    def only_in(self, sha: Sha, *, not_in: Sha) -> tuple[Commit, ...]:
        """What `git log not_in..sha` lists, oldest first."""
        wanted = self.ancestors(sha) - self.ancestors(not_in)
        return tuple(commit for name, commit in self.commits.items() if name in wanted)

    def merge_base(self, one: Sha, other: Sha) -> Commit | None:
        """The youngest best common ancestor; None: the histories have nothing in common."""
        common = self.ancestors(one) & self.ancestors(other)
        behind: set[Sha] = set()
        for sha in common:
            behind |= self.ancestors(sha) - {sha}
        best = [self.commits[sha] for sha in common - behind]
        return max(best, key=lambda commit: (commit.when, commit.sha), default=None)
