"""The stand-in's webhooks look like GitHub's own, are really signed, and really arrive."""

import hashlib
import hmac
import json
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bot.deliveries.translate import translate
from bot.demo.github.people import Opening
from gatekit.domain.ids import Login, PrRef, Repo
from handlers.events import HeadMoved, LabelAdded, LabelRemoved, PrClosed
from tests.worlds.github.standin import Scene, WatchedGitHub, resend, scene
from tests.worlds.github.visitor import visiting

WEBHOOKS = Path(__file__).parent.parent.parent / "data" / "webhooks"
LABEL = "full-sweep-fail-fast"


@dataclass(slots=True)
class Bot:
    """The receiving end: keeps what came and answers as it is told."""

    status: int = 202
    url: str = ""
    got: list[tuple[Mapping[str, str], bytes]] = field(default_factory=list)

    async def receive(self, request: web.Request) -> web.Response:
        self.got.append((dict(request.headers), await request.read()))
        return web.Response(status=self.status)


@pytest.fixture
async def bot() -> AsyncIterator[Bot]:
    bot, app = Bot(), web.Application()
    app.router.add_post("/webhook", bot.receive)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    bot.url = f"http://127.0.0.1:{runner.addresses[0][1]}/webhook"
    yield bot
    await runner.cleanup()


@dataclass(frozen=True, slots=True)
class Told:
    scene: Scene
    payloads: Mapping[tuple[str, str], dict[str, Any]]  # the last of each event and action


@pytest.fixture(scope="module")
def told() -> Told:
    """Everything that people can do, done once; nobody serves."""
    here = scene()
    people, repo, pull = here.people, here.repo, here.pull
    payloads: dict[tuple[str, str], dict[str, Any]] = {}
    here.world.emit = lambda event, payload: payloads.update({(event, str(payload["action"])): _as_sent(payload)})
    people.branch(repo, "other")
    people.open_pull(repo, Opening("other", "pat"))
    people.add_label(repo, pull, "bug", by="maria")
    people.add_label(repo, pull, LABEL, by="maria")
    people.push(repo, "faster", {"README.md": b"# More\n"}, by="pat")
    comment = people.comment(repo, pull, "Please look.", by="maria")
    people.edit_comment(repo, comment, "Please look again.", by="maria")
    people.delete_comment(repo, comment, by="maria")
    people.set_draft(repo, pull, draft=True, by="pat")
    people.set_draft(repo, pull, draft=False, by="pat")
    people.remove_label(repo, pull, LABEL, by="maria")
    people.close(repo, pull, by="maria")
    people.reopen(repo, pull, by="pat")
    return Told(here, payloads)


def _as_sent(payload: object) -> dict[str, Any]:
    sent: dict[str, Any] = json.loads(json.dumps(payload))
    return sent


PULL_ACTIONS = (
    "opened", "labeled", "unlabeled", "synchronize", "converted_to_draft", "ready_for_review", "closed", "reopened",
)  # fmt: skip


@pytest.mark.parametrize("action", PULL_ACTIONS)
def test_a_pull_request_webhook_has_the_keys_and_types_of_githubs_own(told: Told, action: str) -> None:
    real = [
        example for example in json.loads((WEBHOOKS / "pull_request.json").read_text()) if example["action"] == action
    ]
    assert real
    assert differences(told.payloads["pull_request", action], real) == []


@pytest.mark.parametrize("action", ["created", "edited", "deleted"])
def test_a_comment_webhook_has_the_keys_and_types_of_githubs_own(told: Told, action: str) -> None:
    """There is one real example; GitHub sends the same but for `changes`."""
    others = json.loads((WEBHOOKS / "others.json").read_text())
    real = [example["payload"] for example in others if example["event"] == "issue_comment"]
    assert differences(told.payloads["issue_comment", action], real) == []
    assert told.payloads["issue_comment", action]["issue"]["pull_request"]["url"].endswith("/pulls/1")


def test_the_comparison_notices_a_missing_key_and_a_wrong_type(told: Told) -> None:
    real = [told.payloads["pull_request", "labeled"]]
    broken = _as_sent(real[0])
    del broken["pull_request"]["head"]["sha"]
    broken["pull_request"]["number"] = "1"
    assert differences(broken, real) == [
        ".pull_request.head.sha is missing",
        ".pull_request.number is string, not number",
    ]


def differences(ours: object, real: list[dict[str, Any]]) -> list[str]:
    """What all real examples have and ours lacks, and what has a type that none of them has; null is always allowed."""
    examples = [_kinds(example) for example in real]
    mine = _kinds(ours)
    always = set.intersection(*(set(example) for example in examples))
    missing = [path for path in always - set(mine) if not _empty_above(path, mine)]
    problems = [f"{path} is missing" for path in missing]
    for path, kinds in mine.items():
        known = set[str]().union(*(example.get(path, set()) for example in examples))
        if known and known != {"null"} and not kinds <= known | {"null"}:
            problems.append(f"{path} is {', '.join(sorted(kinds))}, not {', '.join(sorted(known))}")
    return sorted(problems)


def _empty_above(path: str, mine: Mapping[str, set[str]]) -> bool:
    """Below a null, or in an empty list, there are no keys to compare."""
    while path:
        path = path[:-2] if path.endswith("[]") else path.rpartition(".")[0]
        if path in mine:
            return mine[path] in ({"null"}, {"list"})
    return False


def _kinds(value: object) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path, kind in _walk(value, ""):
        found.setdefault(path, set()).add(kind)
    return found


def _walk(value: object, path: str) -> Iterator[tuple[str, str]]:
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "list", dict: "object"}
    yield path, names.get(type(value), "null")
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _walk(item, f"{path}.{key}")
    if isinstance(value, list):
        for item in value:
            yield from _walk(item, f"{path}[]")


def test_the_bot_reads_what_happened(told: Told) -> None:
    pr, maria = PrRef(Repo("gatekit-demo", "bench"), 1), Login("maria")
    read = {action: translate("pull_request", told.payloads["pull_request", action]) for action in PULL_ACTIONS}
    assert read["labeled"] == LabelAdded(pr, LABEL, maria)
    assert read["unlabeled"] == LabelRemoved(pr, LABEL, maria)
    assert read["synchronize"] == HeadMoved(
        pr, told.scene.pull.head, Login("pat"), told.payloads["pull_request", "synchronize"]["before"]
    )
    assert read["closed"] == PrClosed(pr, merged=False)


def test_a_synchronize_says_from_where_to_where(told: Told) -> None:
    payload = told.payloads["pull_request", "synchronize"]
    history = told.scene.world.history.commits
    assert history[payload["after"]].parents == (payload["before"],)
    assert payload["after"] == payload["pull_request"]["head"]["sha"] == told.scene.pull.head


async def test_a_delivery_is_signed_over_its_bytes_and_carries_githubs_headers(bot: Bot) -> None:
    here = scene()
    async with WatchedGitHub(here.world) as github:
        github.hooks.target = bot.url
        github.people.add_label(here.repo, here.pull, LABEL, by="maria")
        await github.hooks.settled()
    (headers, body), (delivery,) = bot.got[0], github.hooks.deliveries
    digest = hmac.new(b"webhook secret", body, hashlib.sha256).hexdigest()
    assert headers["X-Hub-Signature-256"] == f"sha256={digest}"
    assert headers["X-GitHub-Event"] == "pull_request"
    assert uuid.UUID(headers["X-GitHub-Delivery"]).version == 4
    assert headers["X-GitHub-Hook-Installation-Target-Type"] == "integration"
    assert (delivery.status, delivery.payload["action"]) == (202, "labeled")


async def test_the_same_story_has_the_same_bytes_and_ids(bot: Bot) -> None:
    stories = []
    for _ in range(2):
        here = scene()
        async with WatchedGitHub(here.world) as github:
            github.people.push(here.repo, "faster", {"README.md": b"# More\n"}, by="pat")
        stories.append(
            [(one.guid, json.loads(one.body.replace(github.url.encode(), b""))) for one in github.hooks.deliveries]
        )
    assert stories[0] == stories[1]


async def test_a_redelivery_keeps_its_id_and_a_captured_body_can_come_under_another(bot: Bot) -> None:
    here = scene()
    async with WatchedGitHub(here.world) as github:
        github.hooks.target = bot.url
        bot.status = 500
        github.people.add_label(here.repo, here.pull, LABEL, by="maria")
        await github.hooks.settled()
        bot.status = 202
        first = github.hooks.deliveries[0]
        again, replayed = github.hooks.redeliver(first), resend(github.hooks, first)
        await github.hooks.settled()
    assert [one.status for one in github.hooks.deliveries] == [500, 202, 202]
    assert again.guid == first.guid != replayed.guid
    assert {body for _, body in bot.got} == {first.body}


async def test_a_bot_that_is_down_misses_deliveries_and_the_app_can_ask_for_them_again(bot: Bot) -> None:
    here = scene()
    async with WatchedGitHub(here.world) as github, visiting(github) as visitor:
        github.hooks.target = "http://127.0.0.1:9/webhook"
        github.people.add_label(here.repo, here.pull, LABEL, by="maria")
        await github.hooks.settled()
        github.hooks.target = bot.url
        failed = (await visitor.as_app("GET", "/app/hook/deliveries")).json()
        await visitor.as_app("POST", f"/app/hook/deliveries/{failed[0]['id']}/attempts")
        await github.hooks.settled()
        listed = (await visitor.as_app("GET", "/app/hook/deliveries")).json()
    assert [(one["status"], one["redelivery"]) for one in listed] == [
        ("OK", True),
        ("failed to connect to host", False),
    ]
    assert len({one["guid"] for one in listed}) == 1
    assert len(bot.got) == 1


async def test_the_apps_own_comment_comes_back_as_a_webhook(bot: Bot) -> None:
    here = scene()
    async with WatchedGitHub(here.world) as github, visiting(github) as visitor:
        github.hooks.target = bot.url
        await visitor.send("POST", "/issues/1/comments", {"body": "Planned."})
        await github.hooks.settled()
    payload = json.loads(bot.got[0][1])
    assert payload["sender"]["type"] == "Bot"
    assert payload["comment"]["performed_via_github_app"]["id"] == here.world.app.id


@pytest.mark.parametrize(("events", "installed"), [(("issue_comment",), True), (("pull_request",), False)])
def test_the_app_hears_only_what_it_subscribed_to_where_it_is_installed(
    events: tuple[str, ...], installed: bool
) -> None:
    here = scene()
    here.world.app.events = events
    if not installed:
        here.world.app.installed_on.clear()
    heard: list[str] = []
    here.world.emit = lambda event, payload: heard.append(event)
    here.people.add_label(here.repo, here.pull, LABEL, by="maria")
    assert heard == []
