"""The jobs of a benchmark workflow, as check runs name them: which benchmark, which evaluate."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from gatekit.domain.unknown import Unknown
from gatekit.use.workflow_runs import WorkflowRun

_BENCHMARK = re.compile(r"(?:canary|(?:single|multi)-node \d+k\d+k|(?:multi-node )?agentic) /")
_EVAL = re.compile(r"(?:multi-node )?(?:agentic )?eval /")
ACTIONS = "github-actions"  # the App whose check runs count: any other may name its own as it likes
_LEFT_OUT = frozenset({"skipped", "neutral"})
GREEN = "success"


class Family(StrEnum):
    BENCHMARK = "benchmark"
    EVAL = "eval"


@dataclass(frozen=True, slots=True)
class Lane:
    """One check run. `conclusion` is GitHub's word; None: it has not ended."""

    name: str
    conclusion: str | None
    app: str = ACTIONS

    @property
    def family(self) -> Family | None:
        """None for every other job: one that collects is green over nothing."""
        if self.app != ACTIONS:
            return None
        if _EVAL.match(self.name):
            return Family.EVAL
        return Family.BENCHMARK if _BENCHMARK.match(self.name) else None


@dataclass(frozen=True, slots=True)
class SweepRun:
    """A run of the sweep workflow with all its check runs."""

    run: WorkflowRun
    lanes: tuple[Lane, ...] | Unknown


@dataclass(frozen=True, slots=True)
class Tally:
    """The lanes of one family that ran. Skipped ones did not."""

    green: int
    others: tuple[str, ...]  # names of those that are not green

    @property
    def all_green(self) -> bool:
        return self.green > 0 and not self.others


def tally(lanes: Sequence[Lane], family: Family) -> Tally:
    ran = [lane for lane in lanes if lane.family is family and lane.conclusion not in _LEFT_OUT]
    others = tuple(lane.name for lane in ran if lane.conclusion != GREEN)
    return Tally(len(ran) - len(others), others)


def is_green(lanes: Sequence[Lane], evals_due: bool) -> bool:
    """All benchmarks ran and are green, and all evals are; they have to be there only where they are due."""
    evals = tally(lanes, Family.EVAL)
    return (evals.all_green or (not evals_due and not evals.others)) and tally(lanes, Family.BENCHMARK).all_green
