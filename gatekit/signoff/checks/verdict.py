"""The list of all checks, and what they come to together for one sign-off."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from gatekit.domain.errors import Unknown
from gatekit.domain.ids import Login, Sha
from gatekit.signoff.checks import (
    check_00_owner,
    check_01_sweep,
    check_02_evals,
    check_03_recipe,
    check_04_reuse,
    check_05_template,
    check_06_images,
    check_07_deprecated,
    check_08_architecture,
    check_09_chat_template,
    check_10_patches,
    check_11_acceptance,
    check_12_append_only,
    check_13_draft,
    check_14_pareto,
    check_15_description,
)
from gatekit.signoff.checks.check import Check, CheckFinding, Outcome
from gatekit.signoff.checks.facts import Facts
from gatekit.signoff.evidence.description import Disclosure
from gatekit.signoff.resource import Resource

CHECKS: tuple[Check, ...] = (
    check_00_owner.CHECK,
    check_01_sweep.CHECK,
    check_02_evals.CHECK,
    check_03_recipe.CHECK,
    check_04_reuse.CHECK,
    check_05_template.CHECK,
    check_06_images.CHECK,
    check_07_deprecated.CHECK,
    check_08_architecture.CHECK,
    check_09_chat_template.CHECK,
    check_10_patches.CHECK,
    check_11_acceptance.CHECK,
    check_12_append_only.CHECK,
    check_13_draft.CHECK,
    check_14_pareto.CHECK,
    check_15_description.CHECK,
)


class Overall(StrEnum):
    PASS = "PASS"
    WARN = "WARN"
    INCOMPLETE = "INCOMPLETE"  # something is undecided, and nothing fails
    REJECTED = "REJECTED"


@dataclass(frozen=True, slots=True)
class VerdictRow:
    number: int
    name: str
    finding: CheckFinding


@dataclass(frozen=True, slots=True)
class SignOffVerdict:
    resource: Resource
    author: Login  # of the sign-off
    assessed: Sha
    rows: tuple[VerdictRow, ...]  # one for each check, in order
    disclosure: Disclosure | None  # of the models that the change was made with; None: the description was not read
    own: bool  # the author signed a change of his own

    @property
    def overall(self) -> Overall:
        return overall(self.rows)


def verify(facts: Facts, assessed: Sha, opened_by: Login) -> SignOffVerdict:
    """Every check on the same facts. `opened_by`: the author of the pull request."""
    author = facts.sign_off.author
    said = None if isinstance(facts.description, Unknown) else facts.description.disclosure
    return SignOffVerdict(
        resource=facts.sign_off.resource,
        author=author,
        assessed=assessed,
        rows=tuple(VerdictRow(check.number, check.name, check.run(facts)) for check in CHECKS),
        disclosure=said,
        own=author.lower() == opened_by.lower(),
    )


def overall(rows: Sequence[VerdictRow]) -> Overall:
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
