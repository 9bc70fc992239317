"""Whose `/use` counts, which run may stand for a pull request, and what is said where it may not."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from gatekit.commands import Use, UseCommand, UseMiss, UseSlip
from gatekit.comments.use import reason, render_use
from gatekit.domain.ids import Login, PrRef, Repo, Sha, SweepId
from gatekit.domain.reuse import Commits
from gatekit.domain.sweep import GateRow, GateState, SweepState
from gatekit.use.decision import (
    Chosen,
    Decision,
    No,
    Reaction,
    Rejected,
    RunAnswer,
    RunSource,
    Spoken,
    Trust,
    believed,
    reactions,
    unheard,
)
from gatekit.use.eligibility import WantedRun, judge_artifacts, judge_sweep, judge_workflow_run
from gatekit.use.workflow_runs import Artifact, WorkflowRun
from tests.worlds.bench.plans import HEAD, PR
from tests.worlds.bot import stories
from tests.worlds.bot.stories import FAILED, NEAR, ON_CURVE

GONE = Sha("f" * 40)
COMMITS = Commits(frozenset({HEAD}), complete=True)
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


TWELVE = Use(12)


def spoken(
    comment: int,
    command: UseCommand = TWELVE,
    trust: Trust = Trust.AUTHORIZED,
    seconds: int = 0,
    author: str = "maria",
) -> Spoken:
    return Spoken(comment, Login(author), NOON + timedelta(seconds=seconds), command, trust)


NEARLY = UseMiss("/use", UseSlip.NO_RUN)


@pytest.mark.parametrize(
    ("comments", "winner"),
    [
        ((), None),
        ((spoken(1),), 1),
        ((spoken(1), spoken(2, seconds=5)), 2),
        ((spoken(2), spoken(1, seconds=5)), 1),
        ((spoken(1), spoken(2, author="otto")), 2),  # within the same second the later comment wins
        ((spoken(1), spoken(2, Use(None), seconds=5)), 2),  # both names are one command
        ((spoken(1), spoken(2, trust=Trust.NOT_AUTHORIZED, seconds=5)), 1),
        ((spoken(1), spoken(2, trust=Trust.EDITED_BY_OTHER, seconds=5)), 1),
        ((spoken(1), spoken(2, trust=Trust.EDITED_UNSEEN, seconds=5)), 1),
        ((spoken(1), spoken(2, NEARLY, seconds=5)), 1),
        ((spoken(1, trust=Trust.NOT_AUTHORIZED),), None),
        ((spoken(1, NEARLY),), None),
    ],
)
def test_the_latest_authorized_command_counts(comments: tuple[Spoken, ...], winner: int | None) -> None:
    found = believed(comments)
    assert (found[0].comment if found else None) == winner


ACCEPTED = Decision(spoken(2, seconds=5), Chosen(RunSource.SWEEP, 12, 1, HEAD), HEAD)
REFUSED = Decision(spoken(2, seconds=5), Rejected(No.NOT_FOUND, 12), HEAD)


@pytest.mark.parametrize(
    ("comments", "decision", "wanted"),
    [
        ((spoken(1), spoken(2, seconds=5)), ACCEPTED, {2: Reaction.ACCEPTED}),
        ((spoken(1), spoken(2, seconds=5)), REFUSED, {2: Reaction.REJECTED}),
        ((spoken(1, trust=Trust.NOT_AUTHORIZED), spoken(2)), ACCEPTED, {1: Reaction.REJECTED, 2: Reaction.ACCEPTED}),
        ((spoken(2), spoken(3, NEARLY, seconds=9)), ACCEPTED, {2: Reaction.ACCEPTED, 3: Reaction.REJECTED}),
        ((spoken(3, trust=Trust.EDITED_BY_OTHER),), None, {3: Reaction.REJECTED}),
        ((), None, {}),
    ],
)
def test_a_superseded_command_has_no_reaction(
    comments: tuple[Spoken, ...], decision: Decision | None, wanted: dict[int, Reaction]
) -> None:
    assert reactions(comments, decision) == wanted


def test_only_what_came_later_is_told_that_it_does_not_count() -> None:
    early, late = spoken(1, NEARLY), spoken(3, NEARLY, seconds=9)
    assert unheard((early, ACCEPTED.winner, late), ACCEPTED) == (late,)
    assert unheard((early, late), None) == (early, late)


SWEEP = stories.sweep(
    GateRow(NEAR, GateState.JUDGED, 1, ON_CURVE), id=SweepId(12), state=SweepState.DONE, pr=PR, head=HEAD
)


@pytest.mark.parametrize(
    ("sweep", "answer"),
    [
        (SWEEP, Chosen(RunSource.SWEEP, 12, 1, HEAD)),
        (replace(SWEEP, state=SweepState.SUPERSEDED), Chosen(RunSource.SWEEP, 12, 1, HEAD)),
        (None, Rejected(No.NOT_FOUND, 12)),
        (replace(SWEEP, pr=PrRef(PR.repo, PR.number + 1)), Rejected(No.OTHER_PULL, 12)),
        (replace(SWEEP, pr=PrRef(Repo("other", "bench"), PR.number)), Rejected(No.OTHER_PULL, 12)),
        (replace(SWEEP, state=SweepState.RUNNING), Rejected(No.NOT_COMPLETED, 12, "running")),
        (replace(SWEEP, head=GONE), Rejected(No.NOT_IN_PULL, 12, GONE[:7])),
        (replace(SWEEP, rows=(GateRow(NEAR, GateState.JUDGED, 1, FAILED),)), Rejected(No.NOT_MEASURED, 12)),
        (replace(SWEEP, rows=()), Rejected(No.NOT_MEASURED, 12)),
    ],
)
def test_a_sweep_of_the_bot(sweep: stories.Sweep | None, answer: RunAnswer) -> None:
    assert judge_sweep(sweep, 12, PR, COMMITS) == answer


RUN = WorkflowRun(
    id=17345678901,
    attempt=2,
    repo=PR.repo,
    event="pull_request",
    status="completed",
    conclusion="success",
    path=".github/workflows/run-sweep.yml",
    head=HEAD,
    url="https://github.example/r",
)
NAMED = WantedRun(PR.repo, "run-sweep.yml", COMMITS, named=True)
UNNAMED = replace(NAMED, named=False)
TAKEN = Chosen(RunSource.WORKFLOW, RUN.id, 2, HEAD)


def no(why: No, detail: str = "") -> Rejected:
    return Rejected(why, RUN.id, detail)


@pytest.mark.parametrize(
    ("run", "wanted", "answer"),
    [
        (RUN, NAMED, TAKEN),
        (RUN, UNNAMED, TAKEN),
        (replace(RUN, conclusion="failure"), NAMED, TAKEN),
        (replace(RUN, conclusion="cancelled"), NAMED, TAKEN),
        (replace(RUN, conclusion="failure"), UNNAMED, no(No.CONCLUSION, "failure")),
        (replace(RUN, conclusion="timed_out"), NAMED, no(No.CONCLUSION, "timed_out")),
        (replace(RUN, conclusion="action_required"), NAMED, no(No.CONCLUSION, "action_required")),
        (replace(RUN, conclusion="startup_failure"), NAMED, no(No.CONCLUSION, "startup_failure")),
        (replace(RUN, conclusion="skipped"), NAMED, no(No.CONCLUSION, "skipped")),
        (replace(RUN, conclusion=None), NAMED, no(No.CONCLUSION, "none")),
        (replace(RUN, status="in_progress", conclusion=None), NAMED, no(No.NOT_COMPLETED, "in_progress")),
        (replace(RUN, event="workflow_dispatch"), NAMED, no(No.OTHER_EVENT, "workflow_dispatch")),
        (replace(RUN, event="push"), NAMED, no(No.OTHER_EVENT, "push")),
        (replace(RUN, path=".github/workflows/mine.yml"), NAMED, no(No.OTHER_WORKFLOW, ".github/workflows/mine.yml")),
        (replace(RUN, path="x/run-sweep.yml"), NAMED, no(No.OTHER_WORKFLOW, "x/run-sweep.yml")),
        (replace(RUN, path=""), NAMED, no(No.OTHER_WORKFLOW)),
        (replace(RUN, path=".github/workflows/run-sweep.yml@main"), NAMED, TAKEN),
        (replace(RUN, repo=Repo("pat", "bench")), NAMED, no(No.OTHER_REPOSITORY, "pat/bench")),
        (replace(RUN, head=None), NAMED, no(No.NO_HEAD)),
        (replace(RUN, head=GONE), NAMED, no(No.NOT_IN_PULL, GONE[:7])),
        (replace(RUN, head=Sha(HEAD[:39] + "0")), NAMED, no(No.NOT_IN_PULL, HEAD[:7])),  # the same short form
        (RUN, replace(NAMED, commits=Commits(frozenset(), complete=True)), no(No.NOT_IN_PULL, HEAD[:7])),
        (RUN, replace(NAMED, commits=Commits(frozenset(), complete=False)), no(No.UNSURE, HEAD[:7])),
    ],
)
def test_a_run_of_the_sweep_workflow(run: WorkflowRun, wanted: WantedRun, answer: RunAnswer) -> None:
    assert judge_workflow_run(run, wanted) == answer


@pytest.mark.parametrize(
    ("artifacts", "answer"),
    [
        ((("results_bmk", False),), TAKEN),
        ((("eval_results_all", False),), TAKEN),
        ((("bmk_agentic_dsv4_b200", False),), TAKEN),
        ((("logs", False), ("results_bmk", True), ("bmk_agentic_x", False)), TAKEN),
        ((("results_bmk", True),), no(No.EXPIRED)),
        ((("logs", False), ("results_bmk_old", False)), no(No.NO_RESULTS, "logs, results_bmk_old")),
        ((("Results_bmk", False),), no(No.NO_RESULTS, "Results_bmk")),
        ((), no(No.NO_RESULTS)),
    ],
)
def test_its_artifacts(artifacts: tuple[tuple[str, bool], ...], answer: RunAnswer) -> None:
    assert judge_artifacts(TAKEN, [Artifact(n, *one, 1_000) for n, one in enumerate(artifacts)]) == answer


@pytest.mark.parametrize("why", list(No))
def test_every_rejection_is_one_sentence_that_says_what_is_wrong(why: No) -> None:
    said = reason(Rejected(why, 12, "abc1234"))
    assert said.endswith(".")
    assert said.count("\n") == 0
    assert said[0].islower() or said.startswith("GitHub ")


def test_the_comment_tells_the_state_and_what_does_not_count() -> None:
    late = (
        spoken(3, NEARLY, seconds=9, author="otto"),
        spoken(4, trust=Trust.NOT_AUTHORIZED, seconds=10, author="stranger"),
    )
    assert render_use(ACCEPTED, late) == (
        f"**Sweep 12 of `{HEAD[:7]}` stands for this pull request**, by `/use 12` of `maria`. A push starts no gates "
        "while its commit is in the pull request; it is checked again at every push and at the merge. A sweep label "
        "still starts a sweep.\n\n"
        "- `otto`'s comment does not count: `/use`: it names no run: write `/use` and the run's number on one line, "
        "e.g. `/use 12`.\n"
        "- `stranger`'s comment does not count: its author has no write access to this repository."
    )
    assert render_use(REFUSED, ()).startswith(
        "**`/use 12` of `maria` is rejected**: there is no sweep and no workflow run 12"
    )
    assert render_use(None, ()).startswith("**No run is selected.**")
