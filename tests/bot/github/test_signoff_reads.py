"""What a verification reads at GitHub: each answer as it comes, and what is no answer."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.github.client import GitHubApp
from bot.github.recipe_pages import Pages
from bot.github.signoffs import UPSTREAM_FILES, GitHubSignOffs
from gatekit.domain.ids import GHOST, Login, PrRef, Repo, Sha
from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.evidence.upstream import UpstreamPull
from gatekit.signoff.resource import Access, Resource, Surface
from gatekit.signoff.scope import ChangedFile
from gatekit.signoff.trigger import ReviewState
from handlers.errors import LookupFailed
from handlers.ports.signoff import Filed
from tests.worlds.github.github_faults import NAME, OWNER, REPO, FaultyGitHub, Reply

HERE, PR = Repo(OWNER, NAME), PrRef(Repo(OWNER, NAME), 7)
AT = datetime(2026, 10, 5, 12, tzinfo=UTC)
HEAD, PAGE = Sha("a" * 40), "docs/list.md"
UPSTREAM, PULL = Repo("vllm-project", "recipes"), "/repos/vllm-project/recipes/pulls/5"


@pytest.fixture
def reads(app: GitHubApp) -> GitHubSignOffs:
    return GitHubSignOffs(app, Pages())


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (Reply(200, {"permission": "write", "role_name": "maintain"}), Access("write", "maintain")),
        (Reply(200, {"permission": "write"}), Access("write", None)),
        (Reply(200, {"permission": 7, "role_name": ["admin"]}), Access(None, None)),
        (Reply(404, {"message": "Not Found"}), Access(None, None)),
    ],
)
async def test_the_access_of_a_person(
    github: FaultyGitHub, reads: GitHubSignOffs, answer: Reply, wanted: Access
) -> None:
    github.always("GET", f"{REPO}/collaborators/ann/permission", answer)
    assert await reads.access(HERE, Login("ann")) == wanted


async def test_changed_files_with_their_old_names(github: FaultyGitHub, reads: GitHubSignOffs) -> None:
    rows = [
        {"filename": "a", "status": "renamed", "previous_filename": "b"},
        {"filename": "c", "status": "removed"},
        {"filename": "d", "status": "added", "previous_filename": None},
    ]
    github.always("GET", f"{REPO}/pulls/7/files", Reply(200, rows))
    found = await reads.changed_files(PR)
    assert found == (ChangedFile("a", "b"), ChangedFile("c", None, removed=True), ChangedFile("d"))


async def test_what_github_says_of_codeowners(github: FaultyGitHub, reads: GitHubSignOffs) -> None:
    errors = [{"line": 3, "column": 1, "kind": "Unknown owner", "path": ".github/CODEOWNERS"}]
    github.always("GET", f"{REPO}/codeowners/errors", Reply(200, {"errors": errors}))
    assert await reads.complaints(HERE, HEAD) == (
        "GitHub names line 3 of .github/CODEOWNERS as invalid (Unknown owner)",
    )
    github.always("GET", f"{REPO}/codeowners/errors", Reply(200, {}))
    with pytest.raises(LookupFailed):
        await reads.complaints(HERE, HEAD)


@pytest.mark.parametrize(("state", "member"), [("active", True), ("pending", False)])
async def test_a_member_of_a_team(github: FaultyGitHub, reads: GitHubSignOffs, state: str, member: bool) -> None:
    github.always("GET", "/orgs/acme/teams/gpu/memberships/ann", Reply(200, {"state": state, "role": "member"}))
    assert await reads.member(HERE, "@acme/gpu", Login("ann")) is member


@pytest.mark.parametrize("status", [403, 404])
async def test_a_team_that_we_may_not_see_is_no_answer(
    github: FaultyGitHub, reads: GitHubSignOffs, status: int
) -> None:
    github.always("GET", "/orgs/acme/teams/gpu/memberships/ann", Reply(status, {"message": "no"}))
    with pytest.raises(LookupFailed):
        await reads.member(HERE, "@acme/gpu", Login("ann"))


def comment(**changes: Any) -> dict[str, Any]:
    return {
        "issue_url": f"https://api.github.com{REPO}/issues/7",
        "user": {"login": "ann", "type": "User"},
        "body": "Fine.",
        "created_at": "2026-10-05T11:00:00Z",
        "updated_at": "2026-10-05T12:00:00Z",
        **changes,
    }


FILED = Filed(
    Resource(Surface.CONVERSATION, 12),
    7,
    Login("ann"),
    False,
    CommentText("Fine."),
    AT - timedelta(hours=1),
    AT,
    review=None,
)


async def test_a_comment_as_it_stands(github: FaultyGitHub, reads: GitHubSignOffs) -> None:
    github.always("GET", f"{REPO}/issues/comments/12", Reply(200, comment()))
    assert await reads.filed(PR, FILED.resource) == FILED
    odd = comment(user=None, body="half \ud800 a sign")
    github.always("GET", f"{REPO}/issues/comments/12", Reply(200, odd))
    found = await reads.filed(PR, FILED.resource)
    assert found is not None
    assert (found.author, found.body.text) == (GHOST, "half ? a sign")


async def test_an_inline_comment_of_another_pull_request(github: FaultyGitHub, reads: GitHubSignOffs) -> None:
    there = {"pull_request_url": f"https://api.github.com{REPO}/pulls/8"}
    github.always("GET", f"{REPO}/pulls/comments/12", Reply(200, comment(**there)))
    found = await reads.filed(PR, Resource(Surface.INLINE, 12))
    assert found is not None
    assert found.pull == 8


@pytest.mark.parametrize(
    ("state", "wanted"),
    [("APPROVED", ReviewState.APPROVED), ("CHANGES_REQUESTED", ReviewState.CHANGES_REQUESTED), ("ODD", None)],
)
async def test_a_review_as_it_stands(
    github: FaultyGitHub, reads: GitHubSignOffs, state: str, wanted: ReviewState | None
) -> None:
    there = {"pull_request_url": f"https://api.github.com{REPO}/pulls/7", "submitted_at": "2026-10-05T11:00:00Z"}
    github.always("GET", f"{REPO}/pulls/7/reviews/12", Reply(200, comment(**there, state=state)))
    found = await reads.filed(PR, Resource(Surface.REVIEW, 12))
    assert found is not None
    assert (found.review, found.updated) == (wanted, AT - timedelta(hours=1))


async def test_what_is_gone_and_what_belongs_nowhere(github: FaultyGitHub, reads: GitHubSignOffs) -> None:
    assert await reads.filed(PR, FILED.resource) is None
    github.always("GET", f"{REPO}/issues/comments/12", Reply(200, comment(issue_url="https://elsewhere/x")))
    with pytest.raises(LookupFailed, match="which pull request issuecomment-12 belongs to"):
        await reads.filed(PR, FILED.resource)


async def test_jobs_on_two_pages(github: FaultyGitHub, reads: GitHubSignOffs) -> None:
    path = f"{REPO}/actions/runs/70/jobs"
    rows = [{"name": f"agentic / {number}", "conclusion": "success"} for number in range(100)]
    last = {"name": "eval / x", "conclusion": None}
    link = {"Link": f'<{github.url}{path}?page=2>; rel="next"'}
    github.next("GET", path, Reply(200, {"jobs": rows}, link), Reply(200, {"jobs": [last]}))
    found = await reads.lanes(HERE, 70)
    assert (len(found), found[-1].name, found[-1].conclusion) == (101, "eval / x", None)


async def test_the_recipe_of_another_repository(github: FaultyGitHub, reads: GitHubSignOffs) -> None:
    """What it adds, not what it takes away, nor the context around it."""
    github.always("GET", PULL, Reply(200, {"state": "closed", "merged_at": "2026-10-01T00:00:00Z"}))
    rows = [{"filename": "a.md", "patch": "@@ -1 +1,2 @@\n-old\n+new\n same"}, {"filename": "b.bin"}]
    github.always("GET", f"{PULL}/files", Reply(200, rows))
    assert await reads.upstream_pull(HERE, UPSTREAM, 5) == UpstreamPull(True, "closed", ("a.md", "b.bin"), "new")
    assert await reads.upstream_pull(HERE, UPSTREAM, 6) is None


async def test_a_recipe_that_changes_too_much_is_no_answer(github: FaultyGitHub, reads: GitHubSignOffs) -> None:
    github.always("GET", PULL, Reply(200, {"state": "open", "merged_at": None}))
    many = [{"filename": f"{number}.md"} for number in range(UPSTREAM_FILES + 1)]
    github.always("GET", f"{PULL}/files", Reply(200, many))
    with pytest.raises(LookupFailed, match="more than 300 files"):
        await reads.upstream_pull(HERE, UPSTREAM, 5)


def listed(*days: int) -> Reply:
    """Newest first, as GitHub does."""
    commits = [{"sha": f"{day:040x}", "commit": {"committer": {"date": f"2026-10-{day:02}T00:00:00Z"}}} for day in days]
    return Reply(200, commits)


@pytest.mark.parametrize(
    ("days", "wanted"),
    [
        ((4, 3), [3, 4]),
        ((9, 7, 4, 3, 2, 1), [1, 2, 3, 4, 7, 9]),  # the 4th was current on the 5th
        ((), []),
    ],
)
async def test_revisions_around_a_moment(
    github: FaultyGitHub, reads: GitHubSignOffs, days: tuple[int, ...], wanted: list[int]
) -> None:
    github.always("GET", f"{REPO}/commits", listed(*days))
    github.always("GET", f"{REPO}/contents/{PAGE}", Reply(200, body=b"page"))
    found = await reads.revisions(HERE, HEAD, PAGE, AT)
    assert [page.at.day for page in found] == wanted


async def test_of_many_older_revisions_only_a_few_are_read(github: FaultyGitHub, reads: GitHubSignOffs) -> None:
    github.always("GET", f"{REPO}/commits", listed(*range(29, 0, -1)))
    github.always("GET", f"{REPO}/contents/{PAGE}", Reply(200, body=b"page"))
    found = await reads.revisions(HERE, HEAD, PAGE, datetime(2026, 10, 28, 12, tzinfo=UTC))
    assert [page.at.day for page in found] == [25, 26, 27, 28, 29]


async def test_where_every_revision_that_is_listed_is_newer_it_is_no_answer(
    github: FaultyGitHub, reads: GitHubSignOffs
) -> None:
    github.always("GET", f"{REPO}/commits", listed(*range(30, 0, -1)))
    with pytest.raises(LookupFailed, match="was changed 30 times since"):
        await reads.revisions(HERE, HEAD, PAGE, datetime(2026, 9, 1, tzinfo=UTC))


async def test_the_commit_that_took_the_page_away_is_passed_over(github: FaultyGitHub, reads: GitHubSignOffs) -> None:
    github.always("GET", f"{REPO}/commits", listed(2))
    assert await reads.revisions(HERE, HEAD, PAGE, AT) == ()
