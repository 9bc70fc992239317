"""`/use`: whose command counts, and whether the run that it names may stand for the pull request."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from gatekit.commands import NearMiss, Use, UseCommand
from gatekit.ids import Login, PrRef, Repo, Sha
from gatekit.reusing import Commits
from gatekit.sweep import Sweep, SweepState
from gatekit.verdict import Judged
from gatekit.workflow_runs import (
    COMPLETED,
    EVENT,
    SUCCESS,
    USABLE_WHEN_NAMED,
    WORKFLOWS,
    Artifact,
    ArtifactState,
    WorkflowRun,
    results_of,
)


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


class Source(StrEnum):
    SWEEP = "sweep"  # of the bot
    WORKFLOW = "workflow"  # of GitHub Actions


@dataclass(frozen=True, slots=True)
class Chosen:
    """The run that stands for the pull request."""

    source: Source
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
    NOT_MEASURED = "not-measured"
    NONE_ELIGIBLE = "none-eligible"  # nothing was named, and no run will do


@dataclass(frozen=True, slots=True)
class Rejected:
    why: No
    run: int | None
    detail: str = ""  # what was found instead: a state, a name, a commit


Answer: TypeAlias = Chosen | Rejected


@dataclass(frozen=True, slots=True)
class Decision:
    """What a pull request's commands came to."""

    winner: Spoken
    answer: Answer


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
        elif one.trust is not Trust.AUTHORIZED or isinstance(one.command, NearMiss):
            wanted[one.comment] = Reaction.REJECTED
    return wanted


def unheard(spoken: Sequence[Spoken], decision: Decision | None) -> tuple[Spoken, ...]:
    """What came after the command that counts and does not count itself, in the order of the comments."""
    since = None if decision is None else (decision.winner.created, decision.winner.comment)
    newer = (one for one in spoken if since is None or (one.created, one.comment) > since)
    return tuple(one for one in newer if one.trust is not Trust.AUTHORIZED or isinstance(one.command, NearMiss))


def judge_sweep(sweep: Sweep | None, run: int, pr: PrRef, commits: Commits) -> Answer:
    """May this sweep of the bot stand for the pull request? It must be over, with something measured."""
    if sweep is None:
        return Rejected(No.NOT_FOUND, run)
    if sweep.pr != pr:
        return Rejected(No.OTHER_PULL, run)
    if sweep.state is SweepState.RUNNING:
        return Rejected(No.NOT_COMPLETED, run, sweep.state)
    if (no := _head(sweep.head, run, commits)) is not None:
        return no
    if not any(isinstance(row.verdict, Judged) for row in sweep.rows):
        return Rejected(No.NOT_MEASURED, run)
    return Chosen(Source.SWEEP, run, 1, sweep.head)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a run of GitHub Actions is held against."""

    repo: Repo
    workflow: str  # file name, e.g. run-sweep.yml
    commits: Commits
    named: bool  # a person named this run


def judge_workflow_run(run: WorkflowRun, wanted: Wanted) -> Answer:
    """Everything but its artifacts."""
    if run.repo != wanted.repo:
        return Rejected(No.OTHER_REPOSITORY, run.id, str(run.repo))
    if run.event != EVENT:
        return Rejected(No.OTHER_EVENT, run.id, run.event)
    if run.path.partition("@")[0] != WORKFLOWS + wanted.workflow:
        return Rejected(No.OTHER_WORKFLOW, run.id, run.path)
    if run.status != COMPLETED:
        return Rejected(No.NOT_COMPLETED, run.id, run.status)
    if run.conclusion not in (USABLE_WHEN_NAMED if wanted.named else {SUCCESS}):
        return Rejected(No.CONCLUSION, run.id, run.conclusion or "none")
    if run.head is None:
        return Rejected(No.NO_HEAD, run.id)
    no = _head(run.head, run.id, wanted.commits)
    return no or Chosen(Source.WORKFLOW, run.id, run.attempt, run.head)


def judge_artifacts(chosen: Chosen, artifacts: Sequence[Artifact]) -> Answer:
    """A run is worth something only with results that are still there."""
    match results_of(artifacts):
        case ArtifactState.USABLE:
            return chosen
        case ArtifactState.EXPIRED:
            return Rejected(No.EXPIRED, chosen.run)
        case ArtifactState.NONE:
            return Rejected(No.NO_RESULTS, chosen.run, ", ".join(one.name for one in artifacts[:3]))


def _head(head: Sha, run: int, commits: Commits) -> Rejected | None:
    match commits.holds(head):
        case True:
            return None
        case False:
            return Rejected(No.NOT_IN_PULL, run, head[:7])
        case None:
            return Rejected(No.UNSURE, run, head[:7])
