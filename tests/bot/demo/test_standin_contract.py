"""Every answer of the stand-in is one that GitHub describes."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from bot.demo.github.merging import Merging
from bot.demo.github.people import Opening
from bot.demo.github.reviews import Job
from bot.demo.github.routes import ROUTES
from bot.demo.github.workflows import ActionsRun, RunArtifact
from bot.github.operations import OPERATIONS
from tests.worlds.github.openapi import Contract, held_to_contract, operations
from tests.worlds.github.reviewing import Reviewing
from tests.worlds.github.standin import REPO, Scene, WatchedGitHub, forked, scene
from tests.worlds.github.visitor import Visitor, visiting


@dataclass(frozen=True, slots=True)
class Walk:
    scene: Scene
    github: WatchedGitHub
    visitor: Visitor


@pytest.fixture
async def walk() -> AsyncIterator[Walk]:
    here = scene()
    async with WatchedGitHub(here.world) as github, held_to_contract(github), visiting(github) as visitor:
        yield Walk(here, github, visitor)


def test_the_cut_describes_all_that_the_stand_in_answers_and_the_bot_asks() -> None:
    asked = {(operation.method, operation.path) for operation in OPERATIONS}
    answered = {(route.method, route.template) for route in ROUTES}
    assert asked <= answered
    assert answered == operations()


async def test_every_operation_gives_an_answer_that_github_describes(walk: Walk) -> None:
    """One call at least of each, in an order in which each finds what it needs."""
    await walk_all(walk)
    seen = {(call.method, call.route.template) for call in walk.github.calls if call.route and call.status in GOOD}
    assert seen == {(route.method, route.template) for route in ROUTES}


GOOD = frozenset({200, 201, 202, 204, 302})


async def walk_all(walk: Walk) -> None:
    get, scene = walk.visitor.get, walk.scene
    head, number = scene.pull.head, scene.pull.number
    comment = scene.people.comment(scene.repo, scene.pull, "Please look.\r\n", by="maria")
    await walk_app(walk)
    for path in (
        "",
        "/pulls?state=all&sort=updated&direction=asc&head=pat:faster&base=main",
        f"/pulls/{number}",
        f"/pulls/{number}/commits",
        "/collaborators/maria/permission",
        "/collaborators/gatekit-demo/permission",
        f"/compare/main...{head}",
        f"/compare/{head}...main?page=2&per_page=1",
        f"/git/trees/{head}?recursive=1",
        "/git/trees/main",
        f"/tarball/{head}",
        "/contents/configs/demo.yaml?ref=faster",
        "/contents/configs",
        f"/commits/{head}/pulls",
        f"/commits?sha={head}&per_page=2",
        f"/git/commits/{head}",
        f"/issues/{number}/comments?per_page=100&since=2026-01-01T00:00:00Z",
        f"/issues/comments/{comment.id}",
    ):
        assert (await get(path)).status_code in GOOD, path
    await walk_reviews(walk)
    await walk_runs(walk)
    await walk_writes(walk, comment.id)


async def walk_reviews(walk: Walk) -> None:
    """What reviewers wrote, and what they may."""
    scene, number = walk.scene, walk.scene.pull.number
    reviewing = Reviewing(scene.people)
    review = reviewing.review(scene.repo, scene.pull, "Fine.", by="maria")
    inline = reviewing.inline(scene.repo, scene.pull, "Here.", by="maria")
    scene.world.teams["gatekit-demo/core"] = {"maria"}
    for path in (
        f"/pulls/{number}/files",
        f"/pulls/{number}/reviews/{review.id}",
        f"/pulls/comments/{inline.id}",
        "/codeowners/errors",
    ):
        assert (await walk.visitor.get(path)).status_code in GOOD, path
    token = {"Authorization": f"Bearer {walk.visitor.token}"}
    team = "/orgs/gatekit-demo/teams/core/memberships/maria"
    assert (await walk.visitor.client.request("GET", team, headers=token)).status_code in GOOD


async def walk_runs(walk: Walk) -> None:
    scene = walk.scene
    run = ActionsRun(12, scene.pull.head, "faster", "pat", scene.world.tick())
    run.artifacts, run.jobs = (RunArtifact(1, "results_bmk"),), (Job("eval / x"),)
    scene.repo.runs[run.id] = run
    for path in (
        "/actions/runs/12",
        "/actions/runs/12/artifacts?per_page=100",
        "/actions/artifacts/1/zip",
        "/actions/runs/12/jobs?filter=latest",
        "/actions/workflows/run-sweep.yml/runs?event=pull_request&status=completed&branch=faster",
    ):
        assert (await walk.visitor.get(path)).status_code in GOOD, path


async def walk_app(walk: Walk) -> None:
    """What the App asks with its own key."""
    await walk.github.hooks.settled()
    walk.github.hooks.deliveries[0].status = 503
    delivery = walk.github.hooks.deliveries[0].id
    for method, path in (
        ("GET", "/app"),
        ("GET", "/app/installations?per_page=100"),
        ("GET", "/app/hook/deliveries?per_page=1"),
        ("GET", f"/app/hook/deliveries/{delivery}"),
        ("POST", f"/app/hook/deliveries/{delivery}/attempts"),
        ("GET", f"/repos/{walk.scene.repo.full_name}/installation"),
    ):
        assert (await walk.visitor.as_app(method, path)).status_code in GOOD, path


async def walk_writes(walk: Walk, comment: int) -> None:
    send, scene = walk.visitor.send, walk.scene
    wrote = await send("POST", f"/issues/{scene.pull.number}/comments", {"body": "Planned."})
    own = f"/issues/comments/{wrote.json()['id']}"
    await send("PATCH", own, {"body": "Judged."})
    reactions = f"/issues/comments/{comment}/reactions"
    thumb = await send("POST", reactions, {"content": "+1"})
    again = await send("POST", reactions, {"content": "+1"})
    assert (thumb.status_code, again.status_code, thumb.json()["id"]) == (201, 200, again.json()["id"])
    assert len((await walk.visitor.get(f"{reactions}?content=%2B1")).json()) == 1
    assert (await send("DELETE", f"{reactions}/{thumb.json()['id']}")).status_code == 204
    assert (await send("DELETE", own)).status_code == 204
    check = {"name": "acceptance length", "head_sha": scene.pull.head, "external_id": "12", "status": "in_progress"}
    made = await send("POST", "/check-runs", {**check, "output": {"title": "1 of 4", "summary": "…"}})
    done = {"conclusion": "neutral", "output": {"title": "4 of 4", "summary": "…"}}
    assert (await send("PATCH", f"/check-runs/{made.json()['id']}", done)).json()["status"] == "completed"
    listed = await walk.visitor.get(f"/commits/{scene.pull.head}/check-runs?check_name=acceptance+length&app_id=77")
    assert listed.json()["total_count"] == 1


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/pulls/999", 404),
        ("/collaborators/nobody-knows/permission", 404),
        ("/compare/main...gone", 404),
        ("/git/trees/gone", 404),
        ("/tarball/gone", 404),
        ("/contents/no.such.file", 404),
        ("/contents/README.md?ref=gone", 404),
        ("/issues/comments/1", 404),
        ("/commits/gone/check-runs", 422),
    ],
)
async def test_what_is_not_there_is_refused_in_githubs_shape(walk: Walk, path: str, status: int) -> None:
    answer = await walk.visitor.get(path)
    assert answer.status_code == status
    assert answer.json()["documentation_url"]


async def test_pull_requests_in_every_state_are_described(walk: Walk) -> None:
    """A fork's, a draft, one whose fork was deleted, one that was closed, one that was merged."""
    people, repo = walk.scene.people, walk.scene.repo
    fork = forked(walk.scene.world, repo, "stranger")
    people.branch(fork, "theirs")
    people.push(fork, "theirs", {"README.md": None, "new.yaml": b"x: 1\n"}, by="stranger")
    pulls = [people.open_pull(repo, Opening("theirs", "stranger", head_repo=fork, draft=True)) for _ in range(3)]
    pulls[0].head_repo = None
    pulls[0].mergeable = None
    people.close(repo, pulls[1], by="maria")
    Merging(people).merge(repo, pulls[2], by="maria")
    found = [(await walk.visitor.get(f"/pulls/{pull.number}")).json() for pull in pulls]
    assert [(pull["state"], pull["merged"], pull["mergeable"]) for pull in found] == [
        ("open", False, None),
        ("closed", False, None),
        ("closed", True, None),
    ]
    assert [pull["head"]["repo"] is None for pull in found] == [True, False, False]
    merged = found[2]["merge_commit_sha"]
    assert [pull["number"] for pull in (await walk.visitor.get(f"/commits/{merged}/pulls")).json()] == [pulls[2].number]


BAD: tuple[tuple[str, str, dict[str, object] | None, str], ...] = (
    ("POST", "/check-runs", {"name": "x"}, "head_sha"),
    ("POST", "/check-runs", {"name": "x", "head_sha": "HEAD", "titel": "x"}, "titel"),
    (
        "POST",
        "/check-runs",
        {"name": "x", "head_sha": "HEAD", "output": {"title": "x", "summary": "x" * 65_536}},
        "longer than 65535",
    ),
    ("POST", "/issues/1/comments", {"body": "x", "text": "x"}, "'text' was unexpected"),
    ("POST", "/issues/1/comments", None, "null is not"),
    ("GET", "/pulls?state=opened", None, "opened"),
    ("GET", "/pulls?stat=open", None, "stat is not a parameter"),
    ("GET", "/issues/1/comments?per_page=many", None, "per_page"),
    ("GET", "/stargazers", None, "no operation"),
)


@pytest.mark.parametrize(("method", "path", "body", "problem"), BAD, ids=[row[3] for row in BAD])
async def test_a_request_that_github_does_not_describe_is_noticed(
    method: str, path: str, body: dict[str, object] | None, problem: str
) -> None:
    """The contract can fail: on the bot's side …"""
    here, contract = scene(), Contract()
    async with WatchedGitHub(here.world) as github, visiting(github) as visitor:
        github.on_request(contract.observe)
        await visitor.send(method, path, json.loads(json.dumps(body).replace("HEAD", here.pull.head)))
    assert len(contract.violations) == 1, contract.violations
    assert problem in contract.violations[0]


async def test_an_answer_that_github_does_not_describe_is_noticed() -> None:
    """… and on the stand-in's."""
    here, contract = scene(), Contract()
    object.__setattr__(here.pull, "title", None)
    async with WatchedGitHub(here.world) as github, visiting(github) as visitor:
        github.on_request(contract.observe)
        await visitor.get("/pulls/1")
    assert contract.violations == [f'GET /repos/{REPO}/pulls/1: 200: title: null is not of type "string"']
