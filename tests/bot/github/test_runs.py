"""An artifact is downloaded once, within limits, and the API's token stays where it belongs."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.demo.github.workflows import RESULTS, packed
from bot.github.client import GitHubApp
from bot.github.workflow_runs import GitHubRuns
from gatekit.domain.errors import BadInput
from gatekit.domain.ids import Repo
from gatekit.formats.artifact_zip import LIMITS
from gatekit.use.workflow_runs import Artifact
from handlers.errors import LookupFailed, NotThere
from tests.worlds.github.github_faults import NAME, OWNER, REPO, FakeTime, FaultyGitHub, Reply

BENCH = Repo(OWNER, NAME)
ZIP = f"{REPO}/actions/artifacts/7/zip"
ONE = Artifact(7, "results_bmk", False, len(RESULTS))


@pytest.fixture
async def storage() -> AsyncIterator[FaultyGitHub]:
    async with FaultyGitHub(FakeTime()) as running:
        yield running


@pytest.fixture
def runs(app: GitHubApp, github: FaultyGitHub, storage: FaultyGitHub) -> GitHubRuns:
    github.always("GET", ZIP, Reply(302, None, {"Location": f"{storage.url}/blob?sig=abc"}))
    return GitHubRuns(app)


def stored(storage: FaultyGitHub, data: bytes) -> None:
    storage.next("GET", "/blob", Reply(200, None, {"Content-Type": "application/zip"}, data))


async def test_it_is_read_once_and_without_our_token(runs: GitHubRuns, storage: FaultyGitHub) -> None:
    stored(storage, RESULTS)
    assert await asyncio.gather(runs.rows(BENCH, ONE), runs.rows(BENCH, ONE)) == [1, 1]
    assert await runs.rows(BENCH, ONE) == 1
    (asked,) = storage.asked
    assert asked.query == {"sig": "abc"}
    assert "Authorization" not in asked.headers


async def test_what_is_odd_is_remembered_too(runs: GitHubRuns, storage: FaultyGitHub) -> None:
    stored(storage, packed({"../agg.json": "[]"}))
    for _ in range(2):
        with pytest.raises(BadInput, match="leads out of its folder") as no:
            await runs.rows(BENCH, ONE)
        assert [entry.name for entry in no.traceback if entry.name in ("_rows", "result_rows")] == []
    assert len(storage.asked) == 1


async def test_one_that_says_it_is_too_large_is_not_even_asked_for(runs: GitHubRuns, github: FaultyGitHub) -> None:
    with pytest.raises(BadInput, match="is larger than the 64 MiB that are read"):
        await runs.rows(BENCH, Artifact(7, "results_bmk", False, LIMITS.packed + 1))
    assert [call for call in github.asked if call.path == ZIP] == []


async def test_one_that_is_larger_than_it_says_is_left_in_the_middle(runs: GitHubRuns, storage: FaultyGitHub) -> None:
    stored(storage, b"\0" * (LIMITS.packed + 1))
    with pytest.raises(BadInput, match="is larger than the 64 MiB that are read"):
        await runs.rows(BENCH, ONE)


@pytest.mark.parametrize(("status", "error"), [(410, NotThere), (403, LookupFailed), (500, LookupFailed)])
async def test_a_storage_that_does_not_give_it_is_no_verdict(
    runs: GitHubRuns, storage: FaultyGitHub, status: int, error: type[Exception]
) -> None:
    """And it is asked again."""
    storage.next("GET", "/blob", *[Reply(status, None, {}, b"<Error/>")] * 8)
    for _ in range(2):
        with pytest.raises(error):
            await runs.rows(BENCH, ONE)
    assert len(storage.asked) >= 2
