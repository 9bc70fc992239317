"""Archives against their git trees: what is taken, what is refused, and when the reading stops."""

import gzip
import io
import subprocess
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from gatekit.bench.repo.archive import EntryKind, TreeEntry, git_blob_sha, read_archive
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.errors import BadInput
from gatekit.domain.ids import Sha
from gatekit.formats.tar_members import ArchiveLimits

HEAD = Sha("0123456789ab" + "0" * 28)
WHERE = "archive of 0123456789ab: "


@dataclass(frozen=True)
class Part:
    """One member of an archive that a test makes."""

    name: str
    data: bytes = b""
    kind: bytes = tarfile.REGTYPE
    target: str = ""


FOLDER = Part("top", kind=tarfile.DIRTYPE)


def packed(*parts: Part) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for part in parts:
            member = tarfile.TarInfo(part.name)
            member.type, member.linkname, member.size = part.kind, part.target, len(part.data)
            tar.addfile(member, io.BytesIO(part.data))
    return gzip.compress(raw.getvalue(), mtime=0)


def blob(path: str, data: bytes, mode: str = "100644") -> TreeEntry:
    return TreeEntry(path, mode, EntryKind.BLOB, git_blob_sha(data))


A = blob("a.yaml", b"a: 1\n")
TREE = (TreeEntry("sub", "040000", EntryKind.TREE, "1" * 40), A, blob("sub/b", b""))
PARTS = (FOLDER, Part("top/a.yaml", b"a: 1\n"), Part("top/sub", kind=tarfile.DIRTYPE), Part("top/sub/b"))


def refusal(gz: bytes, tree: Sequence[TreeEntry] = TREE, limits: ArchiveLimits | None = None) -> str:
    with pytest.raises(BadInput) as refused:
        read_archive(gz, tree, HEAD, limits or ArchiveLimits())
    assert str(refused.value).startswith(WHERE)
    return str(refused.value).removeprefix(WHERE)


def test_git_names_a_blob_by_its_size_and_bytes() -> None:
    assert git_blob_sha(b"hello\n") == "ce013625030ba8dba906f756967f9e9ca394464a"


def test_an_archive_that_is_its_tree_becomes_a_snapshot() -> None:
    assert read_archive(packed(*PARTS), TREE, HEAD) == Snapshot(HEAD, {"a.yaml": b"a: 1\n", "sub/b": b""})


def test_links_are_named_and_submodules_come_from_the_tree() -> None:
    link = blob("way", b"../../etc/passwd", mode="120000")
    module = TreeEntry("module", "160000", EntryKind.COMMIT, "2" * 40)
    parts = (
        *PARTS,
        Part("top/way", kind=tarfile.SYMTYPE, target="../../etc/passwd"),
        Part("top/module", kind=tarfile.DIRTYPE),
    )
    snapshot = read_archive(packed(*parts), (*TREE, link, module), HEAD)
    assert snapshot.links == {"way"}
    assert snapshot.gitlinks == {"module": "2" * 40}
    assert sorted(snapshot.files) == ["a.yaml", "sub/b"]


def test_long_and_foreign_names_arrive_whole() -> None:
    path = "d" * 120 + "/" + "é" * 100
    link = blob("l", ("t" * 150).encode(), mode="120000")
    parts = (FOLDER, Part(f"top/{path}", b"x"), Part("top/l", kind=tarfile.SYMTYPE, target="t" * 150))
    assert read_archive(packed(*parts), (blob(path, b"x"), link), HEAD).files == {path: b"x"}


@pytest.mark.parametrize(
    ("parts", "start"),
    [
        ([Part("top/../x")], "holds `top/../x`, which is not inside its one top folder; rename it"),
        ([Part("/etc/x")], "holds `/etc/x`, which is not inside its one top folder; rename it"),
        ([Part("top//x")], "holds `top//x`, which is not inside its one top folder; rename it"),
        ([Part("top/./x")], "holds `top/./x`, which is not inside its one top folder; rename it"),
        ([Part("other/x")], "holds `other/x`, which is not inside its one top folder; rename it"),
        ([Part("top")], "holds `top`, which is not inside its one top folder; rename it"),
        ([Part("top/a.yaml", b"a: 1\n")], "holds `a.yaml` twice; keep one of them"),
        ([Part("top/h", kind=tarfile.LNKTYPE, target="top/a.yaml")], "holds `top/h`, a hard link; take it out of the"),
        ([Part("top/d", kind=tarfile.CHRTYPE)], "holds `top/d`, a device; take it out of the repository"),
        ([Part("top/d", kind=tarfile.BLKTYPE)], "holds `top/d`, a device; take it out of the repository"),
        ([Part("top/p", kind=tarfile.FIFOTYPE)], "holds `top/p`, a pipe; take it out of the repository"),
        ([Part("top/c", kind=tarfile.CONTTYPE)], "holds `top/c` of a kind that git does not write; take it out"),
        ([Part("top/s", kind=tarfile.GNUTYPE_SPARSE)], "holds `top/s` of a kind that git does not write; take it out"),
    ],
)
def test_members_that_git_never_writes_are_refused(parts: list[Part], start: str) -> None:
    assert refusal(packed(*PARTS, *parts)).startswith(start)


ATTRIBUTES = "; take out what changes archives in `.gitattributes`, such as export-ignore or export-subst"


@pytest.mark.parametrize(
    ("parts", "tree", "named"),
    [
        (PARTS[:1], TREE, "a.yaml (missing), sub/b (missing)"),
        ((*PARTS, Part("top/c")), TREE, "c (not in the commit)"),
        ((FOLDER, Part("top/a.yaml", b"a: 2\n"), Part("top/sub/b")), TREE, "a.yaml (different)"),
        (
            (FOLDER, *(Part(f"top/{n}") for n in range(5))),
            (),
            ", ".join(f"{n} (not in the commit)" for n in range(3)) + " and 2 more",
        ),
        ((FOLDER, Part("top/a.yaml", kind=tarfile.SYMTYPE, target="a: 1\n")), (A,), "a.yaml (different)"),
        ((FOLDER, Part("top/a.yaml", b"a: 1\n")), (replace(A, mode="120000"),), "a.yaml (different)"),
        ((FOLDER, Part("top/a.yaml", kind=tarfile.DIRTYPE)), (A,), "a.yaml (missing)"),
    ],
)
def test_an_archive_that_is_not_its_tree_is_refused(
    parts: Sequence[Part], tree: Sequence[TreeEntry], named: str
) -> None:
    assert refusal(packed(*parts), tree) == f"is not what the commit holds: {named}{ATTRIBUTES}"


SMALL = ArchiveLimits(members=4, file_bytes=10)


@pytest.mark.parametrize(
    ("parts", "start"),
    [
        ((*PARTS, Part("top/c")), "holds more than 4 files; take some out of the repository"),
        ((FOLDER, Part("top/a.yaml", b"x" * 11)), "holds `top/a.yaml` with 11 bytes, more than the 10 that are read"),
    ],
)
def test_limits_count_members_and_bytes(parts: Sequence[Part], start: str) -> None:
    assert refusal(packed(*parts), limits=SMALL).startswith(start)
    assert read_archive(packed(*PARTS), TREE, HEAD, SMALL).files


def test_a_bomb_is_not_inflated_past_the_limit() -> None:
    """Behind the limit the archive is broken: reading on would tell of that."""
    big = tarfile.TarInfo("top/zeros")
    big.size = 16 * 1024 * 1024
    gz = gzip.compress(gzip.decompress(packed(FOLDER))[:512] + big.tobuf() + bytes(big.size))
    broken = gz[: len(gz) // 2]
    assert refusal(broken) == "ends too early; try again"
    limits = ArchiveLimits(total_bytes=1024 * 1024)
    assert refusal(broken, limits=limits) == (
        "unpacks to more than 1048576 bytes; take large files out of the repository"
    )


@pytest.mark.parametrize(
    ("gz", "start"),
    [
        (b"", "ends too early; try again"),
        (b"not gzip", "is no gzip file; try again"),
        (gzip.compress(b"x" * 1024), "is no tar archive; try again"),
        (packed(*PARTS)[:-40], "ends too early; try again"),
        (gzip.compress(gzip.decompress(packed(*PARTS))[:2048]), "ends too early; try again"),
        (packed(*PARTS)[:60] + b"\xff" * 20 + packed(*PARTS)[80:], "is no gzip file; try again"),
    ],
)
def test_what_is_no_archive_is_refused(gz: bytes, start: str) -> None:
    assert refusal(gz).startswith(start)


def extended(record: bytes, kind: bytes = tarfile.XHDTYPE) -> bytes:
    header = tarfile.TarInfo("top/pax")
    header.type, header.size = kind, len(record)
    return header.tobuf(tarfile.USTAR_FORMAT) + record + bytes(-len(record) % 512)


PATH = b"10 path=a\n"


@pytest.mark.parametrize(
    "record",
    [
        *(b"17 path=top/c\n", b"9 size=1\n", b"99999 path=a\n", b"x path=a\n", b"7 path\n", b"1" * 600),
        *(b"13 comment=x\n", PATH + PATH, b"5 x=\n" * 10_000),
    ],
)
def test_extended_headers_that_git_does_not_write_are_refused(record: bytes) -> None:
    raw = gzip.compress(extended(record) + bytes(1024))
    assert refusal(raw) == "holds an extended header that git does not write; try again"


def test_an_extended_header_belongs_to_the_member_that_follows() -> None:
    """Headers without members would be read without being counted."""
    plain = gzip.decompress(packed(*PARTS))
    for raw in (extended(PATH) * 2 + plain, plain[:512] + extended(b"", tarfile.XGLTYPE) + plain[512:]):
        assert refusal(gzip.compress(raw)) == "holds an extended header that git does not write; try again"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "ünï.yaml").write_bytes(b"x: 1\r\n")
    (tmp_path / "way").symlink_to("sub/ünï.yaml")
    commit(tmp_path)
    return tmp_path


def git(folder: Path, *arguments: str) -> bytes:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.autocrlf=false")
    return subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True).stdout


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "x")


def read_commit(folder: Path) -> Snapshot:
    tree = []
    for row in filter(None, git(folder, "ls-tree", "-r", "-t", "-z", "HEAD").decode().split("\0")):
        mode, kind, sha, path = row.replace("\t", " ", 1).split(" ", 3)
        tree.append(TreeEntry(path, mode, EntryKind(kind), sha))
    return read_archive(git(folder, "archive", "--format=tar.gz", "--prefix=owner-name-0123456/", "HEAD"), tree, HEAD)


def test_what_git_itself_packs_is_read(repository: Path) -> None:
    assert read_commit(repository) == Snapshot(HEAD, {"sub/ünï.yaml": b"x: 1\r\n"}, frozenset({"way"}))


@pytest.mark.parametrize(
    ("attributes", "content", "named"),
    [
        ("*.yaml export-ignore", b"x: 1\n", "(missing)"),
        ("*.yaml export-subst", b"x: $Format:%H$\n", "(different)"),
        ("*.yaml text eol=crlf", b"x: 1\n", "(different)"),
    ],
)
def test_attributes_of_a_pull_request_cannot_change_what_is_read(
    repository: Path, attributes: str, content: bytes, named: str
) -> None:
    (repository / ".gitattributes").write_text(attributes)
    (repository / "sub" / "ünï.yaml").write_bytes(content)
    commit(repository)
    with pytest.raises(BadInput, match=f"sub/ünï.yaml .{named[1:-1]}.; take out what changes archives"):
        read_commit(repository)
