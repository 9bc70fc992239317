"""Which items of the checklist nothing in a pull request falls under, so that their boxes may stay open."""

from gatekit.bench.matrix.changelog import Scenario
from gatekit.domain.unknown import Unknown
from gatekit.signoff.change.change import Change
from gatekit.signoff.checklist.topics import Topic

# Items that speak of something that not every change has.
CONDITIONAL_TOPICS = frozenset(
    {
        *(Topic.CHAT_TEMPLATE, Topic.DRAFT, Topic.GOLDEN, Topic.APPEND_ONLY, Topic.PARETO),
        *(Topic.RECIPE, Topic.RECIPE_LINK),
    }
)


def moot(change: Change) -> frozenset[Topic]:
    """Only what is known: where the new changelog entries cannot be read, append-only may be in them."""
    found: set[Topic] = set()
    if not change.speculative:
        found |= {Topic.CHAT_TEMPLATE, Topic.DRAFT, Topic.GOLDEN}
    if not any(setup.speculative and setup.scenario is Scenario.AGENTIC_CODING for _, setup in change.setups):
        found.add(Topic.GOLDEN)
    if not isinstance(change.selected, Unknown) and not any(one.entry.append_only for one in change.selected):
        found.add(Topic.APPEND_ONLY)
    if not change.affected:
        found.add(Topic.PARETO)
    if not any(each.config.open_engine for each in change.affected):
        found |= {Topic.RECIPE, Topic.RECIPE_LINK}
    return frozenset(found)
