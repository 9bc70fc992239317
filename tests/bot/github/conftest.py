from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.github.auth import AppIdentity
from bot.github.client import GitHubApp
from bot.github.limits import GitHubLimits
from tests.worlds.github.github_faults import APP_ID, FakeTime, FaultyGitHub, new_key

IMPATIENT = replace(GitHubLimits(), read_seconds=3, call_seconds=15)  # real seconds: the server never answers


@pytest.fixture(scope="session")
def key() -> str:
    return new_key()


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
async def github(time: FakeTime) -> AsyncIterator[FaultyGitHub]:
    async with FaultyGitHub(time) as running:
        yield running


@pytest.fixture
async def app(github: FaultyGitHub, time: FakeTime, key: str) -> AsyncIterator[GitHubApp]:
    async with GitHubApp(AppIdentity(APP_ID, key, github.url), time=time) as opened:
        yield opened


@pytest.fixture
async def impatient(github: FaultyGitHub, time: FakeTime, key: str) -> AsyncIterator[GitHubApp]:
    async with GitHubApp(AppIdentity(APP_ID, key, github.url), IMPATIENT, time) as opened:
        yield opened
