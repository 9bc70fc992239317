"""The manners of the door, each against a server that misbehaves."""

import asyncio
from dataclasses import replace

import pytest

from bot.github.auth import AppIdentity
from bot.github.channel import RequestSeen
from bot.github.client import GitHubApp
from bot.github.limits import GitHubLimits
from bot.github.operations import CREATE_COMMENT, LIST_COMMENTS, PULL, UPDATE_COMMENT
from bot.github.outcome import BadCredentials, LostAnswer, RateLimited, RestRequest, TooLarge
from gatekit.domain.ids import Repo
from handlers.errors import LookupFailed, NotAllowed, NotThere
from tests.worlds.github.github_faults import APP_ID, NAME, OWNER, REPO, FakeTime, Fault, FaultyGitHub, Reply

BENCH = Repo(OWNER, NAME)
NAMES: dict[str, str | int] = {"owner": OWNER, "repo": NAME}
READ = RestRequest(PULL, {**NAMES, "pull_number": 1})
CREATE = RestRequest(CREATE_COMMENT, {**NAMES, "issue_number": 1}, {}, {"body": "text"})
PULL_PATH, COMMENTS_PATH = f"{REPO}/pulls/1", f"{REPO}/issues/1/comments"
LOOKUP, MINT = f"{REPO}/installation", "/app/installations/1/access_tokens"
SECONDARY = {"message": "You have exceeded a secondary rate limit."}


@pytest.fixture(autouse=True)
def there_is_a_pull(github: FaultyGitHub) -> None:
    github.always("GET", PULL_PATH, Reply(200, {"number": 1}))


@pytest.mark.parametrize(
    ("faults", "waits"),
    [
        ([], []),
        ([Reply(502)], [0.5]),
        ([Reply(500), Fault.CUT], [0.5, 2]),
        ([Fault.CUT_AFTER, Reply(503), Fault.CUT], [0.5, 2, 8]),
    ],
)
async def test_a_read_is_asked_again_with_growing_pauses(
    github: FaultyGitHub, app: GitHubApp, time: FakeTime, faults: list[Reply | Fault], waits: list[float]
) -> None:
    github.next("GET", PULL_PATH, *faults)
    assert (await app.call(BENCH, READ)).json() == {"number": 1}
    assert time.slept == waits


async def test_a_read_gives_up_and_says_what_was_asked(github: FaultyGitHub, app: GitHubApp) -> None:
    github.next("GET", PULL_PATH, *[Reply(502, {"message": "Server Error"})] * 4)
    with pytest.raises(
        LookupFailed, match=r"^GET /repos/octo/bench/pulls/1: GitHub answered 502 Server Error, 4 times$"
    ):
        await app.call(BENCH, READ)
    assert github.count("GET", PULL_PATH) == 4


@pytest.mark.parametrize("fault", [Reply(502), Reply(500), Fault.CUT, Fault.CUT_AFTER])
async def test_what_creates_is_sent_once(github: FaultyGitHub, app: GitHubApp, fault: Reply | Fault) -> None:
    github.next("POST", COMMENTS_PATH, fault)
    with pytest.raises(LostAnswer, match="It may have been applied"):
        await app.call(BENCH, CREATE)
    assert github.count("POST", COMMENTS_PATH) == 1


async def test_silence_ends_like_a_broken_connection(github: FaultyGitHub, impatient: GitHubApp) -> None:
    github.next("GET", PULL_PATH, Fault.HANG)
    assert (await impatient.call(BENCH, READ)).json() == {"number": 1}
    github.next("POST", COMMENTS_PATH, Fault.HANG)
    with pytest.raises(LostAnswer, match="no answer in time"):
        await impatient.call(BENCH, CREATE)
    assert github.count("POST", COMMENTS_PATH) == 1


async def test_an_edit_is_sent_again(github: FaultyGitHub, app: GitHubApp) -> None:
    number = github.comment("old")
    path = f"{REPO}/issues/comments/{number}"
    github.next("PATCH", path, Fault.CUT_AFTER, Reply(502))
    await app.call(BENCH, RestRequest(UPDATE_COMMENT, {**NAMES, "comment_id": number}, {}, {"body": "new"}))
    assert github.comments[0]["body"] == "new"
    assert github.count("PATCH", path) == 3


async def test_twenty_first_calls_look_up_once_and_mint_once(github: FaultyGitHub, app: GitHubApp) -> None:
    await asyncio.gather(*(app.call(BENCH, READ) for _ in range(20)))
    assert (github.count("GET", LOOKUP), github.count("POST", MINT)) == (1, 1)
    assert github.count("GET", PULL_PATH) == 20


async def test_a_failed_mint_fails_all_who_wait_for_it_once(github: FaultyGitHub, app: GitHubApp) -> None:
    github.next("POST", MINT, Reply(403, {"message": "This installation has been suspended"}))
    asked = await asyncio.gather(*(app.call(BENCH, READ) for _ in range(5)), return_exceptions=True)
    assert all(isinstance(error, NotAllowed) for error in asked)
    said = f"POST {MINT}: GitHub answered 403 This installation has been suspended."
    assert {str(error) for error in asked} == {f"{said} Check that the installation is not suspended"}
    assert github.count("POST", MINT) == 1


async def test_a_token_that_is_refused_is_minted_anew_once(github: FaultyGitHub, app: GitHubApp) -> None:
    await app.call(BENCH, READ)
    github.tokens.clear()
    await asyncio.gather(*(app.call(BENCH, READ) for _ in range(5)))
    assert github.count("POST", MINT) == 2
    github.next("GET", PULL_PATH, *[Reply(401, {"message": "Bad credentials"})] * 2)
    with pytest.raises(BadCredentials, match="Check the App's id"):
        await app.call(BENCH, READ)


async def test_a_creating_request_survives_a_revoked_token(github: FaultyGitHub, app: GitHubApp) -> None:
    await app.call(BENCH, READ)
    github.tokens.clear()
    await app.call(BENCH, CREATE)
    assert len(github.comments) == 1


async def test_a_token_is_renewed_before_it_ends(github: FaultyGitHub, app: GitHubApp, time: FakeTime) -> None:
    await app.call(BENCH, READ)
    time.moment += 3600 - 61
    await app.call(BENCH, READ)
    assert github.count("POST", MINT) == 1
    time.moment += 2
    await app.call(BENCH, READ)
    assert github.count("POST", MINT) == 2


async def test_an_app_installed_anew_is_found_under_its_new_number(github: FaultyGitHub, app: GitHubApp) -> None:
    await app.call(BENCH, READ)
    github.installation, github.tokens = 2, []
    assert (await app.call(BENCH, READ)).json() == {"number": 1}
    assert github.count("GET", LOOKUP) == 2


async def test_an_installation_is_believed_for_an_hour(github: FaultyGitHub, app: GitHubApp, time: FakeTime) -> None:
    await app.call(BENCH, READ)
    time.moment += 3601
    await app.call(BENCH, READ)
    assert github.count("GET", LOOKUP) == 2


async def test_a_repository_without_the_app_is_named(github: FaultyGitHub, app: GitHubApp) -> None:
    github.next("GET", LOOKUP, Reply(404, {"message": "Not Found"}))
    with pytest.raises(NotThere, match=r"^the App is not installed on octo/bench$"):
        await app.call(BENCH, READ)


@pytest.mark.parametrize(
    ("reply", "waited"),
    [
        (Reply(403, SECONDARY, {"retry-after": "7"}), 7),
        (Reply(429, SECONDARY), 60),
        (Reply(403, SECONDARY), 60),
        (Reply(403, {}, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000030"}), 31),
    ],
)
async def test_a_rate_limit_is_waited_for(
    github: FaultyGitHub, app: GitHubApp, time: FakeTime, reply: Reply, waited: float
) -> None:
    github.next("POST", COMMENTS_PATH, reply)
    await app.call(BENCH, CREATE)
    assert time.slept[0] == waited
    assert len(github.comments) == 1


@pytest.mark.parametrize(
    ("headers", "until"),
    [
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800003000"}, "08:50:01"),
        ({"retry-after": "600"}, "08:10:00"),
    ],
)
async def test_a_long_rate_limit_is_said_and_nothing_is_sent_before_its_end(
    github: FaultyGitHub, app: GitHubApp, time: FakeTime, headers: dict[str, str], until: str
) -> None:
    github.next("GET", PULL_PATH, Reply(403, {}, headers))
    for _ in range(2):
        with pytest.raises(RateLimited, match=f"until 2027-01-15 {until} UTC"):
            await app.call(BENCH, READ)
    assert github.count("GET", PULL_PATH) == 1
    time.moment += 3002
    await app.call(BENCH, READ)


async def test_the_last_request_of_the_hour_is_the_last(github: FaultyGitHub, app: GitHubApp) -> None:
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800002000"}
    github.next("GET", PULL_PATH, Reply(200, {"number": 1}, headers))
    await app.call(BENCH, READ)
    with pytest.raises(RateLimited):
        await app.call(BENCH, READ)


async def test_writes_keep_a_second_between_them(github: FaultyGitHub, app: GitHubApp, time: FakeTime) -> None:
    await asyncio.gather(*(app.call(BENCH, CREATE) for _ in range(3)))
    assert time.slept == [1, 1]


async def test_what_did_not_change_is_not_sent_again(github: FaultyGitHub, key: str, time: FakeTime) -> None:
    seen: list[RequestSeen] = []
    headers = {"x-ratelimit-remaining": "4999", "x-ratelimit-reset": "1800003000"}
    github.always("GET", PULL_PATH, Reply(200, {"number": 1}, headers))
    async with GitHubApp(AppIdentity(APP_ID, key, github.url), time=time, watch=seen.append) as app:
        answers = [(await app.call(BENCH, READ)).json() for _ in range(3)]
        github.always("GET", PULL_PATH, Reply(200, {"number": 2}, headers))
        answers.append((await app.call(BENCH, READ)).json())
    assert answers == [{"number": 1}] * 3 + [{"number": 2}]
    assert [(one.installation, one.status, one.remaining) for one in seen] == [
        (None, 200, None),
        (None, 201, None),
        (1, 200, 4999),
        (1, 304, 4999),
        (1, 304, 4999),
        (1, 200, 4999),
    ]
    assert seen[-1].operation == "GET /repos/{owner}/{repo}/pulls/{pull_number}"


async def test_an_answer_without_end_is_not_read(github: FaultyGitHub, app: GitHubApp) -> None:
    github.next("GET", PULL_PATH, Reply(200, None, {}, b"x" * 3000))
    with pytest.raises(TooLarge, match="larger than 2 KiB"):
        await app.call(BENCH, replace(READ, limit=2048))


async def test_a_task_that_started_before_uses_the_same_connection(
    github: FaultyGitHub, key: str, time: FakeTime
) -> None:
    """githubkit alone would make a client for each of its calls."""
    opened: asyncio.Future[GitHubApp] = asyncio.get_running_loop().create_future()

    async def worker() -> bool:
        app = await opened
        await app.call(BENCH, READ)
        return True

    early = asyncio.create_task(worker())
    await asyncio.sleep(0)
    async with GitHubApp(AppIdentity(APP_ID, key, github.url), time=time) as app:
        opened.set_result(app)
        assert await early
        for _ in range(3):
            await asyncio.create_task(app.call(BENCH, READ))
    assert github.count("GET", PULL_PATH) == 4
    assert len(github.connections) == 2  # one of the App itself, one of its installation


async def test_an_enterprise_server_is_asked_under_its_own_path(github: FaultyGitHub, key: str, time: FakeTime) -> None:
    github.prefix = "/api/v3"
    async with GitHubApp(AppIdentity(APP_ID, key, f"{github.url}/api/v3/"), time=time) as app:
        assert (await app.call(BENCH, READ)).json() == {"number": 1}


async def test_channels_that_rest_are_closed_and_open_again(github: FaultyGitHub, key: str, time: FakeTime) -> None:
    few = replace(GitHubLimits(), installations=1, installation_seconds=0)
    async with GitHubApp(AppIdentity(APP_ID, key, github.url), few, time) as app:
        for number in (1, 2, 1):
            github.installation = number
            await app.call(BENCH, READ)
    assert github.count("POST", MINT) == 2  # the first one's token went with its channel


@pytest.mark.parametrize(("extra", "complete"), [(0, True), (1, False)])
async def test_a_list_is_whole_or_an_error(github: FaultyGitHub, key: str, extra: int, complete: bool) -> None:
    for number in range(200 + extra):
        github.comment(f"comment {number}")
    ask = RestRequest(LIST_COMMENTS, {**NAMES, "issue_number": 1})
    two_pages = replace(GitHubLimits(), pages=2)
    async with GitHubApp(AppIdentity(APP_ID, key, github.url), two_pages, FakeTime()) as app:
        if complete:
            github.page = 100
            assert len([item async for item in app.listed(BENCH, ask)]) == 200
        else:
            with pytest.raises(LookupFailed, match="more than 2 pages of 100"):
                _ = [item async for item in app.listed(BENCH, ask)]
