"""What a merge means for reuse: one answer on the merge commit, for workflows to act on."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gatekit.bench.repo.settings import MergeWithoutUse
from gatekit.domain.ids import GHOST, Login, PrRef, Sha, SweepId
from gatekit.domain.reuse import Commits
from gatekit.use.decision import Chosen, Decision, Rejected


@dataclass(frozen=True, slots=True)
class CommitFacts:
    sha: Sha
    parents: tuple[Sha, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Landing:
    """How a pull request came onto its base branch."""

    merge: Sha  # the commit by which it did, or the last of them
    before: Sha  # the branch's tip before
    commits: Commits  # of the pull request


def before_rebase(landed: Sequence[CommitFacts], brought: Sequence[CommitFacts]) -> Sha | None:
    """The tip before a rebase: `landed` are the branch's newest commits, newest first, `brought` the pull request's,
    oldest first. None where they were not rebased one by one: then the merge commit's first parent is the tip before.
    """
    count = len(brought)
    if count < 2 or len(landed) < count:
        return None
    newest = landed[:count]
    if any(len(one.parents) != 1 for one in newest):
        return None
    same = all(new.message == old.message for new, old in zip(reversed(newest), brought, strict=True))
    return newest[-1].parents[0] if same else None


class MergeOutcome(StrEnum):
    REUSED = "reused"
    RERUN = "rerun"  # no run stands for it: its gates run for the merge commit
    REPORTED = "reported"  # no run stands for it, and the repository wants that said only
    SEVERAL = "several"  # the commit belongs to several pull requests
    UNPLANNED = "unplanned"  # no run stands for it, and its gates could not be planned
    AT_MERGE = "at-merge"  # of a merge queue's group: no run stands for it, and its gates will run for the merge


@dataclass(frozen=True, slots=True)
class Merge:
    """What is said of a merge commit, or of a merge queue's group."""

    pr: PrRef
    merge: Sha
    outcome: MergeOutcome
    decision: Decision | None = None  # what the commands of the pull request came to
    pulls: tuple[int, ...] = ()  # of SEVERAL
    sweep: SweepId | None = None  # of RERUN: the one that gates the merge commit; None: there is nothing to gate
    left_out: tuple[str, ...] = ()  # of RERUN without a sweep: labels by which nothing is gated
    problem: str = ""  # of UNPLANNED
    merged_by: Login = GHOST  # of a merge

    @property
    def chosen(self) -> Chosen | None:
        return self.decision.chosen if self.decision and self.outcome is MergeOutcome.REUSED else None

    @property
    def rejected(self) -> Rejected | None:
        answer = None if self.decision is None else self.decision.answer
        return answer if isinstance(answer, Rejected) else None


def outcome_of(pulls: Collection[int], decision: Decision | None, without: MergeWithoutUse) -> MergeOutcome:
    """`pulls`: those that the merge commit belongs to, the merged one among them."""
    if len(pulls) > 1:
        return MergeOutcome.SEVERAL
    if decision is not None and decision.chosen is not None:
        return MergeOutcome.REUSED
    return MergeOutcome.RERUN if without is MergeWithoutUse.RERUN else MergeOutcome.REPORTED
