"""Whether the run that a `/use` names may stand for the pull request."""

from collections.abc import Sequence
from dataclasses import dataclass

from gatekit.domain.ids import PrRef, Repo, Sha
from gatekit.domain.reuse import Commits
from gatekit.domain.sweep import Sweep, SweepState
from gatekit.domain.verdict import Judged
from gatekit.use.decision import Chosen, No, Rejected, RunAnswer, RunSource
from gatekit.use.workflow_runs import (
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


def judge_sweep(sweep: Sweep | None, run: int, pr: PrRef, commits: Commits) -> RunAnswer:
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
    return Chosen(RunSource.SWEEP, run, 1, sweep.head)


@dataclass(frozen=True, slots=True)
class WantedRun:
    """What a run of GitHub Actions is held against."""

    repo: Repo
    workflow: str  # file name, e.g. run-sweep.yml
    commits: Commits
    named: bool  # a person named this run


def judge_workflow_run(run: WorkflowRun, wanted: WantedRun) -> RunAnswer:
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
    return no or Chosen(RunSource.WORKFLOW, run.id, run.attempt, run.head)


def judge_artifacts(chosen: Chosen, artifacts: Sequence[Artifact]) -> RunAnswer:
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
