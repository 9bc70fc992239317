"""Check 11: agentic speculative decoding simulates acceptance at its golden value, and nothing else simulates it."""

from collections.abc import Iterator
from dataclasses import replace

from gatekit.bench.matrix.changelog import Scenario
from gatekit.bench.matrix.points import Point
from gatekit.domain.collection import Thinking
from gatekit.domain.errors import Refusal
from gatekit.domain.gates import Unusable
from gatekit.engines.forced_acceptance import row_forces
from gatekit.engines.registry import ENGINES
from gatekit.plan.candidate import thinking_of
from gatekit.serving.drafts import PointDrafts
from gatekit.serving.strip import strip
from gatekit.signoff.change.configs import Config, Setup
from gatekit.signoff.change.scripts import live_lines, scripts_of
from gatekit.signoff.checks.check import CONDITIONAL, Check, CheckFinding, Evidence, Outcome, known, worst
from gatekit.signoff.checks.facts import Facts
from gatekit.signoff.evidence.simulated_acceptance import (
    Asking,
    Forced,
    GoldenByMode,
    drafts_of,
    forced_values,
    golden_of,
    half_set,
    matches,
)

_SWITCH = "SYNTHETIC_ACCEPTANCE"


def decide(facts: Facts) -> CheckFinding:
    asking = Asking(known(facts.change), known(facts.curves), facts.settings, facts.sign_off.form)
    findings = tuple(dict.fromkeys((*_agentic(asking), *_others(asking))))
    if not findings:
        return CheckFinding(
            Outcome.NOT_APPLICABLE, "no agentic config with speculative decoding is changed or run again"
        )
    return worst(findings, "every simulated acceptance length is the golden one")


def _agentic(asking: Asking) -> Iterator[CheckFinding]:
    for each in asking.change.affected:
        for point in asking.change.both.points.get(each.config.key, ()):
            if point.speculative:
                yield judge(point, asking)


def judge(point: Point, asking: Asking) -> CheckFinding:
    """One speculative AgentX point: is what its row and its recipe simulate the golden acceptance length?"""
    try:
        drafts = drafts_of(asking.reader, point)
    except Unusable as no:
        return _unread(point, str(no), asking)
    values = forced_values(drafts.real.stripped.knobs, dict(point.settings), drafts.real.speculation.k)
    half = half_set(drafts.real.stripped.knobs)
    if half is not None:
        return _finding(Outcome.FAIL, point, f"{drafts.reference}: {half}", (Evidence(point.config_key, half),))
    if not values:
        return _nothing(point, drafts, asking)
    try:
        golden = golden_of(asking.curves, point.model_prefix, drafts.real.speculation)
    except Unusable as no:
        return _no_curve(point, str(no), asking)
    return _held(drafts, values, golden, asking)


def _held(drafts: PointDrafts, values: tuple[Forced, ...], golden: GoldenByMode, asking: Asking) -> CheckFinding:
    """Against the mode that the row or the recipe says; where neither does, the repository's usual one."""
    point, k = drafts.point, drafts.real.speculation.k
    stated = _stated(drafts, asking)
    mode = stated or asking.settings.thinking
    evidence = tuple(
        Evidence(f"{point.config_key}, K={k}, {golden.curve}", drafts.reference, f"{each.place}: {each.value}", shown)
        for each in values
        for shown in [", ".join(f"{al:g} thinking {mode.value}" for mode, al in golden.by_mode.items())]
    )
    right = [each for each, al in golden.by_mode.items() if all(matches(value.al, al) for value in values)]
    if mode in right or (mode is None and len(right) == 1):
        return CheckFinding(Outcome.PASS, "", evidence)
    if stated is None and right:
        said = f"the value is golden for thinking {right[0].value}; look which mode the client asks for"
        return _finding(Outcome.UNDECIDED, point, said, evidence)
    if mode is None or mode not in golden.by_mode:
        said = f"{golden.curve} has no value for thinking {mode.value if mode else 'that is not known'}; look yourself"
        return _finding(Outcome.UNDECIDED, point, said, evidence)
    wrong = next(value for value in values if not matches(value.al, golden.by_mode[mode]))
    said = f"{wrong.place} forces {wrong.al:g}, golden AL for K={k} is {golden.by_mode[mode]:g}"
    return _finding(Outcome.FAIL, point, said, evidence)


def _stated(drafts: PointDrafts, asking: Asking) -> Thinking | None:
    try:
        return thinking_of(drafts, replace(asking.settings, thinking=None))
    except Unusable:
        return None


def _finding(outcome: Outcome, point: Point, said: str, evidence: tuple[Evidence, ...]) -> CheckFinding:
    return CheckFinding(outcome, f"{point.config_key}: {said}", evidence)


def _nothing(point: Point, drafts: PointDrafts, asking: Asking) -> CheckFinding:
    """Neither the row nor the recipe names a value."""
    switch = dict(point.settings).get(_SWITCH, "").lower()
    evidence = (Evidence(point.config_key, drafts.reference, f"{_SWITCH}={switch}" if switch else "no setting"),)
    if switch == "false" or (not switch and not asking.injected):
        return _finding(Outcome.FAIL, point, f"{drafts.reference} does not simulate acceptance", evidence)
    said = f"neither {drafts.reference} nor the row names a value; look what the launcher sets"
    return _finding(Outcome.UNDECIDED, point, said, evidence)


def _no_curve(point: Point, why: str, asking: Asking) -> CheckFinding:
    evidence = (Evidence(point.config_key, None, why, asking.source),)
    if asking.source is None:
        said = f"{why}, and the details do not say where the acceptance length comes from"
        return _finding(Outcome.FAIL, point, said, evidence)
    said = f"{why}; look whether the source in the details is good: {asking.source}"
    return _finding(Outcome.UNDECIDED, point, said, evidence)


def _unread(point: Point, why: str, asking: Asking) -> CheckFinding:
    """A script, or a recipe that is not there: the lines that speak of simulated acceptance are for a person."""
    config = asking.change.configs[point.config_key]
    lines = tuple(each for setup in config.setups for each in _traces(config, setup, asking))
    said = f"{why}; look yourself which acceptance length is simulated"
    return _finding(Outcome.UNDECIDED, point, said, (Evidence(point.config_key, config.where), *dict.fromkeys(lines)))


def _traces(config: Config, setup: Setup, asking: Asking) -> Iterator[Evidence]:
    tree = asking.change.tree
    for path in scripts_of(config, setup, tree.snapshot, tree.layout):
        for number, line in live_lines(tree.snapshot.files[path]):
            if ENGINES.forced.trace(line) is not None:
                yield Evidence("simulates acceptance", f"{path}:{number}", line.strip())


def _others(asking: Asking) -> Iterator[CheckFinding]:
    """Simulated acceptance where it must not be: in every other scenario."""
    for each in asking.change.affected:
        for setup in each.config.setups:
            if setup.scenario is not Scenario.AGENTIC_CODING and setup.speculative:
                yield from _not_agentic(each.config, setup, asking)


def _not_agentic(config: Config, setup: Setup, asking: Asking) -> Iterator[CheckFinding]:
    forbidden = f"{config.key}: simulates acceptance outside agentic coding"
    if row_forces(dict(setup.settings)) is not None:
        yield CheckFinding(Outcome.FAIL, forbidden, (Evidence(config.key, setup.where, _SWITCH),))
    for line in _traces(config, setup, asking):
        said = f"{forbidden}? Look at {line.where}"
        yield CheckFinding(Outcome.UNDECIDED, said, (line,))
    for concurrency in setup.concurrencies if setup.recipe else ():
        try:
            recipe = asking.change.tree.shelf.take(setup.recipe or "", concurrency)
        except Refusal as no:
            said = f"{config.key}: {no}; look whether it simulates acceptance, which it must not"
            yield CheckFinding(Outcome.UNDECIDED, said, (Evidence(config.key, setup.where),))
            continue
        for knob in strip(recipe.content).knobs:
            yield CheckFinding(Outcome.FAIL, forbidden, (Evidence(knob.knob, recipe.path, knob.value),))


CHECK = Check(11, "golden simulated acceptance", CONDITIONAL, decide)
