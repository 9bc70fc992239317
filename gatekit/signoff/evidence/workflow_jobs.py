"""The jobs of a benchmark workflow, as check runs name them: which benchmark, which evaluate, whether evals are due."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gatekit.bench.matrix.changelog import Scenario
from gatekit.domain.errors import Unknown
from gatekit.signoff.change.change import Change
from gatekit.signoff.change.configs import Config, Setup
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


FLOOR = 16  # the least concurrency that the generator evaluates


def evals_due(change: Change) -> tuple[Config, ...]:
    """The affected configs whose rows are evaluated."""
    return tuple(each.config for each in change.affected if any(_evaluated(each.config, change)))


def _evaluated(config: Config, change: Change) -> Iterator[bool]:
    """Fixed lengths from the floor up; agentic rows only where a recipe for evals is named, or the changelog asks."""
    entries = () if isinstance(change.selected, Unknown) else change.selected
    naming = [one.entry for one in entries if config.key in one.keys]
    if naming and all(entry.no_evals for entry in naming):
        return
    asked = any(entry.all_evals or entry.evals_only for entry in naming)
    for setup in config.setups:
        yield asked or (max(setup.concurrencies) >= FLOOR and _has_evals(setup))


def _has_evals(setup: Setup) -> bool:
    return setup.scenario is Scenario.FIXED_SEQ_LEN or setup.eval_recipe is not None
