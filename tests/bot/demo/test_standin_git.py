"""The stand-in's objects and archives are git's own."""

import gzip
import io
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.demo.github.archive import tarball
from bot.demo.github.objects import Commit, Entry, History, Mode, email, entries, tree_items
from bot.demo.github.world import EPOCH
from gatekit.domain.ids import Sha

SUBMODULE = "1234567890abcdef1234567890abcdef12345678"
FILES: Mapping[str, bytes | Entry] = {
    "README.md": b"# Hello\n",
    "empty": b"",
    "configs/demo.yaml": b"a: 1\n",
    "configs.old": b"sorts between a folder and what it holds\n",
    "scripts/run.sh": Entry(b"#!/bin/sh\n", Mode.EXECUTABLE),
    "latest": Entry(b"configs/demo.yaml", Mode.LINK),
    "vendor/engine": Entry(SUBMODULE.encode(), Mode.GITLINK),
    "ünïcode/ä.txt": "ä\n".encode(),
}


class Git:
    """A real repository in a folder, with the stand-in's clock and authors."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self("init", "--quiet", "--initial-branch=main")

    def __call__(self, *words: str, given: bytes = b"") -> bytes:
        when = f"{int(EPOCH.timestamp())} +0000"
        who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _who(when).items()}
        home = {"HOME": str(self.folder), "PATH": "/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(["git", *words], cwd=self.folder, env=who | home, input=given, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    def commit(self, files: Mapping[str, bytes | Entry], message: str) -> str:
        self("read-tree", "--empty")
        for path, entry in entries(files).items():
            blob = entry.data if entry.mode is Mode.GITLINK else self("hash-object", "-w", "--stdin", given=entry.data)
            self("update-index", "--add", "--cacheinfo", f"{entry.mode},{blob.decode().strip()},{path}")
        self("commit", "--quiet", "--allow-empty", "--message", message)
        return self("rev-parse", "HEAD").decode().strip()


def _who(when: str) -> dict[str, str]:
    return {"NAME": "pat", "EMAIL": email("pat"), "DATE": when}


@pytest.fixture
def git(tmp_path: Path) -> Git:
    return Git(tmp_path)


def committed(history: History, files: Mapping[str, bytes | Entry], *parents: str) -> Commit:
    return history.commit(entries(files), map(Sha, parents), "pat", "Change", EPOCH)


def test_commits_have_the_names_that_git_gives_them(git: Git) -> None:
    history = History()
    first = committed(history, FILES)
    second = committed(history, {**FILES, "empty": b"no more\n"}, first.sha)
    assert [git.commit(FILES, "Change"), git.commit({**FILES, "empty": b"no more\n"}, "Change")] == [
        first.sha,
        second.sha,
    ]


def test_a_tree_is_listed_as_git_lists_it(git: Git) -> None:
    sha = git.commit(FILES, "Change")
    _, items = tree_items(entries(FILES))
    listed = git("ls-tree", "-r", "-t", "-z", "--long", sha).decode().rstrip("\0").split("\0")
    rows = [(*line.split("\t")[0].split(), line.split("\t")[1]) for line in listed]
    assert [(i.mode, i.mode.kind, i.sha, "-" if i.size is None else str(i.size), i.path) for i in items] == rows


@pytest.mark.parametrize(
    "attributes",
    [
        b"",
        b"*.md export-ignore\n",
        b"# folders\n\nconfigs export-ignore\n",
        b"/configs/*.yaml export-ignore\nREADME.md export-subst\n",
        b"configs/demo.yaml export-ignore\nconfigs/demo.yaml -export-ignore\n",
    ],
    ids=["none", "by name", "a folder", "by path, and rewritten", "taken back"],
)
def test_an_archive_holds_what_git_archive_would_write(git: Git, attributes: bytes) -> None:
    files = {**FILES, "README.md": b"at $Format:%H$\n", ".gitattributes": attributes}
    commit = committed(History(), files)
    sha = git.commit(files, "Change")
    assert contents(git("archive", "--format=tar", "--prefix=top/", sha)) == contents(
        gzip.decompress(tarball(commit, "top"))
    )


def test_an_archive_has_the_same_bytes_every_time_and_names_its_commit(git: Git) -> None:
    commit = committed(History(), FILES)
    first = tarball(commit, "top")
    assert first == tarball(commit, "top")
    with tarfile.open(fileobj=io.BytesIO(first)) as tar:
        assert tar.pax_headers == {"comment": commit.sha}


def contents(data: bytes) -> dict[str, tuple[bytes, bytes | str, int]]:
    found: dict[str, tuple[bytes, bytes | str, int]] = {}
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for member in tar:
            file = tar.extractfile(member) if member.isreg() else None
            found[member.name] = (member.type, file.read() if file else member.linkname, member.mode)
    return found


@pytest.mark.parametrize(
    ("one", "other", "base"),
    [("left", "right", "fork"), ("fork", "right", "fork"), ("left", "left", "left"), ("merge", "right", "right")],
)
def test_the_merge_base_is_gits(git: Git, one: str, other: str, base: str) -> None:
    history = History()
    shas = {"fork": committed(history, FILES).sha}
    shas["left"] = committed(history, {**FILES, "empty": b"l"}, shas["fork"]).sha
    shas["right"] = committed(history, {**FILES, "empty": b"r"}, shas["fork"]).sha
    shas["merge"] = committed(history, {**FILES, "empty": b"lr"}, shas["left"], shas["right"]).sha
    found = history.merge_base(shas[one], shas[other])
    assert found is not None
    assert found.sha == shas[base]


def test_histories_without_a_common_commit_have_no_merge_base() -> None:
    history = History()
    one, other = committed(history, FILES), committed(history, {"other": b""})
    assert history.merge_base(one.sha, other.sha) is None
    assert [commit.sha for commit in history.only_in(one.sha, not_in=other.sha)] == [one.sha]
