"""Check 7: nothing that the page of models says is deprecated on the day of the review."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from gatekit.bench.matrix.changelog import Scenario
from gatekit.signoff.change.configs import Config, Setup
from gatekit.signoff.checks.check import CONDITIONAL, Check, CheckFinding, Evidence, Outcome, known, worst
from gatekit.signoff.checks.facts import Facts
from gatekit.signoff.evidence.models_page import ModelRow, ModelsPage, first_date
from gatekit.signoff.evidence.simulated_acceptance import drafting_methods

_PARTS = re.compile(r",\s*(?![^()]*\))")  # commas outside brackets
_ARM = re.compile(r"\bnon-(?P<method>[a-z0-9]+)", re.IGNORECASE)
_RECIPES = re.compile(r"\ball (?P<precision>[a-z0-9]+) recipes", re.IGNORECASE)
_LIMITED = re.compile(r"limited to (?P<precisions>[a-z0-9]+(?:\s*(?:/|and|,)\s*[a-z0-9]+)*)", re.IGNORECASE)


def decide(facts: Facts) -> CheckFinding:
    change = known(facts.change)
    if not any(each.config.setups for each in change.affected):
        return CheckFinding(Outcome.NOT_APPLICABLE, "no config is added, changed or run again")
    page = known(facts.models)
    drafting = drafting_methods(change)
    found = [
        _finding(_Asked(each.config, scenario, drafting.get(each.config.key, frozenset())), page, facts.today)
        for each in change.affected
        for scenario in dict.fromkeys(_name(setup) for setup in each.config.setups)
    ]
    return worst(tuple(found), f"every model and scenario is active on {facts.today.isoformat()}")


@dataclass(frozen=True, slots=True)
class _Asked:
    config: Config
    scenario: str  # as the page names it, in small letters
    methods: frozenset[str]  # of drafting; empty: not known


def _name(setup: Setup) -> str:
    return "agentic coding" if setup.scenario is Scenario.AGENTIC_CODING else f"single-turn {setup.sequence}"


def _finding(asked: _Asked, page: ModelsPage, today: date) -> CheckFinding:
    config, scenario = asked.config, asked.scenario
    row = page.models.get(config.prefix)
    if row is None:
        return _look(f"`{config.prefix}` is in no row of {page.path}", Evidence(config.key, config.where))
    evidence = Evidence(f"{config.key}, {scenario}", f"{page.path}:{row.line}", row.active, row.deprecated)
    for outcome, said in (*_by_table(asked, row, today), *_by_all(scenario, page, today)):
        return CheckFinding(outcome, said, (evidence,))
    for said in _by_notice(asked, page, today):
        return _look(said, evidence)
    if scenario not in row.active.lower():
        said = f"{page.path}:{row.line} names {scenario} of `{config.prefix}` neither as active nor as deprecated"
        return _look(said, evidence)
    return CheckFinding(Outcome.PASS, "", (evidence,))


def _look(said: str, evidence: Evidence) -> CheckFinding:
    return CheckFinding(Outcome.UNDECIDED, f"{said}; read it yourself", (evidence,))


def _by_table(asked: _Asked, row: ModelRow, today: date) -> Iterator[tuple[Outcome, str]]:
    """What the row of the model says against it."""
    config, scenario = asked.config, asked.scenario
    model = f"`{config.prefix}`"
    if row.active.lower().startswith("none"):
        yield Outcome.FAIL, f"{config.key}: {model} is retired"
    for part in _PARTS.split(row.deprecated):
        name = part.partition("(")[0].strip().lower()
        ends = first_date(part) if "last day" in part.lower() else None
        if ends is not None and today <= ends:
            continue
        precision = _RECIPES.search(part)
        if name == scenario:
            yield Outcome.FAIL, f"{config.key}: {scenario} is deprecated for {model}"
        elif precision is not None and precision["precision"].lower() == config.precision.lower():
            yield Outcome.FAIL, f"{config.key}: {config.precision} recipes of {model} are deprecated"
        elif name.startswith(scenario) and not _stays(asked, part):
            yield Outcome.UNDECIDED, f"{config.key}: `{name}` is deprecated for {model}; look whether this is that"
    limited = _LIMITED.search(row.active)
    if limited is not None and config.precision.lower() not in re.findall(r"[a-z0-9]+", limited["precisions"].lower()):
        yield Outcome.UNDECIDED, f"{config.key}: {model} is {limited[0]}, and this is {config.precision}; look yourself"


def _stays(asked: _Asked, part: str) -> bool:
    """Whether the config is the arm that stays: every row drafts, by the method that the words name."""
    arm = _ARM.search(part)
    if arm is None or not all(setup.speculative for setup in asked.config.setups):
        return False
    method = arm["method"].lower()
    return asked.methods == {method} or (not asked.methods and method in asked.config.key.lower())


def _by_all(scenario: str, page: ModelsPage, today: date) -> Iterator[tuple[Outcome, str]]:
    if scenario in page.ended:
        line, since = page.ended[scenario]
        if since is None or since <= today:
            yield Outcome.FAIL, f"{scenario} is deprecated for every model ({page.path}:{line})"


def _by_notice(asked: _Asked, page: ModelsPage, today: date) -> Iterator[str]:
    """A notice whose last day is over and that names model and scenario, where the table still says active."""
    config, scenario = asked.config, asked.scenario
    for notice in page.notices:
        text = notice.text.lower()
        if today > notice.last_day and f"`{config.prefix}`" in text and scenario in text and not _stays(asked, text):
            yield f"{config.key}: {page.path}:{notice.line} names {scenario} with a last day of {notice.last_day}"


CHECK = Check(7, "nothing deprecated", CONDITIONAL, decide)
