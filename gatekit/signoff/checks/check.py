"""How a check is run: it may come only to what its table allows, and to nothing where facts are missing."""

from collections.abc import Callable, Set
from dataclasses import dataclass

from gatekit.signoff.checks.facts import Facts
from gatekit.signoff.checks.outcome import Finding, NotKnown, Outcome


@dataclass(frozen=True, slots=True)
class Check:
    number: int
    name: str
    outcomes: Set[Outcome]  # that it may come to
    decide: Callable[[Facts], Finding]  # raises NotKnown
    unknown: Outcome = Outcome.UNDECIDED  # what a missing fact makes of it

    def run(self, facts: Facts) -> Finding:
        try:
            found = self.decide(facts)
        except NotKnown as error:
            return Finding(self.unknown, f"look yourself: {error.why}")
        if found.outcome not in self.outcomes:
            raise AssertionError(f"check {self.number} came to {found.outcome}, which it may not")
        return found


DECIDED = frozenset({Outcome.PASS, Outcome.FAIL, Outcome.UNDECIDED})
CONDITIONAL = DECIDED | {Outcome.NOT_APPLICABLE}
ADVISORY = frozenset({Outcome.PASS, Outcome.WARN})
