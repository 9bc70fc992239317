"""All checks of one sign-off, and what they come to together."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from gatekit.domain.ids import Login, Sha
from gatekit.domain.unknown import Unknown
from gatekit.signoff.checks.all_checks import CHECKS
from gatekit.signoff.checks.facts import Facts
from gatekit.signoff.checks.outcome import Finding, Outcome
from gatekit.signoff.evidence.description import Disclosure, disclosure
from gatekit.signoff.resource import Resource


class Overall(StrEnum):
    PASS = "PASS"
    WARN = "WARN"
    INCOMPLETE = "INCOMPLETE"  # something is undecided, and nothing fails
    REJECTED = "REJECTED"


@dataclass(frozen=True, slots=True)
class Row:
    number: int
    name: str
    finding: Finding


@dataclass(frozen=True, slots=True)
class SignOffVerdict:
    resource: Resource
    author: Login  # of the sign-off
    assessed: Sha
    rows: tuple[Row, ...]  # one for each check, in order
    disclosure: Disclosure | None  # of the models that the change was made with; None: the description was not read
    own: bool  # the author signed a change of his own

    @property
    def overall(self) -> Overall:
        return overall(self.rows)


def verify(facts: Facts, assessed: Sha, opened_by: Login) -> SignOffVerdict:
    """Every check on the same facts. `opened_by`: the author of the pull request."""
    author = facts.sign_off.author
    said = None if isinstance(facts.description, Unknown) else disclosure(facts.description.text)
    return SignOffVerdict(
        resource=facts.sign_off.resource,
        author=author,
        assessed=assessed,
        rows=tuple(Row(check.number, check.name, check.run(facts)) for check in CHECKS),
        disclosure=said,
        own=author.lower() == opened_by.lower(),
    )


def overall(rows: Sequence[Row]) -> Overall:
    """The worst of the rows. What is not applicable changes nothing."""
    outcomes = {row.finding.outcome for row in rows}
    for outcome, found in (
        (Outcome.FAIL, Overall.REJECTED),
        (Outcome.UNDECIDED, Overall.INCOMPLETE),
        (Outcome.WARN, Overall.WARN),
    ):
        if outcome in outcomes:
            return found
    return Overall.PASS
