"""Whether a change has evals at all: short runs have none by design."""

from collections.abc import Iterator

from gatekit.bench.matrix.changelog import Scenario
from gatekit.domain.unknown import Unknown
from gatekit.signoff.change.change import Change
from gatekit.signoff.change.configs import Config, Setup

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
