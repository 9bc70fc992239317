"""Check 5: the template that was the latest when the sign-off was edited, with nothing missing and nothing open."""

from collections.abc import Callable, Iterator, Sequence

from gatekit.bench.matrix.changelog import Scenario
from gatekit.domain.errors import Unknown
from gatekit.signoff.change.change import Change
from gatekit.signoff.checklist.items import Doubts, Item, ItemState, explanations, item_states
from gatekit.signoff.checklist.template import Current, Revision
from gatekit.signoff.checklist.topics import Topic
from gatekit.signoff.checks.check import DECIDED, Check, CheckFinding, Evidence, Outcome, known
from gatekit.signoff.checks.facts import Facts

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


NAMED = 4  # items in one sentence
_SHOWN = 80  # characters of an item

_FAILING: tuple[tuple[ItemState, Callable[[str], str]], ...] = (
    (ItemState.MISSING, lambda items: f"not in the sign-off: {items}"),
    (ItemState.MALFORMED, lambda items: f"no box that GitHub shows, write `- [x]`: {items}"),
    (ItemState.OPEN, lambda items: f"open, and the details do not say why: {items}"),
)


def decide(facts: Facts) -> CheckFinding:
    current = known(facts.template)
    if current is None:
        said = "there was no template when this was signed: compare it with today's yourself"
        return CheckFinding(Outcome.UNDECIDED, said)
    items = items_of(facts, current)
    notes = tuple(_notes(facts, current, items))
    sure = [item for item in items if item.sure]
    waiting = [] if isinstance(facts.change, Change) else [item for item in sure if _may_be_moot(item)]
    failing = [_said(say, state, [item for item in sure if item not in waiting]) for state, say in _FAILING]
    if any(failing):
        return CheckFinding(
            Outcome.FAIL, "; ".join(said for said in failing if said) + _stale(items, current, facts), notes
        )
    rewritten = [item for item in items if not item.sure]
    if rewritten:
        said = f"rewritten, so that they may be other items; use the template's words: {_named(rewritten)}"
        return CheckFinding(Outcome.UNDECIDED, said, notes)
    if waiting:
        known(facts.change)
    return CheckFinding(Outcome.PASS, _good(items, current), notes)


def items_of(facts: Facts, current: Current) -> tuple[Item, ...]:
    """Each item as the sign-off has it; what nothing in the change falls under may stay open."""
    topics = moot(facts.change) if isinstance(facts.change, Change) else frozenset[Topic]()
    doubts = Doubts(moot=topics, not_theirs=facts.sign_off.not_theirs)
    return item_states(current.revision.form, facts.sign_off.form, doubts)


def _may_be_moot(item: Item) -> bool:
    return item.state in (ItemState.OPEN, ItemState.MALFORMED) and item.topic in CONDITIONAL_TOPICS


def _said(say: Callable[[str], str], state: ItemState, items: Sequence[Item]) -> str:
    found = [item for item in items if item.state is state]
    return say(_named(found)) if found else ""


def _named(items: Sequence[Item]) -> str:
    shown = ", ".join(f"{item.label} ({item.topic or item.text[:_SHOWN]})" for item in items[:NAMED])
    return f"{shown} and {len(items) - NAMED} more" if len(items) > NAMED else shown


def _stale(items: Sequence[Item], current: Current, facts: Facts) -> str:
    """Whether what is missing was not in an earlier revision either."""
    if not any(item.state is ItemState.MISSING for item in items):
        return ""
    filled = facts.sign_off.form
    for revision in reversed(current.older):
        if all(item.state is not ItemState.MISSING for item in item_states(revision.form, filled)):
            return f"; this is the copy of {_day(revision)}, copy today's"
    return ""


def _good(items: Sequence[Item], current: Current) -> str:
    explained = [item for item in items if item.state is ItemState.EXPLAINED]
    newer = current.newer
    parts = [f"every item is there, as in the template of {_day(current.revision)}"]
    parts += [f"explained by the reviewer: {_named(explained)}"] if explained else []
    parts += [f"superseded since by {newer[-1].sha[:7]} of {_day(newer[-1])}"] if newer else []
    return "; ".join(parts)


def _day(revision: Revision) -> str:
    return revision.at.date().isoformat()


def _notes(facts: Facts, current: Current, items: Sequence[Item]) -> Iterator[Evidence]:
    template, filled = current.revision.form, facts.sign_off.form
    yield Evidence("template", current.revision.sha, _day(current.revision))
    for revision in current.newer:
        more = len(revision.form.items) - len(template.items)
        yield Evidence("newer template", revision.sha, _day(revision), f"{more:+d} items" if more else None)
    ticked = any(item.topic is Topic.REASONS and item.state is ItemState.TICKED for item in items)
    if ticked and not explanations(template, filled):
        yield Evidence("the box for reasons is ticked, and the details give none")
    if filled.signed is None or filled.signed == template.signed:
        yield Evidence("nobody's name stands behind `Signed:`")
    elif filled.signed.lower() != facts.sign_off.author.lower():
        yield Evidence("another name stands behind `Signed:`", None, filled.signed, facts.sign_off.author)
    for item in items:
        where = None if item.line is None else f"line {item.line} of the sign-off"
        yield Evidence(f"item {item.label}: {item.text[:_SHOWN]}", where, item.state.value, item.said)


CHECK = Check(5, "latest template, nothing missing", DECIDED, decide)
