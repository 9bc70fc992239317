"""Reviews and inline comments, from real payloads to what may be a sign-off."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.deliveries.translate import Nothing, translate
from gatekit.domain.ids import GHOST, Login, PrRef, Repo
from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.resource import Resource, Surface
from gatekit.signoff.trigger import Action, Person, Post, ReviewState
from handlers.events import SignOffPosted
from tests.worlds.github.hooks import other_texts

REVIEW, INLINE = "pull_request_review", "pull_request_review_comment"
PR = PrRef(Repo("Codertocat", "Hello-World"), 2)
WHO = Person(Login("Codertocat"))
AT = datetime(2019, 5, 15, 15, 20, 38, tzinfo=UTC)
LATER = "2019-05-15T16:00:00Z"


def payload(event: str, **changes: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(next(text for name, text in other_texts() if name == event))
    for name in ("review", "comment"):
        found[name] = found.get(name, {}) | changes.pop(name, {})
    return found | changes


REVIEWED = SignOffPosted(
    PR,
    Resource(Surface.REVIEW, 237895671),
    Post(Surface.REVIEW, Action.CREATED, WHO, WHO, CommentText(""), review=ReviewState.COMMENTED),
    AT,
)


def reviewed(changed: datetime | None = AT, **changes: Any) -> SignOffPosted:
    return replace(REVIEWED, posted=replace(REVIEWED.posted, **changes), changed=changed)


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (payload(REVIEW), REVIEWED),
        (
            payload(REVIEW, review={"body": "Fine.", "state": "APPROVED"}),
            reviewed(body=CommentText("Fine."), review="approved"),
        ),
        (payload(REVIEW, review={"state": "changes_requested"}), reviewed(review="changes_requested")),
        (payload(REVIEW, action="dismissed"), reviewed(None, action=Action.DISMISSED)),
        # GitHub says when an edited review was changed, or it does not
        (
            payload(
                REVIEW, action="edited", changes={"body": {"from": "a"}}, review={"body": "b", "updated_at": LATER}
            ),
            reviewed(
                datetime(2019, 5, 15, 16, tzinfo=UTC),
                action=Action.EDITED,
                before=CommentText("a"),
                body=CommentText("b"),
            ),
        ),
        (payload(REVIEW, action="edited", changes={}), reviewed(None, action=Action.EDITED)),
        (payload(REVIEW, sender={"login": "x[bot]", "type": "Bot"}), reviewed(sender=Person(Login("x[bot]"), True))),
        (payload(REVIEW, review={"user": None}), reviewed(author=Person(GHOST))),
    ],
)
def test_reviews(found: dict[str, Any], wanted: SignOffPosted) -> None:
    assert translate(REVIEW, found) == wanted


def test_an_inline_comment() -> None:
    found = translate(INLINE, payload(INLINE))
    assert isinstance(found, SignOffPosted)
    assert (found.pr, found.resource, found.changed) == (PR, Resource(Surface.INLINE, 284312630), AT)
    assert found.posted.body.text.startswith("Maybe you should use more emoji")
    assert (found.posted.action, found.posted.review) == (Action.CREATED, None)


@pytest.mark.parametrize(
    ("event", "changes", "because"),
    [
        (REVIEW, {"review": {"state": "praised"}}, "pull_request_review.submitted: no state of a review that we know"),
        (REVIEW, {"review": {"id": -1}}, "pull_request_review.submitted: no id of the review"),
        (REVIEW, {"review": {"id": True}}, "pull_request_review.submitted: no id of the review"),
        (INLINE, {"comment": {"id": "7"}}, "pull_request_review_comment.created: no id of the comment"),
        (INLINE, {"pull_request": None}, "pull_request_review_comment.created: no pull request number"),
    ],
)
def test_what_is_not_understood(event: str, changes: dict[str, Any], because: str) -> None:
    assert translate(event, payload(event, **changes)) == Nothing(because, odd=True)
