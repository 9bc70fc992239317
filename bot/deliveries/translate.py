"""From GitHub's JSON to what can happen. JSON ends here.

Reads a few fields, each by itself: a payload is never refused for a shape that we do not need.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from bot.deliveries.payloads import SHA, Odd, head_of, pr_of, repo_of, sender_of, text_at
from bot.deliveries.posts import comment_changed, inline_changed, review_changed
from bot.github.fields import at
from gatekit.domain.ids import PrRef, Sha
from handlers.events import (
    CommentAction,
    Event,
    GroupAsked,
    HeadMoved,
    LabelAdded,
    LabelRemoved,
    PrClosed,
)

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
