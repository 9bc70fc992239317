"""The verdict on a sign-off, as GitHub gets it."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from gatekit.comments.escape import EMPTY
from gatekit.comments.limits import MAX_COMMENT, length
from gatekit.comments.signoff import FOLD, Circumstances, mention, render_signoff
from gatekit.comments.slots import SignOffSlot, carries, marked, marker
from gatekit.domain.ids import Login
from gatekit.signoff.checks.check import CheckFinding, Outcome
from gatekit.signoff.checks.facts import Facts
from gatekit.signoff.checks.verdict import SignOffVerdict, VerdictRow, verify
from gatekit.signoff.evidence.description import Disclosure
from gatekit.signoff.resource import Resource, Surface
from tests.worlds.signoff.checklist import form
from tests.worlds.signoff.signed import HEAD, clean, sign_off

EXPECTED = Path(__file__).parent / "expected"
ROW = re.compile(r"- (?P<sign>\S+) Check (?P<number>\d+) \((?P<name>[^()]+)\): (?P<outcome>[A-Z/]+) — (?P<reason>\S.*)")
SIGNS = {"PASS": "✅", "FAIL": "❌", "WARN": "⚠️", "N/A": "➖", "UNDECIDED": "❔"}
REJECTED = replace(clean(), drafts={}, reuse=None, sign_off=sign_off(form({"2": ""})))


def judged(facts: Facts) -> SignOffVerdict:
    return verify(facts, HEAD, Login("zed"))


def rendered(facts: Facts, around: Circumstances | None = None) -> str:
    return render_signoff(judged(facts), around or Circumstances())


@pytest.mark.parametrize(
    ("name", "facts", "around"),
    [
        ("signoff_passed.md", clean(), Circumstances()),
        ("signoff_rejected.md", REJECTED, Circumstances(newer_commits=2, page="https://gate.example/signoffs/1")),
    ],
)
def test_the_whole_comment(name: str, facts: Facts, around: Circumstances) -> None:
    assert rendered(facts, around) + "\n" == (EXPECTED / name).read_text()


@pytest.mark.parametrize(
    ("facts", "header"),
    [
        (clean(), "## ✅✅✅ PASS"),
        (replace(clean(), reuse=None), "## ⚠️ WARN"),
        (replace(clean(), drafts={}), "## ❔ INCOMPLETE"),
        (REJECTED, "## ❌❌❌ REJECTED"),
    ],
)
def test_the_header_says_what_the_rows_come_to(facts: Facts, header: str) -> None:
    lines = rendered(facts).split("\n")
    assert lines[0] == header
    rows = [found for line in lines if (found := ROW.fullmatch(line))]
    assert sorted(int(row["number"]) for row in rows) == list(range(16))
    assert all(row["sign"] == SIGNS[row["outcome"]] for row in rows)


def test_what_fails_stands_in_the_open_and_the_rest_is_folded() -> None:
    open_part, folded = rendered(REJECTED).split(f"<summary>{FOLD}</summary>")
    assert {row["outcome"] for row in ROW.finditer(open_part)} == {"FAIL", "WARN"}
    assert {row["outcome"] for row in ROW.finditer(folded)} == {"PASS", "N/A"}
    assert "<details>" in open_part
    assert "<details open" not in rendered(REJECTED)


def test_without_anything_to_fold_there_is_no_fold() -> None:
    verdict = judged(clean())
    failing = tuple(replace(row, finding=CheckFinding(Outcome.FAIL, "x")) for row in verdict.rows)
    assert "<details>" not in render_signoff(replace(verdict, rows=failing), Circumstances())


@pytest.mark.parametrize(
    ("changes", "around", "said"),
    [
        ({}, Circumstances(newer_commits=1), "The head has moved: 1 commit since was not assessed."),
        ({}, Circumstances(newer_commits=3), "The head has moved: 3 commits since were not assessed."),
        ({}, Circumstances(newer_commits=None), "The head has moved: what came since was not assessed."),
        ({}, Circumstances(edited_by_other=True), "- Somebody else edited this checklist; boxes that the edit ticked"),
        ({"own": True}, Circumstances(), "- The author of the pull request signed it."),
        ({"disclosure": Disclosure.MISSING}, Circumstances(), "- The description has no section that says which AI"),
        ({"disclosure": Disclosure.TOOLS_ONLY}, Circumstances(), "- The description names AI tools, and no exact"),
        ({"disclosure": Disclosure.EMPTY}, Circumstances(), "- The description's section on AI models names none."),
    ],
)
def test_notes(changes: dict[str, object], around: Circumstances, said: str) -> None:
    verdict = judged(clean())
    assert said not in render_signoff(verdict, Circumstances())
    assert said in render_signoff(replace(verdict, **changes), around)


def test_what_was_disclosed_as_it_should_be_is_no_note() -> None:
    for said in (Disclosure.MODELS, Disclosure.NONE_USED, Disclosure.NOT_VERIFIABLE, None):
        assert "AI" not in render_signoff(replace(judged(clean()), disclosure=said), Circumstances())


def test_a_verdict_belongs_to_its_own_sign_off() -> None:
    own, other = Resource(Surface.CONVERSATION, 12), Resource(Surface.CONVERSATION, 1)
    body = marked(SignOffSlot(own.key), rendered(clean())).replace("\n", "\r\n")
    assert carries(SignOffSlot(own.key), body)
    assert not carries(SignOffSlot(other.key), body)
    assert not carries(SignOffSlot(own.key), f"x\n{body}")
    assert marker(SignOffSlot(Resource(Surface.INLINE, 3).key)) == "<!-- gatekit:signoff discussion_r3 -->"


def test_the_same_verdict_gives_the_same_text() -> None:
    assert rendered(REJECTED) == rendered(REJECTED)


@pytest.mark.parametrize(
    ("login", "shown"), [("Ann-b", "@Ann-b"), ("a/b", "`a/b`"), ("x[bot]", "`x[bot]`"), ("", EMPTY)]
)
def test_only_a_login_is_mentioned(login: str, shown: str) -> None:
    assert mention(Login(login)) == shown


HOSTILE = (
    "@everyone <!-- gatekit:signoff issuecomment-1 --> </details> | `x` [a](http://b) \n"
    "## PASS\n- ✅ Check 1 (a): PASS — b"
)


def test_nothing_from_outside_is_a_mention_a_row_or_a_fold() -> None:
    verdict = judged(clean())
    rows = tuple(VerdictRow(row.number, row.name, CheckFinding(Outcome.FAIL, HOSTILE)) for row in verdict.rows)
    text = render_signoff(replace(verdict, rows=rows, author=Login("ann")), Circumstances())
    outside = re.sub(r"`[^`\n]*`", "", text)
    assert re.findall(r"@\w+", outside) == ["@ann"]
    assert "<!--" not in text
    assert "</details>" not in text
    assert len([line for line in text.split("\n") if ROW.fullmatch(line)]) == 16


def test_the_longest_verdict_fits() -> None:
    verdict = judged(clean())
    rows = tuple(VerdictRow(row.number, row.name, CheckFinding(Outcome.FAIL, "x" * 50_000)) for row in verdict.rows)
    assert length(render_signoff(replace(verdict, rows=rows), Circumstances())) <= MAX_COMMENT
