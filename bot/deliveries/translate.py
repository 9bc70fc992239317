"""From GitHub's JSON to what can happen, field by field: no payload is refused for a shape that we do not need."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from bot.github.fields import at, storable
from gatekit.domain.ids import GHOST, Login, PrRef, Repo, Sha
from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.resource import Resource, Surface
from gatekit.signoff.trigger import Action, Person, Post, ReviewState
from handlers.events import (
    CommentAction,
    CommentChanged,
    Event,
    GroupAsked,
    HeadMoved,
    LabelAdded,
    LabelRemoved,
    PrClosed,
    SignOffPosted,
)

SHA = re.compile(r"[0-9a-f]{40}")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")


class Odd(Exception):
    """A field that we need is missing or has the wrong shape."""


def pr_of(payload: object) -> PrRef:
    places = (("pull_request", "number"), ("number",), ("issue", "number"))
    number = next((found for place in places if isinstance(found := at(payload, *place), int)), None)
    if not isinstance(number, int) or isinstance(number, bool) or not 0 < number < 2**31:
        raise Odd("no pull request number")
    return PrRef(repo_of(payload), number)


def repo_of(payload: object) -> Repo:
    whole = at(payload, "repository", "full_name")
    owner, _, name = whole.partition("/") if isinstance(whole, str) else ("", "", "")
    if not owner or not name:
        owner, name = text_at(payload, "repository", "owner", "login"), text_at(payload, "repository", "name")
    if _NAME.fullmatch(owner) is None or _NAME.fullmatch(name) is None:
        raise Odd("no repository name")
    return Repo(owner, name)


def head_of(payload: object) -> Sha:
    for place in (("pull_request", "head", "sha"), ("after",)):
        sha = at(payload, *place)
        if isinstance(sha, str) and SHA.fullmatch(sha):
            return Sha(sha)
    raise Odd("no head commit")


def sender_of(payload: object) -> Login:
    login = at(payload, "sender", "login")
    return Login(storable(login)) if isinstance(login, str) and login else GHOST


def time_at(payload: object, *place: str) -> datetime | None:
    """None where there is no time with a time zone."""
    found = at(payload, *place)
    try:
        time = datetime.fromisoformat(found) if isinstance(found, str) else None
    except ValueError:
        return None
    return time if time is not None and time.tzinfo is not None else None


def text_at(payload: object, *place: str) -> str:
    found = at(payload, *place)
    if not isinstance(found, str) or not found:
        raise Odd(f"no {'.'.join(place)}")
    return storable(found)


def comment_changed(payload: object) -> CommentChanged | None:
    """None: it is of an issue."""
    if not isinstance(at(payload, "issue", "pull_request"), dict):
        return None
    body, before = at(payload, "comment", "body"), at(payload, "changes", "body", "from")
    comment = at(payload, "comment", "id")
    if not isinstance(comment, int) or isinstance(comment, bool):
        raise Odd("no comment id")
    author = at(payload, "comment", "user", "login")
    return CommentChanged(
        pr=pr_of(payload),
        comment=comment,
        action=CommentAction(text_at(payload, "action")),
        author=Login(storable(author)) if isinstance(author, str) and author else GHOST,
        sender=sender_of(payload),
        body=CommentText(storable(body) if isinstance(body, str) else ""),
        before=CommentText(storable(before)) if isinstance(before, str) and before else None,
        bot=at(payload, "comment", "user", "type") == "Bot",
        sender_bot=at(payload, "sender", "type") == "Bot",
        changed=time_at(payload, "comment", "updated_at"),
    )


def review_changed(payload: object) -> SignOffPosted:
    state = at(payload, "review", "state")
    known = state.lower() if isinstance(state, str) else ""
    if known not in {one.value for one in ReviewState}:
        raise Odd("no state of a review that we know")
    action = {"submitted": Action.CREATED}.get(text_at(payload, "action")) or Action(text_at(payload, "action"))
    return _posted(payload, "review", Surface.REVIEW, action, ReviewState(known))


def inline_changed(payload: object) -> SignOffPosted:
    return _posted(payload, "comment", Surface.INLINE, Action(text_at(payload, "action")), None)


def _posted(payload: object, name: str, surface: Surface, action: Action, review: ReviewState | None) -> SignOffPosted:
    number, body, before = at(payload, name, "id"), at(payload, name, "body"), at(payload, "changes", "body", "from")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise Odd(f"no id of the {name}")
    author = at(payload, name, "user", "login")
    posted = Post(
        surface=surface,
        action=action,
        author=Person(
            Login(storable(author)) if isinstance(author, str) and author else GHOST,
            at(payload, name, "user", "type") == "Bot",
        ),
        sender=Person(sender_of(payload), at(payload, "sender", "type") == "Bot"),
        body=CommentText(storable(body) if isinstance(body, str) else ""),
        before=CommentText(storable(before)) if isinstance(before, str) else None,
        review=review,
    )
    changed = time_at(payload, name, "updated_at")
    if changed is None and action is Action.CREATED:
        changed = time_at(payload, name, "submitted_at")
    return SignOffPosted(pr_of(payload), Resource(surface, number), posted, changed)


EVENTS = frozenset(
    {"pull_request", "issue_comment", "merge_group", "pull_request_review", "pull_request_review_comment"}
)  # that the App subscribes to

_QUEUE_BRANCH = re.compile(r"refs/heads/gh-readonly-queue/.+/pr-([1-9][0-9]{0,8})-[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class Nothing:
    """The payload asks nothing of us."""

    because: str
    odd: bool = False  # True: a shape that GitHub does not send


def translate(name: str, payload: object) -> Event | Nothing:
    """The event of one webhook. Never raises. `name` is X-GitHub-Event."""
    if name not in EVENTS:
        return Nothing(f"no handler for {name}")
    action = at(payload, "action")
    read = _READERS.get((name, action)) if isinstance(action, str) else None
    if read is None:
        return Nothing(
            f"no handler for {name}.{action}" if isinstance(action, str) else "no action", odd=action is None
        )
    try:
        return read(payload)
    except Odd as error:
        return Nothing(f"{name}.{action}: {error}", odd=True)


def _label_added(payload: object) -> Event:
    return LabelAdded(pr_of(payload), text_at(payload, "label", "name"), sender_of(payload))


def _label_removed(payload: object) -> Event:
    return LabelRemoved(pr_of(payload), text_at(payload, "label", "name"), sender_of(payload))


def _head_moved(payload: object) -> Event:
    before = at(payload, "before")
    known = isinstance(before, str) and SHA.fullmatch(before) is not None
    return HeadMoved(pr_of(payload), head_of(payload), sender_of(payload), Sha(str(before)) if known else None)


def _reopened(payload: object) -> Event:
    return HeadMoved(pr_of(payload), head_of(payload), sender_of(payload), None, pushed=False)


def _closed(payload: object) -> Event:
    return PrClosed(pr_of(payload), merged=at(payload, "pull_request", "merged") is True)


def _group_asked(payload: object) -> Event:
    """A queue's branch names the pull request that it ends with: gh-readonly-queue/main/pr-12-<commit>."""
    named = _QUEUE_BRANCH.fullmatch(text_at(payload, "merge_group", "head_ref"))
    head = at(payload, "merge_group", "head_sha")
    if named is None or not isinstance(head, str) or SHA.fullmatch(head) is None:
        raise Odd("no pull request or no commit of a merge group")
    return GroupAsked(PrRef(repo_of(payload), int(named[1])), Sha(head))


def _comment(payload: object) -> Event | Nothing:
    return comment_changed(payload) or Nothing("a comment on an issue")


_Reader: TypeAlias = Callable[[object], Event | Nothing]

_READERS: dict[tuple[str, str], _Reader] = {
    ("pull_request", "labeled"): _label_added,
    ("pull_request", "unlabeled"): _label_removed,
    ("pull_request", "synchronize"): _head_moved,
    ("pull_request", "closed"): _closed,
    ("pull_request", "reopened"): _reopened,  # its sweeps ended when it was closed: nearly the same as after a push
    ("merge_group", "checks_requested"): _group_asked,
    **{("pull_request_review", action): review_changed for action in ("submitted", "edited", "dismissed")},
    **{("pull_request_review_comment", action): inline_changed for action in ("created", "edited", "deleted")},
    **{("issue_comment", action.value): _comment for action in CommentAction},
}
