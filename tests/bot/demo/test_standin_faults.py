"""What can be made to go wrong, and what an observer sees."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx
import pytest

from bot.demo.github.faults import Answer, Cut, EmptyPages, Hold, Moment, RateLimit, RevokeTokens, Trouble
from bot.demo.github.server import Call
from tests.worlds.bot.until import PATIENCE
from tests.worlds.github.standin import REPO, Scene, WatchedGitHub, scene
from tests.worlds.github.visitor import Visitor, visiting

COMMENTS = "/repos/*/issues/*/comments"


@dataclass(frozen=True, slots=True)
class Stage:
    scene: Scene
    github: WatchedGitHub
    visitor: Visitor

    async def comment(self) -> httpx.Response:
        return await self.visitor.send("POST", "/issues/1/comments", {"body": "x"})


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    here = scene()
    async with WatchedGitHub(here.world) as github, visiting(github) as visitor:
        yield Stage(here, github, visitor)


@pytest.mark.parametrize(
    ("trouble", "status", "headers"),
    [
        (Answer(502), 502, {}),
        (RateLimit(), 403, {"X-RateLimit-Remaining": "0"}),
        (RateLimit(secondary=True, status=429, seconds=7), 429, {"Retry-After": "7"}),
        (RateLimit(secondary=True), 403, {"Retry-After": "60"}),
        (RevokeTokens(), 401, {}),
    ],
    ids=str,
)
async def test_an_answer_can_be_a_refusal_and_nothing_is_applied(
    stage: Stage, trouble: Trouble, status: int, headers: dict[str, str]
) -> None:
    stage.github.faults.on("POST", COMMENTS, trouble)
    answer = await stage.comment()
    assert answer.status_code == status
    assert {name: answer.headers[name] for name in headers} == headers
    assert stage.scene.repo.comments == {}


async def test_only_the_named_call_meets_the_trouble(stage: Stage) -> None:
    stage.github.faults.on("POST", COMMENTS, Answer(503), nth=2, times=2)
    assert (await stage.visitor.get("/issues/1/comments")).status_code == 200
    assert [(await stage.comment()).status_code for _ in range(4)] == [201, 503, 503, 201]


@pytest.mark.parametrize(("moment", "applied"), [(Moment.BEFORE, 0), (Moment.AFTER, 1)])
async def test_a_connection_can_break_before_or_after_the_change(stage: Stage, moment: Moment, applied: int) -> None:
    stage.github.faults.on("POST", COMMENTS, Cut(moment))
    with pytest.raises(httpx.RemoteProtocolError):
        await stage.comment()
    assert len(stage.scene.repo.comments) == applied
    assert stage.github.calls[-1].status is None


@pytest.mark.parametrize(("moment", "applied"), [(Moment.BEFORE, 0), (Moment.AFTER, 1)])
async def test_a_call_can_wait(stage: Stage, moment: Moment, applied: int) -> None:
    waiting, go_on = asyncio.Event(), asyncio.Event()

    async def noticed(when: Moment, call: Call) -> None:
        if when is moment:
            waiting.set()

    stage.github.on_request(noticed)
    stage.github.faults.on("POST", COMMENTS, Hold(go_on, moment))
    asked = asyncio.create_task(stage.comment())
    await asyncio.wait_for(waiting.wait(), PATIENCE)
    assert (len(stage.scene.repo.comments), asked.done()) == (applied, False)
    go_on.set()
    assert (await asked).status_code == 201


async def test_a_list_can_look_empty(stage: Stage) -> None:
    await stage.comment()
    stage.github.faults.on("GET", COMMENTS, EmptyPages())
    assert [(await stage.visitor.get("/issues/1/comments")).json() == [] for _ in range(2)] == [True, False]


async def test_a_revoked_token_stays_dead_and_a_new_one_works(stage: Stage) -> None:
    stage.github.faults.on("*", "*", RevokeTokens())
    assert [(await stage.visitor.get("")).status_code for _ in range(2)] == [401, 401]
    await stage.visitor.log_in()
    assert (await stage.visitor.get("")).status_code == 200


async def test_an_observer_stands_on_both_sides_of_the_change(stage: Stage) -> None:
    """A drill kills the bot there."""
    seen: list[tuple[Moment, str, int]] = []

    async def look(moment: Moment, call: Call) -> None:
        seen.append((moment, call.path, len(stage.scene.repo.comments)))

    stage.github.on_request(look)
    await stage.comment()
    path = f"/repos/{REPO}/issues/1/comments"
    assert seen == [(Moment.BEFORE, path, 0), (Moment.AFTER, path, 1)]


async def test_the_log_counts_every_call(stage: Stage) -> None:
    await stage.visitor.get("/pulls/1")
    await stage.visitor.get("/nonsense")
    token = "/app/installations/5001/access_tokens"
    assert [(call.method, call.path, call.status) for call in stage.github.calls] == [
        ("POST", token, 201),
        ("GET", f"/repos/{REPO}/pulls/1", 200),
        ("GET", f"/repos/{REPO}/nonsense", 404),
    ]
