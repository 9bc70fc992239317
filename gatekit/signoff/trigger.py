"""Whether something that was posted, edited or asked for starts a verification."""

from dataclasses import dataclass
from enum import StrEnum

from gatekit.domain.errors import Unknown
from gatekit.domain.ids import Login
from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.checklist.phrase import Opening
from gatekit.signoff.resource import Access, Surface

MARKERS = ("<!-- gatekit:", "<!-- codeowner-signoff-verify")  # how verdicts begin, ours and those of a workflow


class Action(StrEnum):
    CREATED = "created"  # of a review: submitted
    EDITED = "edited"
    DELETED = "deleted"
    DISMISSED = "dismissed"
    ASKED = "asked"  # somebody asks for it with a command: any state of the pull request will do


class ReviewState(StrEnum):
    APPROVED = "approved"
    COMMENTED = "commented"
    CHANGES_REQUESTED = "changes_requested"
    DISMISSED = "dismissed"
    PENDING = "pending"


@dataclass(frozen=True, slots=True)
class Person:
    login: Login
    typed_bot: bool = False  # by GitHub's type
    ours: bool = False  # our own App

    @property
    def bot(self) -> bool:
        return self.typed_bot or self.login.endswith("[bot]")


@dataclass(frozen=True, slots=True)
class Post:
    surface: Surface
    action: Action
    author: Person  # of the comment or review
    sender: Person  # who acted
    body: CommentText
    before: CommentText | None = None  # of an edit: the body that it replaced; None: not said
    review: ReviewState | None = None  # of a review


@dataclass(frozen=True, slots=True)
class PostContext:
    """What is to be found out about an event; `access` is the sender's."""

    access: Access | Unknown
    open: bool
    draft: bool


class TriggerAnswer(StrEnum):
    VERIFY = "verify"
    SILENT = "silent"
    HINT = "hint"  # one sentence that says how to post it
    UNKNOWN = "unknown"  # ask again: what was not found out is neither a yes nor a no


class TriggerReason(StrEnum):
    SIGN_OFF = "sign-off"
    EDITED_BY_ANOTHER = "edited by another"  # a sign-off too; what the edit ticks is not the author's word
    OWN_COMMENT = "own comment"
    BOT = "bot"
    NOT_A_POST = "not a post"
    NO_PHRASE = "no phrase"
    UNCHANGED = "unchanged"
    CLOSED = "closed"
    DRAFT = "draft"
    NO_WRITE_ACCESS = "no write access"
    ACCESS_UNKNOWN = "access unknown"
    PENDING = "pending"
    NOT_AN_APPROVAL = "not an approval"  # the review asks for changes, or was dismissed
    HALF_PHRASE = "half the phrase"
    OTHER_CASE = "other case"
    IN_CODE = "in code"
    NOT_AT_START = "not at the start"


@dataclass(frozen=True, slots=True)
class Trigger:
    answer: TriggerAnswer
    why: TriggerReason


_NEAR = {
    Opening.HALF: TriggerReason.HALF_PHRASE,
    Opening.CASE: TriggerReason.OTHER_CASE,
    Opening.CODE: TriggerReason.IN_CODE,
    Opening.INSIDE: TriggerReason.NOT_AT_START,
}
_REFUSED = frozenset({ReviewState.CHANGES_REQUESTED, ReviewState.DISMISSED})


def trigger(posted: Post, standing: PostContext) -> Trigger:
    """What an event asks for. Silence comes first: a hint is for somebody who may sign."""
    silent = _silent(posted) or _not_now(posted, standing)
    if silent is not None:
        return Trigger(TriggerAnswer.SILENT, silent)
    if isinstance(standing.access, Unknown):
        return Trigger(TriggerAnswer.UNKNOWN, TriggerReason.ACCESS_UNKNOWN)
    if not standing.access.may_write:
        return Trigger(TriggerAnswer.SILENT, TriggerReason.NO_WRITE_ACCESS)
    if posted.review in _REFUSED:
        return Trigger(TriggerAnswer.HINT, TriggerReason.NOT_AN_APPROVAL)
    if posted.body.opening is not Opening.WHOLE:
        return Trigger(TriggerAnswer.HINT, _NEAR[posted.body.opening])
    return Trigger(
        TriggerAnswer.VERIFY, TriggerReason.EDITED_BY_ANOTHER if _by_another(posted) else TriggerReason.SIGN_OFF
    )


def wants_access(posted: Post) -> bool:
    """Whether the sender's access is worth asking for at all."""
    return _silent(posted) is None


def _silent(posted: Post) -> TriggerReason | None:
    """What the event itself says."""
    if posted.sender.ours or posted.author.ours or posted.body.text.lstrip().startswith(MARKERS):
        return TriggerReason.OWN_COMMENT
    if posted.sender.bot or posted.author.bot:
        return TriggerReason.BOT
    if posted.action in (Action.DELETED, Action.DISMISSED):
        return TriggerReason.NOT_A_POST
    if posted.review is ReviewState.PENDING:
        return TriggerReason.PENDING
    if posted.body.opening is Opening.NONE:
        return TriggerReason.NO_PHRASE
    if posted.action is Action.EDITED and posted.before is not None and _same(posted.before.text, posted.body.text):
        return TriggerReason.UNCHANGED
    return None


def _not_now(posted: Post, standing: PostContext) -> TriggerReason | None:
    if posted.action is Action.ASKED:
        return None
    if not standing.open:
        return TriggerReason.CLOSED
    return TriggerReason.DRAFT if standing.draft else None


def _same(before: str, after: str) -> bool:
    """Line ends and blanks at the end of a line change nothing."""
    return [line.rstrip() for line in before.strip().splitlines()] == [
        line.rstrip() for line in after.strip().splitlines()
    ]


def _by_another(posted: Post) -> bool:
    return posted.action is Action.EDITED and posted.sender.login.lower() != posted.author.login.lower()
