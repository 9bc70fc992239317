"""From GitHub's JSON to what can happen. JSON ends here.

Reads a few fields, each by itself: a payload is never refused for a shape that we do not need.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from bot.github.shapes import at
from bot.routing import storable
from gatekit.ids import GHOST, Login, PrRef, Repo, Sha
from handlers.events import (
    CommentAction,
    CommentChanged,
    Event,
    GroupAsked,
    HeadMoved,
    LabelAdded,
    LabelRemoved,
    PrClosed,
)

EVENTS = frozenset({"pull_request", "issue_comment", "merge_group"})  # that the App subscribes to

_SHA = re.compile(r"[0-9a-f]{40}")
_QUEUE_BRANCH = re.compile(r"refs/heads/gh-readonly-queue/.+/pr-([1-9][0-9]{0,8})-[0-9a-f]{40}")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")


@dataclass(frozen=True, slots=True)
class Nothing:
    """The payload asks nothing of us."""

    because: str
    odd: bool = False  # True: a shape that GitHub does not send


class _Odd(Exception):
    """A field that we need is missing or has the wrong shape."""


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
    except _Odd as error:
        return Nothing(f"{name}.{action}: {error}", odd=True)


def _label_added(payload: object) -> Event:
    return LabelAdded(_pr(payload), _text(payload, "label", "name"), _sender(payload))


def _label_removed(payload: object) -> Event:
    return LabelRemoved(_pr(payload), _text(payload, "label", "name"), _sender(payload))


def _head_moved(payload: object) -> Event:
    before = at(payload, "before")
    known = isinstance(before, str) and _SHA.fullmatch(before) is not None
    return HeadMoved(_pr(payload), _head(payload), _sender(payload), Sha(str(before)) if known else None)


def _reopened(payload: object) -> Event:
    return HeadMoved(_pr(payload), _head(payload), _sender(payload), None, pushed=False)


def _closed(payload: object) -> Event:
    return PrClosed(_pr(payload), merged=at(payload, "pull_request", "merged") is True)


def _group_asked(payload: object) -> Event:
    """A queue's branch names the pull request that it ends with: gh-readonly-queue/main/pr-12-<commit>."""
    named = _QUEUE_BRANCH.fullmatch(_text(payload, "merge_group", "head_ref"))
    head = at(payload, "merge_group", "head_sha")
    if named is None or not isinstance(head, str) or _SHA.fullmatch(head) is None:
        raise _Odd("no pull request or no commit of a merge group")
    return GroupAsked(PrRef(_repo(payload), int(named[1])), Sha(head))


def _comment_changed(payload: object) -> Event | Nothing:
    if not isinstance(at(payload, "issue", "pull_request"), dict):
        return Nothing("a comment on an issue")
    body, before = at(payload, "comment", "body"), at(payload, "changes", "body", "from")
    comment = at(payload, "comment", "id")
    if not isinstance(comment, int) or isinstance(comment, bool):
        raise _Odd("no comment id")
    author = at(payload, "comment", "user", "login")
    return CommentChanged(
        pr=_pr(payload),
        comment=comment,
        action=CommentAction(_text(payload, "action")),
        author=Login(storable(author)) if isinstance(author, str) and author else GHOST,
        sender=_sender(payload),
        body=storable(body) if isinstance(body, str) else "",
        before=storable(before) if isinstance(before, str) else "",
        bot=at(payload, "comment", "user", "type") == "Bot",
    )


_Reader: TypeAlias = Callable[[object], Event | Nothing]

_READERS: dict[tuple[str, str], _Reader] = {
    ("pull_request", "labeled"): _label_added,
    ("pull_request", "unlabeled"): _label_removed,
    ("pull_request", "synchronize"): _head_moved,
    ("pull_request", "closed"): _closed,
    ("pull_request", "reopened"): _reopened,  # its sweeps ended when it was closed: nearly the same as after a push
    ("merge_group", "checks_requested"): _group_asked,
    **{("issue_comment", action.value): _comment_changed for action in CommentAction},
}


def _pr(payload: object) -> PrRef:
    places = (("pull_request", "number"), ("number",), ("issue", "number"))
    number = next((found for place in places if isinstance(found := at(payload, *place), int)), None)
    if not isinstance(number, int) or isinstance(number, bool) or not 0 < number < 2**31:
        raise _Odd("no pull request number")
    return PrRef(_repo(payload), number)


def _repo(payload: object) -> Repo:
    whole = at(payload, "repository", "full_name")
    owner, _, name = whole.partition("/") if isinstance(whole, str) else ("", "", "")
    if not owner or not name:
        owner, name = _text(payload, "repository", "owner", "login"), _text(payload, "repository", "name")
    if _NAME.fullmatch(owner) is None or _NAME.fullmatch(name) is None:
        raise _Odd("no repository name")
    return Repo(owner, name)


def _head(payload: object) -> Sha:
    for place in (("pull_request", "head", "sha"), ("after",)):
        sha = at(payload, *place)
        if isinstance(sha, str) and _SHA.fullmatch(sha):
            return Sha(sha)
    raise _Odd("no head commit")


def _sender(payload: object) -> Login:
    login = at(payload, "sender", "login")
    return Login(storable(login)) if isinstance(login, str) and login else GHOST


def _text(payload: object, *place: str) -> str:
    found = at(payload, *place)
    if not isinstance(found, str) or not found:
        raise _Odd(f"no {'.'.join(place)}")
    return storable(found)
