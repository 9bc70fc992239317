"""The comments of a pull request, and whose words they are."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from gatekit.commands import may_command, use_command
from gatekit.ids import Login
from gatekit.using import Spoken, Trust

ASSOCIATED = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})  # GitHub's words; a private member shows as CONTRIBUTOR


@dataclass(frozen=True, slots=True)
class PrComment:
    id: int
    author: Login
    bot: bool  # an App's, ours too
    association: str  # of its author, as GitHub names it
    created: datetime
    updated: datetime
    body: str


@dataclass(frozen=True, slots=True)
class CommentEdit:
    """The last edit of a comment that we heard of."""

    comment: int
    editor: Login
    digest: str  # of the body that it left, as `digest` gives it


def digest(body: str) -> str:
    """SHA-256 of a comment, whatever line ends GitHub gives it back with."""
    return hashlib.sha256(body.replace("\r\n", "\n").encode("utf-8", "replace")).hexdigest()


def commanding(comments: Sequence[PrComment]) -> tuple[PrComment, ...]:
    """People's comments that hold a command, or something close to one."""
    return tuple(one for one in comments if not one.bot and may_command(one.body) and use_command(one.body))


def to_be_asked(comments: Sequence[PrComment]) -> frozenset[Login]:
    """Authors whose association does not say that they may: their permission must be asked for."""
    return frozenset(one.author for one in commanding(comments) if one.association not in ASSOCIATED)


def spoken(
    comments: Sequence[PrComment], edits: Mapping[int, CommentEdit], may_write: Mapping[Login, bool]
) -> tuple[Spoken, ...]:
    """`edits`: the last ones that we heard of, by comment. `may_write`: of all that are to be asked."""
    return tuple(_spoken(comments, edits, may_write))


def _spoken(
    comments: Sequence[PrComment], edits: Mapping[int, CommentEdit], may_write: Mapping[Login, bool]
) -> Iterator[Spoken]:
    for one in commanding(comments):
        command = use_command(one.body)
        assert command is not None
        allowed = one.association in ASSOCIATED or may_write[one.author]
        trust = _trust(one, edits.get(one.id)) if allowed else Trust.NOT_AUTHORIZED
        yield Spoken(one.id, one.author, one.created, command, trust)


def _trust(comment: PrComment, edit: CommentEdit | None) -> Trust:
    """An edit whose end result is not what stands there now was followed by one that nobody told us of."""
    if edit is not None and edit.digest == digest(comment.body):
        return Trust.AUTHORIZED if edit.editor == comment.author else Trust.EDITED_BY_OTHER
    return Trust.AUTHORIZED if comment.updated == comment.created else Trust.EDITED_UNSEEN
