"""Check 0: who signs owns the changed files."""

from dataclasses import replace

import pytest

from gatekit.domain.errors import Unknown
from gatekit.domain.ids import Login
from gatekit.signoff.checks.check import Outcome
from gatekit.signoff.checks.check_00_owner import CHECK
from gatekit.signoff.checks.facts import NOT_READ
from gatekit.signoff.codeowners import parse_codeowners
from gatekit.signoff.scope import ChangedFile
from tests.worlds.signoff.signed import clean, files

UNREAD = Unknown("the App may not see the team")
TEAM = {"@acme/gpu": UNREAD, "@acme/core": False}


@pytest.mark.parametrize(
    ("login", "teams", "paths", "outcome", "said"),
    [
        ("ann", {}, ["configs/a"], Outcome.PASS, "@ann owns every changed path"),
        ("ANN", {}, ["configs/a", "x.py"], Outcome.PASS, "@ANN owns every changed path"),
        ("zed", {"@acme/gpu": True}, ["configs/a"], Outcome.PASS, "@zed owns every changed path"),
        ("zoe", {}, ["x.py"], Outcome.PASS, "@zoe owns every changed path"),
        (
            "zoe",
            {"@acme/gpu": False},
            ["configs/a", "configs/b"],
            Outcome.FAIL,
            "configs/a and 1 more belongs to @ann @bob @acme/gpu, and @zoe is none of them",
        ),
        ("ann", {}, ["configs/a", "docs/b"], Outcome.FAIL, "docs/b belongs to @zoe, and @ann is none of them"),
        (
            "zed",
            {"@acme/gpu": False, "@acme/core": False},
            ["x.py"],
            Outcome.FAIL,
            "x.py belongs to anybody who owns something, and @zed is none of them",
        ),
        (
            "zed",
            TEAM,
            ["configs/a"],
            Outcome.UNDECIDED,
            "configs/a belongs to @ann @bob @acme/gpu; look whether @zed is in that team: its members are not readable",
        ),
        ("zed", TEAM, ["docs/b", "configs/a"], Outcome.FAIL, "docs/b belongs to @zoe, and @zed is none of them"),
    ],
)
def test_the_signer_owns_the_files_or_not(
    login: str, teams: dict[str, bool | Unknown], paths: list[str], outcome: Outcome, said: str
) -> None:
    facts = clean()
    signer = replace(facts.sign_off, author=Login(login))
    found = CHECK.run(replace(facts, sign_off=signer, teams=teams, files=files(*paths)))
    assert (found.outcome, found.reason) == (outcome, said)


@pytest.mark.parametrize(("login", "outcome"), [("ann", Outcome.PASS), ("zed", Outcome.FAIL)])
def test_files_without_an_owner_ask_for_any_owner(login: str, outcome: Outcome) -> None:
    facts = replace(clean(), rules=parse_codeowners(b"/free/\n/x @ann\n"), files=files("free/a"))
    found = CHECK.run(replace(facts, sign_off=replace(facts.sign_off, author=Login(login))))
    assert found.outcome is outcome


def test_both_names_of_a_renamed_file_count() -> None:
    found = CHECK.run(replace(clean(), files=(ChangedFile("configs/a", "docs/a"),)))
    assert found.outcome is Outcome.FAIL


def test_the_line_that_decides_is_the_evidence() -> None:
    (evidence,) = CHECK.run(replace(clean(), files=files("configs/a"))).evidence
    assert (evidence.where, evidence.here, evidence.there) == ("CODEOWNERS:2", "@ann", "@ann @bob @acme/gpu")


@pytest.mark.parametrize("fact", ["files", "rules"])
def test_without_its_facts_it_says_so(fact: str) -> None:
    found = CHECK.run(replace(clean(), **{fact: NOT_READ}))
    assert (found.outcome, found.reason) == (Outcome.UNDECIDED, "look yourself: it was not read")
