"""The real benchmark tree of August, planned: 212 points with a gate, and why every other one has none."""

from collections.abc import Sequence
from pathlib import Path

from bot.files import own_curves
from gatekit.bench.matrix.runners import read_runners
from gatekit.bench.recipes.shelf import read_tree
from gatekit.bench.repo.settings_file import parse_settings
from gatekit.domain.gates import Gate, GatePlan, Unusable
from gatekit.plan.candidate import Candidate, candidate_of
from gatekit.plan.plan import PlanSources, plan_keys
from gatekit.serving.drafts import DraftReader
from tests.shared import shared_snapshot

PAGE = Path(__file__).parents[3] / "docs" / "grouping.md"
HEAD = ("| gate | points | launched as |", "|---|---|---|")


def sources() -> PlanSources:
    tree = shared_snapshot("data/inferencex")
    return PlanSources(tree, tree, None, parse_settings(None), own_curves())


def planned() -> GatePlan:
    return plan_keys(sources(), None, None, "node")


def candidates() -> tuple[Candidate, ...]:
    """Every point that can be gated, in file order."""
    made = sources()
    tree = read_tree(
        made.head, made.settings.layout, read_runners(made.base, made.settings.layout), made.engines.parallelism
    )
    reader = DraftReader(tree.shelf, tree.layout)
    found = []
    for point in tree.master.points():
        if point.speculative:
            try:
                found.append(candidate_of(reader.read(point), made.settings, made.curves))
            except Unusable:
                continue
    return tuple(found)


def table(gates: Sequence[Gate]) -> str:
    """One line for each gate: its title; the points that it answers for; the recipe that is launched."""
    return "\n".join((*HEAD, *(_line(gate) for gate in gates)))


def _line(gate: Gate) -> str:
    at = ", ".join(str(each) for each in gate.concurrencies)
    recipe = gate.recipe.rpartition("/")[2]
    return f"| {gate.title} | {gate.config_key}: {at} | {recipe} at {gate.representative} |"


def written() -> str:
    """The table as the page has it."""
    lines = PAGE.read_text(encoding="utf-8").split("\n")
    first = lines.index(HEAD[0])
    return "\n".join(line for line in lines[first:] if line.startswith("|"))


def main() -> None:
    """Write the table of today into the page: `python -m tests.worlds.bench.august`."""
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(page.replace(written(), table(planned().gates)), encoding="utf-8")


if __name__ == "__main__":
    main()
