"""What can happen. JSON has ended before here; a handler sees nothing else of the outside."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from gatekit.domain.ids import GateKey, Login, PrRef, Sha, SweepId
from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.resource import Resource
from gatekit.signoff.trigger import Post


@dataclass(frozen=True, slots=True)
class LabelAdded:
    pr: PrRef
    label: str
    sender: Login


@dataclass(frozen=True, slots=True)
class LabelRemoved:
    pr: PrRef
    label: str
    sender: Login


@dataclass(frozen=True, slots=True)
class HeadMoved:
    pr: PrRef
    head: Sha
    sender: Login
    before: Sha | None = None  # the head that was left; None: not said
    pushed: bool = True  # False: it moved, or may have, while the pull request was closed, and now that was reopened


@dataclass(frozen=True, slots=True)
class PrClosed:
    pr: PrRef
    merged: bool


@dataclass(frozen=True, slots=True)
class GroupAsked:
    """A merge queue wants checks on a group of commits that ends with this pull request's."""

    pr: PrRef
    head: Sha  # of the group


class CommentAction(StrEnum):
    CREATED = "created"
    EDITED = "edited"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class CommentChanged:
    """In the conversation of a pull request. What counts is read anew: only edits are known from nowhere else."""

    pr: PrRef
    comment: int
    action: CommentAction
    author: Login
    sender: Login
    body: CommentText
    before: CommentText | None = None  # of an edit: what stood there
    bot: bool = False  # written by an App
    sender_bot: bool = False
    changed: datetime | None = None  # GitHub's time of it; None: not said


@dataclass(frozen=True, slots=True)
class SignOffPosted:
    """Something was posted, edited or taken back that may be a sign-off: a comment, a review or an inline comment."""

    pr: PrRef
    resource: Resource
    posted: Post
    changed: datetime | None = None  # GitHub's time of it; None: not said


@dataclass(frozen=True, slots=True)
class GateEnded:
    """Ours, not GitHub's: an executor has nothing left to do for this attempt."""

    pr: PrRef
    sweep: SweepId
    gate: GateKey
    attempt: int


@dataclass(frozen=True, slots=True)
class SweepUnshown:
    """Ours: a sweep of this PR does not stand on it as it is stored. A process died, or GitHub was out of reach."""

    pr: PrRef


Event: TypeAlias = (
    LabelAdded
    | LabelRemoved
    | HeadMoved
    | PrClosed
    | GroupAsked
    | CommentChanged
    | SignOffPosted
    | GateEnded
    | SweepUnshown
)
