"""The comments of a pull request, and whose words they are."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from gatekit.commands import UseCommand, may_use, read_commands, use_command
from gatekit.domain.ids import Login
from gatekit.formats.markdown import blocks, spoken_lines
from gatekit.use.decision import Spoken, Trust

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


@dataclass(frozen=True, slots=True)
class Commanding:
    """A person's comment that holds a command, or something close to one."""

    comment: PrComment
    command: UseCommand


def commanding(comments: Sequence[PrComment]) -> tuple[Commanding, ...]:
    """In the order of the comments. A long one takes a fifth of a second: call it beside an event loop."""
    read = ((one, _command(one.body)) for one in comments if not one.bot and may_use(one.body))
    return tuple(Commanding(one, command) for one, command in read if command is not None)


def _command(body: str) -> UseCommand | None:
    return use_command(read_commands(spoken_lines(blocks(body))))


def to_be_asked(said: Sequence[Commanding]) -> frozenset[Login]:
    """Authors whose association does not say that they may: their permission must be asked for."""
    return frozenset(one.comment.author for one in said if one.comment.association not in ASSOCIATED)


def spoken(
    said: Sequence[Commanding], edits: Mapping[int, CommentEdit], may_write: Mapping[Login, bool]
) -> tuple[Spoken, ...]:
    """`edits`: the last ones that we heard of, by comment. `may_write`: of all that are to be asked."""
    return tuple(_spoken(one, edits.get(one.comment.id), may_write) for one in said)


def _spoken(said: Commanding, edit: CommentEdit | None, may_write: Mapping[Login, bool]) -> Spoken:
    comment = said.comment
    allowed = comment.association in ASSOCIATED or may_write[comment.author]
    trust = _trust(comment, edit) if allowed else Trust.NOT_AUTHORIZED
    return Spoken(comment.id, comment.author, comment.created, said.command, trust)


def _trust(comment: PrComment, edit: CommentEdit | None) -> Trust:
    """An edit whose end result is not what stands there now was followed by one that nobody told us of."""
    if edit is not None and edit.digest == digest(comment.body):
        return Trust.AUTHORIZED if edit.editor == comment.author else Trust.EDITED_BY_OTHER
    return Trust.AUTHORIZED if comment.updated == comment.created else Trust.EDITED_UNSEEN
