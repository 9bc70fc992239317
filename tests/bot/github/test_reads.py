"""Reads: facts come typed, and "could not find out" is never an answer."""

import gzip
import io
import tarfile
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from bot.github.auth import AppIdentity
from bot.github.client import GitHubApp
from bot.github.limits import GitHubLimits
from bot.github.pulls import GitHubPulls, read_permission, read_pull
from gatekit.bench.repo.archive import git_blob_sha
from gatekit.domain.errors import BadInput
from gatekit.domain.ids import Login, PrRef, Repo, Sha
from gatekit.domain.reuse import Commits
from handlers.errors import LookupFailed, NotAllowed, NotThere
from handlers.ports.github import Parting, Permission, Pull
from tests.worlds.github.github_faults import APP_ID, BASE, HEAD, NAME, OWNER, REPO, FakeTime, FaultyGitHub, Reply

BENCH = Repo(OWNER, NAME)
PR = PrRef(BENCH, 7)
SHA = Sha(HEAD)
PARTED = Sha("d" * 40), Sha("c" * 40)  # the tip of the base, and the fork point
FILES = {"README.md": b"# bench\n", "configs/nvidia-master.yaml": b"a: 1\n"}
TREE_PATH, TARBALL_PATH = f"{REPO}/git/trees/{HEAD}", f"{REPO}/tarball/{HEAD}"
FORK: dict[str, Any] = {"name": "bench-fork", "owner": {"login": "ada"}}
FOUND: dict[str, Any] = {
    "state": "open",
    "draft": False,
    "merged": False,
    "title": "Add MTP",
    "user": {"login": "ada"},
    "head": {"sha": HEAD, "ref": "mtp", "repo": FORK},
    "base": {"sha": BASE, "ref": "main", "repo": {"default_branch": "main", "name": NAME, "owner": {"login": OWNER}}},
    "labels": [{"name": "full-sweep-enabled"}],
}
PULL = Pull(
    PR, True, False, False, "Add MTP", Login("ada"), SHA, Repo("ada", "bench-fork"), "main", "main",
    frozenset({"full-sweep-enabled"}), "mtp",
)  # fmt: skip


@pytest.fixture
def pulls(app: GitHubApp) -> GitHubPulls:
    return GitHubPulls(app)


def archive(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for path, data in files.items():
            member = tarfile.TarInfo(f"octo-bench-aaaaaaa/{path}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return gzip.compress(packed.getvalue())


def tree(files: dict[str, bytes], truncated: bool = False) -> Reply:
    blobs = [
        {"path": path, "mode": "100644", "type": "blob", "sha": git_blob_sha(data), "size": len(data)}
        for path, data in files.items()
    ]
    folder = {"path": "configs", "mode": "040000", "type": "tree", "sha": "d" * 40}
    module = {"path": "utils/aiperf", "mode": "160000", "type": "commit", "sha": "c" * 40}
    return Reply(200, {"sha": HEAD, "tree": [folder, module, *blobs], "truncated": truncated})


@pytest.fixture
async def codeload() -> AsyncIterator[FaultyGitHub]:
    async with FaultyGitHub(FakeTime()) as running:
        yield running


@pytest.fixture
def commit(github: FaultyGitHub, codeload: FaultyGitHub) -> None:
    github.always("GET", TREE_PATH, tree(FILES))
    github.always("GET", TARBALL_PATH, Reply(302, None, {"Location": f"{codeload.url}/archive?token=abc"}))
    codeload.next("GET", "/archive", Reply(200, None, {"Content-Type": "application/x-gzip"}, archive(FILES)))


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        ({}, PULL),
        ({"head": {"sha": HEAD, "ref": "mtp", "repo": None}}, replace(PULL, head_repo=None)),
        ({"user": None}, replace(PULL, author=Login("ghost"))),
        ({"state": "closed", "merged": True, "draft": True}, replace(PULL, open=False, merged=True, draft=True)),
        ({"labels": []}, replace(PULL, labels=frozenset())),
    ],
)
def test_a_pull_request_becomes_facts(changed: dict[str, Any], wanted: Pull) -> None:
    assert read_pull(PR, {**FOUND, **changed}) == wanted


@pytest.mark.parametrize(
    "changed", [{"head": {"sha": "main", "repo": FORK}}, {"labels": None}, {"title": 7}, {"merged": "yes"}]
)
def test_a_pull_request_that_is_not_understood_is_no_answer(changed: dict[str, Any]) -> None:
    with pytest.raises(LookupFailed, match="something that we do not understand"):
        read_pull(PR, {**FOUND, **changed})


async def test_a_pull_request_is_read(github: FaultyGitHub, pulls: GitHubPulls) -> None:
    github.always("GET", f"{REPO}/pulls/7", Reply(200, FOUND))
    assert await pulls.pull(PR) == PULL


@pytest.mark.parametrize(
    ("permission", "role", "wanted"),
    [
        ("admin", "admin", Permission.ADMIN),
        ("write", "maintain", Permission.WRITE),
        ("maintain", None, Permission.WRITE),
        ("write", "release-manager", Permission.WRITE),  # a role of the organization's own
        ("read", "triage", Permission.READ),
        ("triage", None, Permission.READ),
        ("read", "read", Permission.READ),
        ("none", "", Permission.NONE),
        ("write", "read", Permission.READ),  # they contradict each other: the lower
    ],
)
def test_a_permission_is_what_both_words_allow(permission: str, role: str | None, wanted: Permission) -> None:
    assert read_permission({"permission": permission, "role_name": role}) is wanted


def test_a_permission_that_we_do_not_know_is_no_answer() -> None:
    with pytest.raises(LookupFailed, match="a permission that we do not know: 'owner'"):
        read_permission({"permission": "owner", "role_name": "boss"})


@pytest.mark.parametrize(
    ("replies", "wanted"),
    [
        ([Reply(200, {"permission": "write", "role_name": "write"})], Permission.WRITE),
        ([Reply(404, {"message": "Not Found"})], Permission.NONE),
        ([Reply(502)] * 4, LookupFailed),
        ([Reply(403, {"message": "Resource not accessible by integration"})], NotAllowed),
    ],
)
async def test_a_permission_that_could_not_be_asked_is_not_none(
    github: FaultyGitHub, pulls: GitHubPulls, replies: list[Reply], wanted: Permission | type[LookupFailed]
) -> None:
    github.next("GET", f"{REPO}/collaborators/ada/permission", *replies)
    if isinstance(wanted, Permission):
        assert await pulls.permission(BENCH, Login("ada")) is wanted
    else:
        with pytest.raises(wanted):
            await pulls.permission(BENCH, Login("ada"))


async def test_tip_and_fork_point_are_read_from_the_comparison(github: FaultyGitHub, pulls: GitHubPulls) -> None:
    github.always("GET", f"{REPO}/compare/{BASE}...{HEAD}", Reply(200, comparison(HEAD)))
    assert await pulls.parting(BENCH, BASE, SHA) == Parting(*PARTED, Commits(frozenset({SHA}), complete=True))


async def test_a_long_pull_request_names_its_commits_over_several_pages(
    github: FaultyGitHub, pulls: GitHubPulls
) -> None:
    """GitHub lists 250 commits of a pull request, and all of a comparison, a hundred at a time."""
    shas = [f"{number:040x}" for number in range(251)]
    pages = [comparison(*shas[at : at + 100], total=251) for at in (0, 100, 200)]
    github.next("GET", f"{REPO}/compare/{BASE}...{HEAD}", Reply(200, pages[0]))
    github.next("GET", f"{REPO}/compare/{PARTED[0]}...{HEAD}", *(Reply(200, page) for page in pages[1:]))
    parting = await pulls.parting(BENCH, BASE, SHA)
    assert parting.commits == Commits(frozenset(map(Sha, shas[:100])), complete=False)
    assert await pulls.commits(BENCH, parting, SHA) == Commits(frozenset(map(Sha, shas)), complete=True)


async def test_commits_that_github_does_not_list_stay_unknown(github: FaultyGitHub, pulls: GitHubPulls) -> None:
    github.next("GET", f"{REPO}/compare/{BASE}...{HEAD}", Reply(200, comparison(HEAD, total=3)))
    github.next("GET", f"{REPO}/compare/{PARTED[0]}...{HEAD}", Reply(200, comparison(total=3)))
    commits = await pulls.commits(BENCH, await pulls.parting(BENCH, BASE, SHA), SHA)
    assert (commits.holds(SHA), commits.holds(Sha("e" * 40))) == (True, None)


def comparison(*shas: str, total: int | None = None) -> dict[str, object]:
    base, fork_point = PARTED
    return {
        "base_commit": {"sha": base},
        "merge_base_commit": {"sha": fork_point},
        "total_commits": len(shas) if total is None else total,
        "commits": [{"sha": one} for one in shas],
        "files": [],
    }


async def test_commits_without_a_common_past_are_said(github: FaultyGitHub, pulls: GitHubPulls) -> None:
    path = f"{REPO}/compare/{BASE}...{HEAD}"
    github.next("GET", path, Reply(404, {"message": "No common ancestor between main and fork."}))
    with pytest.raises(NotThere, match="No common ancestor between main and fork"):
        await pulls.parting(BENCH, BASE, SHA)


RAW_TYPE = {"Content-Type": "application/vnd.github.raw+json; charset=utf-8"}


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        (Reply(200, None, RAW_TYPE, b"mode: enforce\n"), b"mode: enforce\n"),
        (Reply(200, None, RAW_TYPE, b""), b""),
        (Reply(200, None, RAW_TYPE, b"[1]"), b"[1]"),
        (Reply(404, {"message": "Not Found"}), None),
        (Reply(404, {"message": "No commit found for the ref main"}), NotThere),
        (Reply(200, [{"type": "file", "path": "a"}]), BadInput),
        (Reply(200, None, RAW_TYPE, b"x" * (GitHubLimits().file_bytes + 1)), BadInput),
        (Reply(403, {"message": "Resource not accessible by integration"}), NotAllowed),
    ],
)
async def test_a_file_is_there_or_not_or_not_known(
    github: FaultyGitHub, pulls: GitHubPulls, reply: Reply, wanted: bytes | type[Exception] | None
) -> None:
    github.next("GET", f"{REPO}/contents/.github/gatekit.yml", reply)
    if isinstance(wanted, type):
        with pytest.raises(wanted):
            await pulls.file(BENCH, "main", ".github/gatekit.yml")
    else:
        assert await pulls.file(BENCH, "main", ".github/gatekit.yml") == wanted
        assert github.asked[-1].query == {"ref": "main"}


@pytest.mark.parametrize("path", ["../other", "/etc/passwd", "a//b", "a/./b", "", "a\0b"])
async def test_a_path_stays_inside_the_repository(github: FaultyGitHub, pulls: GitHubPulls, path: str) -> None:
    with pytest.raises(BadInput, match="no path inside the repository"):
        await pulls.file(BENCH, "main", path)
    assert github.asked == []


@pytest.mark.usefixtures("commit")
async def test_a_commit_is_read_as_one_archive(
    github: FaultyGitHub, codeload: FaultyGitHub, pulls: GitHubPulls
) -> None:
    snapshot = await pulls.snapshot(BENCH, SHA)
    assert snapshot.files == FILES
    assert snapshot.gitlinks == {"utils/aiperf": "c" * 40}
    assert codeload.asked[0].query == {"token": "abc"}
    assert "Authorization" not in codeload.asked[0].headers
    assert "Authorization" in github.asked[-1].headers


@pytest.mark.usefixtures("commit")
async def test_a_commit_that_was_read_is_not_asked_for_again(github: FaultyGitHub, pulls: GitHubPulls) -> None:
    first = await pulls.snapshot(BENCH, SHA)
    before = len(github.asked)
    assert await pulls.snapshot(BENCH, SHA) is first
    assert await pulls.file(BENCH, HEAD, "README.md") == FILES["README.md"]
    assert await pulls.file(BENCH, HEAD, "missing") is None
    assert len(github.asked) == before


@pytest.mark.usefixtures("commit")
async def test_the_tree_of_an_archive_that_failed_is_kept(
    github: FaultyGitHub, codeload: FaultyGitHub, pulls: GitHubPulls
) -> None:
    github.next("GET", TARBALL_PATH, *[Reply(502)] * 4)
    with pytest.raises(LookupFailed):
        await pulls.snapshot(BENCH, SHA)
    await pulls.snapshot(BENCH, SHA)
    assert github.count("GET", TREE_PATH) == 1


async def test_a_tree_that_github_cuts_short_is_refused(github: FaultyGitHub, pulls: GitHubPulls) -> None:
    github.always("GET", TREE_PATH, tree(FILES, truncated=True))
    with pytest.raises(BadInput, match="tree of aaaaaaaaaaaa: GitHub does not list all of its files"):
        await pulls.snapshot(BENCH, SHA)


async def test_an_archive_that_hides_a_file_is_refused(
    github: FaultyGitHub, codeload: FaultyGitHub, pulls: GitHubPulls
) -> None:
    github.always("GET", TREE_PATH, tree(FILES))
    github.always("GET", TARBALL_PATH, Reply(302, None, {"Location": f"{codeload.url}/archive"}))
    codeload.next("GET", "/archive", Reply(200, None, {}, archive({"README.md": FILES["README.md"]})))
    with pytest.raises(BadInput, match=r"configs/nvidia-master.yaml \(missing\)"):
        await pulls.snapshot(BENCH, SHA)


async def test_an_archive_that_is_too_large_is_not_read_to_its_end(
    github: FaultyGitHub, key: str, time: FakeTime
) -> None:
    github.always("GET", TREE_PATH, tree(FILES))
    github.always("GET", TARBALL_PATH, Reply(200, None, {}, b"x" * 5000))
    small = replace(GitHubLimits(), archive_bytes=4096)
    async with GitHubApp(AppIdentity(APP_ID, key, github.url), small, time) as app:
        with pytest.raises(BadInput, match="larger than 4 KiB; take large files out"):
            await GitHubPulls(app).snapshot(BENCH, SHA)
