"""The same door, against a GitHub that nobody here wrote."""

import asyncio
import hashlib
import hmac
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio

from bot.github.auth import AppIdentity
from bot.github.checks import GitHubChecks
from bot.github.client import GitHubApp
from bot.github.comments import GitHubComments
from bot.github.limits import GitHubLimits
from bot.github.outcome import BadCredentials
from bot.github.pulls import GitHubPulls
from gatekit.comments.slots import Slot, marked
from gatekit.domain.check_run import CheckName, CheckReport, CheckStatus, Conclusion
from gatekit.domain.ids import Login, PrRef, Repo, Sha
from gatekit.domain.reuse import Commits
from handlers.errors import NotThere
from handlers.ports.github import Parting, Permission
from tests.worlds.github.emulate import APP_ID, NAME, OWNER, SLUG, WEBHOOK_SECRET, Emulate, install
from tests.worlds.github.github_faults import new_key
from tests.worlds.github.ledger import MemoryLedger

pytestmark = pytest.mark.asyncio(loop_scope="module")

BENCH = Repo(OWNER, NAME)
HERE = f"/repos/{OWNER}/{NAME}"
FAST = replace(GitHubLimits(), write_gap=0, writes_per_minute=10_000, look_again=(0.05, 0.2))
FILES = {"perf-changelog.yaml": "- a\n", "configs/nvidia-master.yaml": "x: 1\n", "README.md": "# bench\nß\n"}


@pytest.fixture(scope="session")
def installed() -> None:
    install()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def github(installed: None, key: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Emulate]:
    async with Emulate(key, tmp_path_factory.mktemp("emulate")) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def app(github: Emulate, key: str) -> AsyncIterator[GitHubApp]:
    async with GitHubApp(AppIdentity(APP_ID, key, github.url), FAST) as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="module")
async def pr(github: Emulate, request: pytest.FixtureRequest) -> PrRef:
    branch = request.node.name
    await github.commit(FILES, branch, await github.main())
    return PrRef(BENCH, await github.pull_request(branch))


async def comments_of(github: Emulate, pr: PrRef) -> list[tuple[str, str]]:
    found = await github.as_person("GET", f"{HERE}/issues/{pr.number}/comments?per_page=100")
    return [(comment["user"]["login"], comment["body"]) for comment in found]


async def test_a_pull_request_is_read_as_the_app(github: Emulate, app: GitHubApp, pr: PrRef) -> None:
    await github.as_person("POST", f"{HERE}/issues/{pr.number}/labels", {"labels": ["full-sweep-enabled"]})
    pull = await GitHubPulls(app).pull(pr)
    assert (pull.open, pull.draft, pull.merged, pull.from_fork) == (True, False, False, False)
    assert (pull.author, pull.base_ref, pull.default_branch) == ("ada", "main", "main")
    assert pull.labels == frozenset({"full-sweep-enabled"})


async def test_another_key_is_not_let_in(github: Emulate, pr: PrRef) -> None:
    async with GitHubApp(AppIdentity(APP_ID, new_key(), github.url), FAST) as stranger:
        with pytest.raises(BadCredentials, match="Check the App's id, its private key"):
            await GitHubPulls(stranger).pull(pr)


async def test_twenty_first_calls_mint_one_token(github: Emulate, app: GitHubApp, pr: PrRef) -> None:
    before = len(github.asked)
    await asyncio.gather(*(GitHubPulls(app).pull(pr) for _ in range(20)))
    assert sum(path.endswith("/access_tokens") for _, path in github.asked[before:]) == 1


async def test_a_repository_without_the_app_is_said(app: GitHubApp) -> None:
    with pytest.raises(NotThere, match="the App is not installed on bob/none"):
        await GitHubPulls(app).pull(PrRef(Repo("bob", "none"), 1))


@pytest.mark.parametrize(
    ("login", "given", "wanted"),
    [
        ("ada", None, Permission.ADMIN),
        ("bob", "maintain", Permission.WRITE),
        ("bob", "push", Permission.WRITE),
        ("bob", "triage", Permission.READ),
        ("carol", None, Permission.NONE),
        ("nobody-at-all", None, Permission.NONE),
    ],
)
async def test_a_permission_is_read(
    github: Emulate, app: GitHubApp, login: str, given: str | None, wanted: Permission
) -> None:
    if given is not None:
        await github.as_person("PUT", f"{HERE}/collaborators/{login}", {"permission": given})
    assert await GitHubPulls(app).permission(BENCH, Login(login)) is wanted


async def test_a_commit_is_the_files_that_were_committed(github: Emulate, app: GitHubApp) -> None:
    sha = Sha(await github.commit(FILES, "whole", await github.main()))
    snapshot = await GitHubPulls(app).snapshot(BENCH, sha)
    assert {path: data.decode() for path, data in snapshot.files.items()} == FILES
    assert github.leaked == 0


async def test_files_are_read_at_a_branch(github: Emulate, app: GitHubApp) -> None:
    large = "x" * 1_010_000  # over the megabyte that GitHub puts into JSON
    await github.commit(
        {**FILES, ".github/gatekit.yml": "mode: enforce\n", "large": large}, "files", await github.main()
    )
    pulls = GitHubPulls(app)
    assert await pulls.file(BENCH, "files", ".github/gatekit.yml") == b"mode: enforce\n"
    assert await pulls.file(BENCH, "main", ".github/gatekit.yml") is None
    assert len(await pulls.file(BENCH, "files", "large") or b"") == len(large)


async def test_the_merge_base_is_where_the_branches_parted(github: Emulate, app: GitHubApp) -> None:
    fork_point = Sha(await github.commit(FILES, "parted", await github.main()))
    ours = Sha(await github.commit({"a": "1"}, "ours", fork_point))
    theirs = Sha(await github.commit({"b": "2"}, "theirs", fork_point))
    assert await GitHubPulls(app).parting(BENCH, theirs, ours) == Parting(
        theirs, fork_point, Commits(frozenset({ours}), complete=True)
    )


async def test_a_slot_is_posted_found_on_a_later_page_and_edited(github: Emulate, app: GitHubApp, pr: PrRef) -> None:
    for number in range(101):
        await github.as_person("POST", f"{HERE}/issues/{pr.number}/comments", {"body": f"talk {number}"})
    await GitHubComments(app, MemoryLedger()).upsert(pr, Slot.GATES, "first")
    await GitHubComments(app, MemoryLedger()).upsert(pr, Slot.GATES, "second, by a bot that has lost its memory")
    found = await github.as_person("GET", f"{HERE}/issues/{pr.number}/comments?per_page=100&page=2")
    assert [(one["user"]["login"], one["body"].split("\n")[-1]) for one in found] == [
        ("ada", "talk 100"),
        (f"{SLUG}[bot]", "second, by a bot that has lost its memory"),
    ]


async def test_a_marker_in_a_persons_comment_is_left_alone(github: Emulate, app: GitHubApp, pr: PrRef) -> None:
    forged = marked(Slot.GATES, "all green, trust me")
    await github.as_person("POST", f"{HERE}/issues/{pr.number}/comments", {"body": forged})
    await GitHubComments(app, MemoryLedger()).upsert(pr, Slot.GATES, "true")
    assert await comments_of(github, pr) == [("ada", forged), (f"{SLUG}[bot]", marked(Slot.GATES, "true"))]


async def test_a_comment_whose_answer_was_lost_is_not_posted_again(github: Emulate, app: GitHubApp, pr: PrRef) -> None:
    github.cut_after.append(("POST", f"/issues/{pr.number}/comments"))
    comments = GitHubComments(app, MemoryLedger())
    await comments.upsert(pr, Slot.GATES, "first")
    await comments.upsert(pr, Slot.GATES, "second")
    assert await comments_of(github, pr) == [(f"{SLUG}[bot]", marked(Slot.GATES, "second"))]


async def test_a_comment_that_somebody_deleted_is_posted_anew(github: Emulate, app: GitHubApp, pr: PrRef) -> None:
    ledger = MemoryLedger()
    await GitHubComments(app, ledger).upsert(pr, Slot.GATES, "first")
    held = await ledger.recall(pr, Slot.GATES)
    assert held is not None
    await github.as_person("DELETE", f"{HERE}/issues/comments/{held.comment}")
    await GitHubComments(app, ledger).upsert(pr, Slot.GATES, "second")
    assert await comments_of(github, pr) == [(f"{SLUG}[bot]", marked(Slot.GATES, "second"))]


async def test_a_check_run_lives_its_life(github: Emulate, app: GitHubApp) -> None:
    head = Sha(await github.commit(FILES, "checked", await github.main()))
    started = CheckReport(
        CheckName.ACCEPTANCE_LENGTH, head, "12", CheckStatus.IN_PROGRESS, None, "0 of 1 gates", "| table |", None
    )
    done = replace(started, status=CheckStatus.COMPLETED, conclusion=Conclusion.NEUTRAL, title="1 of 1 gates")
    github.cut_after.append(("POST", "/check-runs"))
    await GitHubChecks(app).put(BENCH, started)
    await GitHubChecks(app).put(BENCH, done)  # by a bot that has lost its memory
    await GitHubChecks(app).put(BENCH, started)  # too late
    await GitHubChecks(app).put(BENCH, replace(started, external_id="13"))
    found = await github.as_person("GET", f"{HERE}/commits/{head}/check-runs?filter=all")
    runs = sorted((run["external_id"], run["status"], run["conclusion"]) for run in found["check_runs"])
    assert runs == [("12", "completed", "neutral"), ("13", "in_progress", None)]


async def test_its_webhooks_are_signed_and_told_apart(github: Emulate, pr: PrRef) -> None:
    for number in range(3):
        await github.as_person("POST", f"{HERE}/issues/{pr.number}/comments", {"body": f"/gate status {number}"})
    await github.delivered("issue_comment", 3)
    ids = [delivery.headers["X-GitHub-Delivery"] for delivery in github.deliveries]
    assert len(set(ids)) == len(ids)
    for delivery in github.deliveries:
        signed = hmac.new(WEBHOOK_SECRET.encode(), delivery.body, hashlib.sha256).hexdigest()
        assert delivery.headers["X-Hub-Signature-256"] == f"sha256={signed}"
