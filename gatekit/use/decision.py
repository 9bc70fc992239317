"""`/use`: whose command counts, and what is answered."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from gatekit.commands import Use, UseCommand, UseMiss
from gatekit.domain.ids import Login, Sha


class Trust(StrEnum):
    """Whether a comment's words are an authorized person's own."""

    AUTHORIZED = "authorized"
    NOT_AUTHORIZED = "not-authorized"  # its author has no write access
    EDITED_BY_OTHER = "edited-by-other"
    EDITED_UNSEEN = "edited-unseen"  # edited, and nobody saw by whom


class Reaction(StrEnum):
    """GitHub's names."""

    ACCEPTED = "+1"
    REJECTED = "-1"


@dataclass(frozen=True, slots=True)
class Spoken:
    """One comment that holds a command, or something close to one."""

    comment: int
    author: Login
    created: datetime
    command: UseCommand
    trust: Trust

    @property
    def run(self) -> int | None:
        """That it names; None: none."""
        return self.command.run if isinstance(self.command, Use) else None


class RunSource(StrEnum):
    SWEEP = "sweep"  # of the bot
    WORKFLOW = "workflow"  # of GitHub Actions


@dataclass(frozen=True, slots=True)
class Chosen:
    """The run that stands for the pull request."""

    source: RunSource
    run: int
    attempt: int
    head: Sha


class No(StrEnum):
    """Why a run does not stand for the pull request."""

    BLOCKED = "blocked"  # a label of the pull request forbids it
    NOT_OPEN = "not-open"
    NOT_FOUND = "not-found"
    OTHER_REPOSITORY = "other-repository"
    OTHER_PULL = "other-pull"
    OTHER_EVENT = "other-event"
    OTHER_WORKFLOW = "other-workflow"
    NOT_COMPLETED = "not-completed"
    CONCLUSION = "conclusion"
    NO_HEAD = "no-head"
    NOT_IN_PULL = "not-in-pull"
    UNSURE = "unsure"  # whether its commit is in the pull request could not be found out
    NO_RESULTS = "no-results"
    EXPIRED = "expired"
    NO_ROWS = "no-rows"  # artifacts with the right names, and nothing in them
    NOT_USABLE = "not-usable"  # what is in them is not what results look like
    NOT_MEASURED = "not-measured"
    NONE_ELIGIBLE = "none-eligible"  # nothing was named, and no run will do


@dataclass(frozen=True, slots=True)
class Rejected:
    why: No
    run: int | None
    detail: str = ""  # what was found instead: a state, a name, a commit


RunAnswer: TypeAlias = Chosen | Rejected


@dataclass(frozen=True, slots=True)
class Decision:
    """What a pull request's commands came to."""

    winner: Spoken
    answer: RunAnswer
    head: Sha  # the pull request's, when it was decided

    @property
    def chosen(self) -> Chosen | None:
        return self.answer if isinstance(self.answer, Chosen) else None


def believed(spoken: Iterable[Spoken]) -> tuple[Spoken, ...]:
    """Commands of authorized people in their own words, the latest first. Edits keep a comment's place."""
    commands = (one for one in spoken if one.trust is Trust.AUTHORIZED and isinstance(one.command, Use))
    return tuple(sorted(commands, key=lambda one: (one.created, one.comment), reverse=True))


def reactions(spoken: Sequence[Spoken], decision: Decision | None) -> Mapping[int, Reaction]:
    """Our reaction to each comment that gets one. A command that a later one superseded has none."""
    wanted: dict[int, Reaction] = {}
    for one in spoken:
        if decision is not None and one.comment == decision.winner.comment:
            accepted = isinstance(decision.answer, Chosen)
            wanted[one.comment] = Reaction.ACCEPTED if accepted else Reaction.REJECTED
        elif one.trust is not Trust.AUTHORIZED or isinstance(one.command, UseMiss):
            wanted[one.comment] = Reaction.REJECTED
    return wanted


def unheard(spoken: Sequence[Spoken], decision: Decision | None) -> tuple[Spoken, ...]:
    """What came after the command that counts and does not count itself, in the order of the comments."""
    since = None if decision is None else (decision.winner.created, decision.winner.comment)
    newer = (one for one in spoken if since is None or (one.created, one.comment) > since)
    return tuple(one for one in newer if one.trust is not Trust.AUTHORIZED or isinstance(one.command, UseMiss))
