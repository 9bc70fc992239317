import copy
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.deliveries.translate import EVENTS, Nothing, translate
from gatekit.domain.ids import GHOST, Login, PrRef, Repo, Sha
from gatekit.signoff.checklist.comment import CommentText
from handlers.events import CommentAction, CommentChanged, GroupAsked, HeadMoved, LabelAdded, LabelRemoved, PrClosed
from tests.worlds.github.hooks import other_texts, pull_request, pull_request_texts

PR = PrRef(Repo("Codertocat", "Hello-World"), 2)
SENDER = Login("Codertocat")
ODD_GROUP = "merge_group.checks_requested: no pull request or no commit of a merge group"


def _head(action: str) -> Sha:
    return Sha(pull_request(action)["pull_request"]["head"]["sha"])


def _before() -> Sha:
    return Sha(pull_request("synchronize")["before"])


@pytest.mark.parametrize(
    ("action", "event"),
    [
        ("labeled", LabelAdded(PR, "bug", SENDER)),
        ("unlabeled", LabelRemoved(PR, "bug", SENDER)),
        ("synchronize", HeadMoved(PR, _head("synchronize"), SENDER, _before())),
        ("reopened", HeadMoved(PR, _head("reopened"), SENDER, None, pushed=False)),
        ("closed", PrClosed(PR, merged=False)),
        ("opened", Nothing("no handler for pull_request.opened")),
        ("converted_to_draft", Nothing("no handler for pull_request.converted_to_draft")),
        ("review_requested", Nothing("no handler for pull_request.review_requested")),
    ],
)
def test_what_each_action_becomes(action: str, event: object) -> None:
    assert translate("pull_request", pull_request(action)) == event


def test_every_real_pull_request_payload_is_understood() -> None:
    """An event for the five actions, nothing for the others; none of them looks odd."""
    for text in pull_request_texts():
        payload = json.loads(text) | {"installation": {"id": 1}}
        found = translate("pull_request", payload)
        heard = payload["action"] in ("labeled", "unlabeled", "synchronize", "reopened", "closed")
        assert isinstance(found, Nothing) is not heard, payload["action"]
        assert not (isinstance(found, Nothing) and found.odd)


def test_other_events_are_nothing() -> None:
    for event, text in other_texts():
        if event not in EVENTS:
            assert translate(event, json.loads(text)) == Nothing(f"no handler for {event}")


def comment(**changes: Any) -> dict[str, Any]:
    """A real payload, of an issue; with a pull request where `pull` says so."""
    payload: dict[str, Any] = json.loads(next(text for event, text in other_texts() if event == "issue_comment"))
    if changes.pop("pull", True):
        payload["issue"]["pull_request"] = {"url": "https://api.github.com/repos/Codertocat/Hello-World/pulls/1"}
    payload["comment"] |= changes.pop("comment", {})
    return payload | changes


HEARD = CommentChanged(
    pr=PrRef(Repo("Codertocat", "Hello-World"), 1),
    comment=492700400,
    action=CommentAction.CREATED,
    author=SENDER,
    sender=SENDER,
    body=CommentText("You are totally right! I'll get this fixed right away."),
    changed=datetime(2019, 5, 15, 15, 20, 21, tzinfo=UTC),
)


@pytest.mark.parametrize(
    ("payload", "event"),
    [
        (comment(), HEARD),
        (comment(action="deleted"), replace(HEARD, action=CommentAction.DELETED)),
        (
            comment(action="edited", changes={"body": {"from": "/use 1"}}, sender={"login": "tom"}),
            replace(HEARD, action=CommentAction.EDITED, before=CommentText("/use 1"), sender=Login("tom")),
        ),
        (
            comment(comment={"user": {"login": "x[bot]", "type": "Bot"}}),
            replace(HEARD, author=Login("x[bot]"), bot=True),
        ),
        (comment(comment={"user": None}), replace(HEARD, author=GHOST)),
        (comment(comment={"body": None}), replace(HEARD, body=CommentText(""))),
        (comment(comment={"updated_at": "yesterday"}), replace(HEARD, changed=None)),
        (comment(comment={"updated_at": "2019-05-15T15:20:21"}), replace(HEARD, changed=None)),  # in no time zone
        (comment(pull=False), Nothing("a comment on an issue")),
        (comment(action="pinned"), Nothing("no handler for issue_comment.pinned")),
        (comment(comment={"id": "7"}), Nothing("issue_comment.created: no comment id", odd=True)),
    ],
)
def test_comments_in_the_conversation_of_a_pull_request(payload: dict[str, Any], event: object) -> None:
    assert translate("issue_comment", payload) == event


@pytest.mark.parametrize(
    ("changed", "merged"),
    [({"merged": True}, True), ({"merged": False}, False), ({"merged": None}, False), ({"merged": "yes"}, False)],
)
def test_merged_is_only_what_github_calls_merged(changed: dict[str, object], merged: bool) -> None:
    payload = pull_request("closed")
    payload["pull_request"] |= changed
    assert translate("pull_request", payload) == PrClosed(PR, merged)


@pytest.mark.parametrize(
    ("action", "take_away", "event"),
    [
        ("labeled", "sender", LabelAdded(PR, "bug", Login("ghost"))),
        ("synchronize", "after", HeadMoved(PR, _head("synchronize"), SENDER, _before())),
        ("closed", "number", PrClosed(PR, merged=False)),
        ("closed", "installation", PrClosed(PR, merged=False)),
        ("closed", "sender", PrClosed(PR, merged=False)),
    ],
)
def test_what_can_be_read_elsewhere_is_not_missed(action: str, take_away: str, event: object) -> None:
    payload = pull_request(action)
    payload.pop(take_away, None)
    assert translate("pull_request", payload) == event


def test_a_repository_is_found_by_its_parts() -> None:
    payload = pull_request("closed")
    del payload["repository"]["full_name"]
    assert translate("pull_request", payload) == PrClosed(PR, merged=False)


@pytest.mark.parametrize(
    ("payload", "because"),
    [
        (None, "no action"),
        ([], "no action"),
        ({}, "no action"),
        ({"action": "labeled"}, "pull_request.labeled: no pull request number"),
        (pull_request("labeled", label=None), "pull_request.labeled: no label.name"),
        (pull_request("labeled", label={"name": ""}), "pull_request.labeled: no label.name"),
        (pull_request("labeled", repository={"full_name": "../x/y"}), "pull_request.labeled: no repository name"),
        (pull_request("closed", repository=7), "pull_request.closed: no repository.owner.login"),
        (pull_request("closed", pull_request=None, number=True), "pull_request.closed: no pull request number"),
        (pull_request("closed", pull_request=None, number=10**12), "pull_request.closed: no pull request number"),
        (
            pull_request("synchronize", pull_request=[], after="main", number=2),
            "pull_request.synchronize: no head commit",
        ),
    ],
)
def test_an_odd_shape_is_nothing_and_says_what_is_missing(payload: object, because: str) -> None:
    assert translate("pull_request", payload) == Nothing(because, odd=True)


def _paths(value: object, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at] * bool(at) + [path for key, child in inside for path in _paths(child, (*at, key))]


@pytest.mark.parametrize("action", ["labeled", "synchronize", "closed"])
@pytest.mark.parametrize("value", [None, 7, "\ud800", [], {}, True, -1.5], ids=repr)
def test_no_field_of_a_wrong_kind_raises(action: str, value: object) -> None:
    """Each of the payload's outer fields in turn has another shape."""
    whole = pull_request(action)
    for path in _paths(whole):
        if len(path) > 3:
            continue
        payload = copy.copy(whole)
        inner: Any = payload
        for key in path[:-1]:
            inner[key] = copy.copy(inner[key])
            inner = inner[key]
        inner[path[-1]] = value
        translate("pull_request", payload)


GROUP: dict[str, Any] = {
    "action": "checks_requested",
    "merge_group": {
        "head_sha": "a" * 40,
        "head_ref": f"refs/heads/gh-readonly-queue/main/pr-104-{'b' * 40}",
        "base_sha": "b" * 40,
        "base_ref": "refs/heads/main",
    },
    "repository": {"full_name": "Codertocat/Hello-World"},
}


@pytest.mark.parametrize(
    ("changes", "event"),
    [
        ({}, GroupAsked(PrRef(PR.repo, 104), Sha("a" * 40))),
        (
            {"head_ref": f"refs/heads/gh-readonly-queue/release/v1/pr-7-{'b' * 40}"},
            GroupAsked(PrRef(PR.repo, 7), Sha("a" * 40)),
        ),
        ({"head_ref": "refs/heads/main"}, Nothing(ODD_GROUP, odd=True)),
        ({"head_ref": f"refs/heads/gh-readonly-queue/main/pr-0-{'b' * 40}"}, Nothing(ODD_GROUP, odd=True)),
        ({"head_sha": "abc"}, Nothing(ODD_GROUP, odd=True)),
    ],
)
def test_a_merge_queue_asks_for_checks(changes: dict[str, str], event: object) -> None:
    assert translate("merge_group", GROUP | {"merge_group": GROUP["merge_group"] | changes}) == event


def test_a_merge_group_that_is_gone_is_nothing() -> None:
    assert translate("merge_group", GROUP | {"action": "destroyed"}) == Nothing("no handler for merge_group.destroyed")
