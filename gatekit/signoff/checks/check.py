"""What a check comes to, with its reason and its evidence, and how it is run: only to what its table allows."""

from collections.abc import Callable, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from gatekit.domain.errors import Unknown
from gatekit.signoff.checks.facts import Facts

T = TypeVar("T")


class Outcome(StrEnum):
    PASS = "PASS"
    FAIL = "FAIL"
    WARN = "WARN"  # only of checks that advise
    NOT_APPLICABLE = "N/A"
    UNDECIDED = "UNDECIDED"  # a person must look; never a pass


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that was looked at. Texts are from outside: escape them before printing."""

    what: str
    where: str | None = None  # path:line, or an address
    here: str | None = None  # the value that was found
    there: str | None = None  # the value that it is held against


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """`reason`: one sentence without a full stop; of UNDECIDED it says what a person should look at."""

    outcome: Outcome
    reason: str
    evidence: tuple[Evidence, ...] = ()


class NotKnown(Exception):
    """A fact that a check needs could not be read."""

    def __init__(self, unknown: Unknown) -> None:
        super().__init__(unknown.why)
        self.why = unknown.why


def known(fact: T | Unknown) -> T:
    """The fact itself. Raises NotKnown: nothing may be concluded from what could not be read."""
    if isinstance(fact, Unknown):
        raise NotKnown(fact)
    return fact


def worst(findings: tuple[CheckFinding, ...], good: str) -> CheckFinding:
    """What several findings come to together: the first that fails, else the first undecided, else `good`.

    All evidence is kept, of what decided first. Findings that are not applicable count only where all are.
    """
    for outcome in (Outcome.FAIL, Outcome.UNDECIDED, Outcome.WARN):
        said = [finding for finding in findings if finding.outcome is outcome]
        if said:
            more = f" (and {len(said) - 1} more)" if len(said) > 1 else ""
            others = [finding for finding in findings if finding.outcome is not outcome]
            evidence = tuple(each for finding in (*said, *others) for each in finding.evidence)
            return CheckFinding(outcome, f"{said[0].reason}{more}", evidence)
    evidence = tuple(each for finding in findings for each in finding.evidence)
    if findings and all(finding.outcome is Outcome.NOT_APPLICABLE for finding in findings):
        return CheckFinding(Outcome.NOT_APPLICABLE, findings[0].reason, evidence)
    return CheckFinding(Outcome.PASS, good, evidence)


@dataclass(frozen=True, slots=True)
class Check:
    number: int
    name: str
    outcomes: Set[Outcome]  # that it may come to
    decide: Callable[[Facts], CheckFinding]  # raises NotKnown
    unknown: Outcome = Outcome.UNDECIDED  # what a missing fact makes of it

    def run(self, facts: Facts) -> CheckFinding:
        try:
            found = self.decide(facts)
        except NotKnown as error:
            return CheckFinding(self.unknown, f"look yourself: {error.why}")
        if found.outcome not in self.outcomes:
            raise AssertionError(f"check {self.number} came to {found.outcome}, which it may not")
        return found


DECIDED = frozenset({Outcome.PASS, Outcome.FAIL, Outcome.UNDECIDED})
CONDITIONAL = DECIDED | {Outcome.NOT_APPLICABLE}
ADVISORY = frozenset({Outcome.PASS, Outcome.WARN})
