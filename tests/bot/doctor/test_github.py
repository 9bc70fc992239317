"""What the doctor says of the App, asked of a stand-in that holds the state."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.demo.github.app import App
from bot.demo.github.faults import Answer
from bot.doctor.finding import Finding
from bot.doctor.github import HASTY, check_github
from bot.doctor.rights import needed
from bot.github.auth import AppIdentity
from tests.worlds.github.github_faults import new_key
from tests.worlds.github.openapi import held_to_contract
from tests.worlds.github.standin import WatchedGitHub, scene

QUICK = replace(HASTY, backoff_seconds=0.01)
WHO, PERMISSIONS, EVENTS, INSTALLED = "github app", "github permissions", "github events", "github installations"
SETTINGS = "https://github.example/organizations/gatekit-demo/settings/apps/gatekit-demo/permissions"


@dataclass(frozen=True, slots=True)
class Stage:
    github: WatchedGitHub

    @property
    def app(self) -> App:
        return self.github.world.app

    async def findings(self, *, key: str | None = None, api_url: str | None = None) -> Mapping[str, Finding]:
        identity = AppIdentity(self.app.id, key or self.app.private_key, api_url or self.github.url)
        return {each.check: each for each in await check_github(identity, QUICK)}


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    here = scene()
    here.world.app.permissions = dict(needed().permissions)
    here.world.app.events = tuple(needed().events)
    async with WatchedGitHub(here.world) as github, held_to_contract(github):
        yield Stage(github)


async def test_an_app_as_its_manifest_asks_for_it_is_fine(stage: Stage) -> None:
    found = await stage.findings()
    assert list(found) == [WHO, PERMISSIONS, EVENTS, INSTALLED]
    assert all(each.ok and not each.mend for each in found.values())
    assert found[INSTALLED].detail == "gatekit-demo"
    assert {call.path for call in stage.github.calls} == {"/app", "/app/installations"}


@pytest.mark.parametrize(
    ("granted", "missing"),
    [
        ({"checks": None}, "checks: write"),
        ({"checks": "read"}, "checks: write"),
        ({"contents": None, "pull_requests": "read"}, "contents: read, pull_requests: write"),
        ({"contents": "write"}, None),  # more is no lack
    ],
)
async def test_a_missing_permission_is_named_with_the_place_to_click(
    stage: Stage, granted: dict[str, str | None], missing: str | None
) -> None:
    whole = {**needed().permissions, **granted}
    stage.app.permissions = {name: level for name, level in whole.items() if level is not None}
    found = (await stage.findings())[PERMISSIONS]
    assert found.ok == (missing is None)
    if missing is not None:
        assert found.detail == f"missing: {missing}"
        assert found.mend.startswith(f"at {SETTINGS} set {missing}, ")


async def test_more_than_is_needed_is_a_note(stage: Stage) -> None:
    stage.app.permissions |= {"issues": "write", "contents": "write"}
    found = (await stage.findings())[PERMISSIONS]
    assert found.ok
    assert found.detail.endswith("also granted, and not needed: contents: write, issues: write")


@pytest.mark.parametrize(
    ("events", "ok"), [((), False), (("issue_comment",), False), (("push", *sorted(needed().events)), True)]
)
async def test_a_missing_event_is_named(stage: Stage, events: tuple[str, ...], ok: bool) -> None:
    stage.app.events = events
    found = (await stage.findings())[EVENTS]
    assert found.ok == ok
    if not ok:
        assert found.detail.startswith("not subscribed to: ")
        assert "pull_request, " in found.detail
        assert SETTINGS in found.mend


async def test_an_installation_that_did_not_accept_a_new_permission_is_named(stage: Stage) -> None:
    stage.app.accepted = {name: level for name, level in stage.app.permissions.items() if name != "checks"}
    found = await stage.findings()
    assert found[PERMISSIONS].ok
    assert not found[INSTALLED].ok
    assert "gatekit-demo (https://github.example/" in found[INSTALLED].detail
    assert found[INSTALLED].detail.endswith("has not accepted checks: write")


async def test_a_suspended_installation_is_named(stage: Stage) -> None:
    stage.app.suspended = True
    found = (await stage.findings())[INSTALLED]
    assert (found.ok, found.detail.endswith("is suspended")) == (False, True)


async def test_a_key_of_another_app_is_not_taken(stage: Stage) -> None:
    found = await stage.findings(key=new_key())
    assert not any(each.ok for each in found.values())
    assert "401" in found[WHO].detail
    assert "GATEKIT_PRIVATE_KEY" in found[WHO].mend
    assert found[EVENTS].detail == f"could not find out: see {WHO}"


@pytest.mark.parametrize("trouble", [Answer(502), Answer(404, "Not Found")])
async def test_an_installation_list_that_cannot_be_had_is_not_empty(stage: Stage, trouble: Answer) -> None:
    stage.github.faults.on("GET", "/app/installations", trouble, times=9)
    found = await stage.findings()
    assert [each.ok for each in found.values()] == [True, True, True, None]
    assert found[INSTALLED].detail.startswith("could not find out: GET /app/installations")


async def test_github_out_of_reach_is_said_to_be_that(stage: Stage) -> None:
    found = await stage.findings(api_url="http://127.0.0.1:9")
    assert list(found) == [WHO, PERMISSIONS, EVENTS, INSTALLED]
    assert not any(each.ok for each in found.values())
    assert found[WHO].detail.startswith("could not find out: GET /app: the connection failed")
    assert "GATEKIT_GITHUB_API_URL" in found[WHO].mend


async def test_an_answer_that_is_none_is_not_understood(stage: Stage) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.json_response([])

    proxy = web.Application()
    proxy.router.add_get("/app", answer)
    async with TestServer(proxy) as server:
        found = await stage.findings(api_url=str(server.make_url("")).rstrip("/"))
    assert found[WHO].detail.startswith("could not find out: ")
    assert not any(each.ok for each in found.values())
