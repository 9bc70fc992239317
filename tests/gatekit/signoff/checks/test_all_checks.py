"""What holds for every check: what it may come to, and that nothing passes on a fact that is missing."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path

import pytest

import gatekit.signoff.checks.verdict
from gatekit.domain.errors import Unknown
from gatekit.domain.ids import Login
from gatekit.signoff.checks.check import Check, CheckFinding, Outcome
from gatekit.signoff.checks.facts import NOT_READ, Facts
from gatekit.signoff.checks.verdict import CHECKS, Overall, verify
from tests.gatekit.signoff.checks.test_check_02 import RESULT, evaluated
from tests.gatekit.signoff.checks.test_check_05 import PLAIN
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG, entry
from tests.worlds.signoff.checklist import form, open_box
from tests.worlds.signoff.signed import HEAD, change, clean, files, sign_off, signed

PASS, FAIL, WARN = Outcome.PASS, Outcome.FAIL, Outcome.WARN
NOT_APPLICABLE, UNDECIDED = Outcome.NOT_APPLICABLE, Outcome.UNDECIDED
ADVISE = {4, 14, 15}

TABLE = {
    0: {PASS, FAIL, UNDECIDED},
    1: {PASS, FAIL, UNDECIDED, NOT_APPLICABLE},
    2: {PASS, FAIL, UNDECIDED, NOT_APPLICABLE},
    3: {PASS, FAIL, UNDECIDED, NOT_APPLICABLE},
    4: {PASS, WARN},
    5: {PASS, FAIL, UNDECIDED},
    6: {PASS, FAIL, UNDECIDED, NOT_APPLICABLE},
    7: {PASS, FAIL, UNDECIDED, NOT_APPLICABLE},
    8: {PASS, FAIL, UNDECIDED, NOT_APPLICABLE},
    9: {PASS, FAIL, UNDECIDED, NOT_APPLICABLE},
    10: {PASS, FAIL, UNDECIDED, NOT_APPLICABLE},
    11: {PASS, FAIL, UNDECIDED, NOT_APPLICABLE},
    12: {PASS, FAIL, UNDECIDED, NOT_APPLICABLE},
    13: {PASS, FAIL, UNDECIDED, NOT_APPLICABLE},
    14: {PASS, WARN, NOT_APPLICABLE},
    15: {PASS, WARN, NOT_APPLICABLE},
}


def test_every_check_has_its_number_its_file_and_its_outcomes() -> None:
    assert {check.number: set(check.outcomes) for check in CHECKS} == TABLE
    assert [check.number for check in CHECKS] == list(range(16))
    assert {check.number for check in CHECKS if WARN in check.outcomes} == ADVISE
    assert {check.number for check in CHECKS if FAIL not in check.outcomes} == ADVISE
    folder = Path(gatekit.signoff.checks.__file__).parent
    assert [path.name[6:8] for path in sorted(folder.glob("check_*.py"))] == [f"{n:02}" for n in range(16)]


def passing(number: int) -> Facts:
    """Facts on which a check passes because of each of them."""
    facts = clean()
    match number:
        case 0:
            member = replace(facts.sign_off, author=Login("zed"))
            return replace(facts, sign_off=member, teams={"@acme/gpu": True}, files=files(CONFIG))
        case 2:
            return evaluated(RESULT)
        case 5:
            return replace(signed(form({**open_box("7"), **open_box("14")})), change=PLAIN)
        case 12:
            return replace(facts, change=change({CHANGELOG: f"{entry()}{entry()}  append-only: true\n"}))
    return facts


class Watched:
    """Facts, and which of them somebody asked for."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.asked: set[str] = set()

    def __getattr__(self, name: str) -> object:
        self.asked.add(name)
        return getattr(self.facts, name)


GIVEN = {"pr", "sign_off", "today", "settings"}  # always known


def without(facts: Facts, name: str, jobs: bool) -> Iterator[Facts]:
    """The same with a fact that could not be read: all of it, and each thing in it by itself; `jobs`: of runs too."""
    value = getattr(facts, name)
    if isinstance(value, Mapping) and name != "curves":
        yield replace(facts, **{name: {}})
        for key in value:
            yield replace(facts, **{name: {**value, key: Unknown("GitHub did not answer")}})
    else:
        yield replace(facts, **{name: NOT_READ})
    if name == "runs" and jobs:
        yield replace(facts, runs=tuple(replace(each, lanes=NOT_READ) for each in value))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: str(check.number))
def test_no_check_passes_on_a_fact_that_could_not_be_read(check: Check) -> None:
    facts = passing(check.number)
    watched = Watched(facts)
    assert check.run(watched).outcome is PASS  # type: ignore[arg-type]
    needed = watched.asked - GIVEN
    assert needed <= {field.name for field in fields(Facts)}
    assert needed
    for name in needed:
        for spoiled in without(facts, name, jobs=check.number in (1, 2, 14)):
            found = check.run(spoiled)
            assert found.outcome in (UNDECIDED, WARN), name
            assert found.reason


@pytest.mark.parametrize("number", [5, 12])
def test_entries_that_cannot_be_read_are_a_missing_fact_too(number: int) -> None:
    facts = passing(number)
    assert not isinstance(facts.change, Unknown)
    unread = replace(facts.change, selected=Unknown("perf-changelog.yaml:4: is no entry"))
    found = CHECKS[number].run(replace(facts, change=unread))
    assert found.outcome is not PASS


def test_with_nothing_but_the_sign_off_nothing_passes() -> None:
    facts = clean()
    bare = Facts(facts.pr, facts.sign_off, facts.today)
    assert PASS not in {check.run(bare).outcome for check in CHECKS}


def test_a_check_may_come_only_to_what_its_row_allows() -> None:
    odd = replace(CHECKS[0], decide=lambda facts: CheckFinding(WARN, "x"))
    with pytest.raises(AssertionError, match="check 0 came to WARN, which it may not"):
        odd.run(clean())


def test_a_clean_sign_off_passes_whole() -> None:
    found = verify(clean(), HEAD, Login("zed"))
    assert found.overall is Overall.PASS
    assert {row.finding.outcome for row in found.rows} == {PASS, NOT_APPLICABLE}
    assert not found.own
    assert verify(clean(), HEAD, Login("ANN")).own


@pytest.mark.parametrize(
    ("facts", "overall"),
    [
        (clean(), Overall.PASS),
        (replace(clean(), reuse=None), Overall.WARN),
        (replace(clean(), drafts={}), Overall.INCOMPLETE),
        (replace(clean(), drafts={}, reuse=None), Overall.INCOMPLETE),
        (replace(clean(), drafts={}, sign_off=sign_off(form({"2": ""}))), Overall.REJECTED),
    ],
)
def test_the_worst_row_decides(facts: Facts, overall: Overall) -> None:
    assert verify(facts, HEAD, Login("zed")).overall is overall
