"""The stand-in lets in whom GitHub would let in, and accounts for it."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from bot.demo.github.app import make_app
from bot.demo.github.world import Role
from tests.worlds.github.standin import REPO, Scene, WatchedGitHub, scene
from tests.worlds.github.visitor import Visitor, signed, visiting


@dataclass(frozen=True, slots=True)
class Stage:
    scene: Scene
    github: WatchedGitHub
    visitor: Visitor


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    here = scene()
    async with WatchedGitHub(here.world) as github, visiting(github) as visitor:
        yield Stage(here, github, visitor)


async def test_the_app_is_let_in_with_a_jwt_of_its_own_key(stage: Stage) -> None:
    assert (await stage.visitor.as_app("GET", "/app")).json()["slug"] == stage.scene.world.app.slug


@pytest.mark.parametrize("wrong", ["key", "issuer", "over", "too long", "token", "nothing"])
async def test_any_other_jwt_is_not(stage: Stage, wrong: str) -> None:
    app = stage.scene.world.app
    tokens = {
        "key": signed(app, key=make_app().private_key),
        "issuer": signed(app, issuer=app.id + 1),
        "over": signed(app, life=-1),
        "too long": signed(app, life=3600),
        "token": stage.visitor.token,
        "nothing": "x",
    }
    answer = await stage.visitor.as_app("GET", "/app", token=tokens[wrong])
    assert answer.status_code == 401
    assert answer.json()["message"]


async def test_a_token_lives_an_hour_and_ends_on_a_whole_second() -> None:
    here = scene()
    now = began = datetime.now(UTC)
    here.world.tokens.now = lambda: now
    async with WatchedGitHub(here.world) as github, visiting(github) as visitor:
        text = (await visitor.log_in()).json()["expires_at"]
        assert (await visitor.get("")).status_code == 200
        now += timedelta(hours=1, seconds=1)
        assert (await visitor.get("")).status_code == 401
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text)
    assert timedelta(0) <= began + timedelta(hours=1) - datetime.fromisoformat(text) < timedelta(seconds=1)


@pytest.mark.parametrize(
    ("permissions", "method", "path", "status"),
    [
        ({"pull_requests": "read"}, "GET", "/pulls/1", 200),
        ({"issues": "read"}, "GET", "/pulls/1", 403),
        ({"pull_requests": "write"}, "POST", "/issues/1/comments", 201),
        ({"issues": "write"}, "POST", "/issues/1/comments", 201),
        ({"pull_requests": "read", "issues": "read"}, "POST", "/issues/1/comments", 403),
        ({"contents": "read"}, "GET", "/contents/README.md", 200),
        ({"checks": "read"}, "GET", "/contents/README.md", 403),
        ({"checks": "read"}, "GET", "/collaborators/maria/permission", 200),
    ],
)
async def test_a_token_may_do_what_it_was_given(
    stage: Stage, permissions: dict[str, str], method: str, path: str, status: int
) -> None:
    await stage.visitor.log_in(permissions=permissions)
    answer = await stage.visitor.send(method, path, {"body": "x"} if method == "POST" else None)
    assert answer.status_code == status
    if status == 403:
        assert answer.json()["message"] == "Resource not accessible by integration"


@pytest.mark.parametrize(
    "wanted",
    [{"permissions": {"contents": "write"}}, {"permissions": {"actions": "write"}}, {"repositories": ["another"]}],
    ids=str,
)
async def test_a_token_is_never_wider_than_the_installation(stage: Stage, wanted: dict[str, object]) -> None:
    assert (await stage.visitor.log_in(**wanted)).status_code == 422


async def test_a_suspended_app_gets_nothing(stage: Stage) -> None:
    stage.scene.world.app.suspended = True
    assert (await stage.visitor.get("")).status_code == 401
    assert (await stage.visitor.log_in()).status_code == 403


async def test_a_repository_without_the_app_is_not_there(stage: Stage) -> None:
    stage.scene.world.add_repo("elsewhere/private", {}, private=True)
    stage.scene.world.app.installed_on.discard(stage.scene.world.repos["elsewhere/private"].id)
    client, token = stage.visitor.client, {"Authorization": f"Bearer {stage.visitor.token}"}
    assert (await client.get("/repos/elsewhere/private", headers=token)).status_code == 404
    assert (await stage.visitor.as_app("GET", "/repos/elsewhere/private/installation")).status_code == 404


async def test_an_unknown_operation_is_not_found_in_githubs_shape(stage: Stage) -> None:
    answer = await stage.visitor.get("/stargazers")
    assert (answer.status_code, answer.json()["message"]) == (404, "Not Found")
    assert answer.headers["X-GitHub-Request-Id"]


@pytest.mark.parametrize(
    ("role", "permission"),
    [
        (Role.ADMIN, "admin"),
        (Role.MAINTAIN, "write"),
        (Role.WRITE, "write"),
        (Role.TRIAGE, "read"),
        (Role.READ, "read"),
        (None, "read"),  # anybody reads a public repository
    ],
)
async def test_a_role_has_an_older_coarser_word(stage: Stage, role: Role | None, permission: str) -> None:
    stage.scene.world.user("kim")
    if role is not None:
        stage.scene.people.invite(stage.scene.repo, "kim", role)
    answer = (await stage.visitor.get("/collaborators/kim/permission")).json()
    assert (answer["permission"], answer["role_name"]) == (permission, role.value if role else "read")


async def test_a_stranger_is_none_on_a_private_repository(stage: Stage) -> None:
    stage.scene.repo.private = True
    stage.scene.world.user("kim")
    assert (await stage.visitor.get("/collaborators/kim/permission")).json()["permission"] == "none"


async def test_what_has_not_changed_is_304_and_free(stage: Stage) -> None:
    first = await stage.visitor.get("/pulls/1")
    again = await stage.visitor.get("/pulls/1", If_None_Match=first.headers["ETag"])
    stage.scene.people.add_label(stage.scene.repo, stage.scene.pull, "bug", by="maria")
    changed = await stage.visitor.get("/pulls/1", If_None_Match=first.headers["ETag"])
    assert [one.status_code for one in (first, again, changed)] == [200, 304, 200]
    assert again.content == b""
    assert [one.headers["X-RateLimit-Remaining"] for one in (first, again, changed)] == ["4999", "4999", "4998"]


async def test_the_hour_has_a_limit(stage: Stage) -> None:
    stage.github.door.limit = 2
    answers = [await stage.visitor.get("/pulls/1") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 403]
    assert answers[2].headers["X-RateLimit-Remaining"] == "0"
    assert "rate limit exceeded" in answers[2].json()["message"]


async def test_a_list_leads_from_page_to_page(stage: Stage) -> None:
    for number in range(7):
        stage.scene.people.comment(stage.scene.repo, stage.scene.pull, f"comment {number}", by="maria")
    answer = await stage.visitor.get("/issues/1/comments?per_page=3")
    bodies = [comment["body"] for comment in answer.json()]
    while "next" in answer.links:
        token = {"Authorization": f"Bearer {stage.visitor.token}"}
        answer = await stage.visitor.client.get(answer.links["next"]["url"], headers=token)
        bodies += [comment["body"] for comment in answer.json()]
    assert bodies == [f"comment {number}" for number in range(7)]
    assert set(answer.links) == {"prev", "first"}


@pytest.mark.parametrize(("length", "status"), [(65_536, 201), (65_537, 422)])
async def test_a_comment_has_a_longest_length(stage: Stage, length: int, status: int) -> None:
    answer = await stage.visitor.send("POST", "/issues/1/comments", {"body": "x" * length})
    assert answer.status_code == status
    assert len(stage.scene.repo.comments) == (status == 201)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"output": {"title": "t", "summary": "x" * 65_535}}, 201),
        ({"output": {"title": "t", "summary": "x" * 65_536}}, 422),
        ({"actions": [{"label": "x" * 21, "description": "d", "identifier": "i"}]}, 422),
        ({"status": "completed"}, 422),
        ({"conclusion": "success"}, 201),
        ({"head_sha": "0" * 40}, 422),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_a_check_run_has_limits(stage: Stage, body: dict[str, object], status: int) -> None:
    asked = {"name": "acceptance length", "head_sha": stage.scene.pull.head, **body}
    assert (await stage.visitor.send("POST", "/check-runs", asked)).status_code == status


async def test_an_archive_comes_from_another_host_which_must_not_see_the_token(stage: Stage) -> None:
    redirect = await stage.visitor.get("/tarball/faster")
    assert redirect.status_code == 302
    address = redirect.headers["Location"]
    assert not address.startswith(stage.github.url)
    assert (await stage.visitor.client.get(address.split("?")[0])).status_code == 404
    archive = await stage.visitor.client.get(address)
    assert (archive.status_code, archive.content[:2]) == (200, b"\x1f\x8b")
    assert stage.github.leaks == []
    await stage.visitor.client.get(address, headers={"Authorization": "Bearer ghs_x"})
    assert len(stage.github.leaks) == 1
    assert f"/{REPO}/" in stage.github.leaks[0]
