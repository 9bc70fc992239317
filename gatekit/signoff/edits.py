"""Whose word the ticks of a sign-off are: what its edits told, one after the other.

GitHub lets whoever may write edit another person's comment, and shows no more than the last state of it. A tick counts
where the author's own text had it, and no edit of somebody else took it away in between.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.checklist.form import Box
from gatekit.signoff.checklist.matching import words
from gatekit.signoff.checklist.phrase import Opening
from gatekit.signoff.trigger import Action, Post

Boxes: TypeAlias = frozenset[frozenset[str]]  # each by its words


@dataclass(frozen=True, slots=True)
class Moment:
    """`said`: GitHub's time of the last change; None: it did not say. `came`: when we heard of it."""

    said: datetime | None
    came: datetime

    @property
    def best(self) -> datetime:
        return self.said or self.came


@dataclass(frozen=True, slots=True)
class Heard:
    """What there is to know of a sign-off's edits by now."""

    own: Boxes  # ticked by the author's own word
    by_another: bool  # somebody else edited it since the author last did
    said: datetime | None  # `Moment.said` of the last change
    edited: datetime  # when it was last edited, as well as we know


def ticked(body: CommentText) -> Boxes:
    return frozenset(words(item.text) for item in body.form.items if item.box is Box.TICKED)


def concerns(posted: Post) -> bool:
    """Does it change a sign-off, or what may be one? Whoever does it, and however the pull request stands."""
    if posted.action not in (Action.CREATED, Action.EDITED):
        return False
    return any(body is not None and body.opening is not Opening.NONE for body in (posted.body, posted.before))


def hear(known: Heard | None, posted: Post, moment: Moment) -> Heard:
    """What is known after this. An event that came before, or again, changes nothing."""
    if known is not None and (posted.action is Action.CREATED or _is_old(known, moment)):
        return known
    by_author = posted.sender.login.lower() == posted.author.login.lower()
    now = ticked(posted.body)
    if posted.action is Action.CREATED or by_author:
        return Heard(now, False, moment.said, moment.best)
    before = frozenset[frozenset[str]]() if posted.before is None else ticked(posted.before)
    own = before if known is None else known.own & before
    return Heard(own & now, True, moment.said, moment.best)


def not_theirs(known: Heard | None, body: CommentText) -> Boxes:
    """The boxes of a sign-off that are ticked by no word of its author, as far as anything was heard of it."""
    return frozenset() if known is None else ticked(body) - known.own


def _is_old(known: Heard, moment: Moment) -> bool:
    return known.said is not None and moment.said is not None and moment.said < known.said
