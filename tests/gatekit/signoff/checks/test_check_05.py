"""Check 5: the latest template, with nothing missing and nothing open."""

from dataclasses import replace

import pytest

from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.checklist.template import Current
from gatekit.signoff.checks.check import Evidence, Outcome
from gatekit.signoff.checks.check_05_template import CHECK
from gatekit.signoff.checks.facts import NOT_READ, Facts
from gatekit.signoff.edits import ticked
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG, config, entry, row
from tests.worlds.signoff.checklist import ITEMS, form, open_box, page
from tests.worlds.signoff.signed import change, clean, revision, sign_off, signed

FINE = "every item is there, as in the template of 2026-10-01"
WHY = "- nothing was measured, because the cluster is down"
PLAIN = change({CONFIG: config(row("[4, 8]", spec="none"))}, {CONFIG: config(row("[4]", spec="none"))})


@pytest.mark.parametrize(
    ("boxes", "details", "outcome", "said"),
    [
        ({}, "", Outcome.PASS, FINE),
        (open_box("3"), WHY, Outcome.PASS, f"{FINE}; explained by the reviewer: 3 (validation run)"),
        (open_box("15"), "", Outcome.PASS, FINE),
        (open_box("14"), "", Outcome.PASS, FINE),  # no entry is append-only
        (open_box("9", "N/A, only numbers are added"), "", Outcome.PASS, FINE),
        (open_box("7"), "", Outcome.FAIL, "open, and the details do not say why: 7 (golden acceptance length)"),
        ({"4": ""}, WHY, Outcome.FAIL, "not in the sign-off: 4 (evals)"),
        (
            {"4": f"[] {ITEMS['4']}"},
            "",
            Outcome.FAIL,
            "no box that GitHub shows, write `- [x]`: 4 (evals)",
        ),
        (
            {"2": "", "3": "", **open_box("4"), **open_box("5"), **open_box("8"), **open_box("9"), **open_box("10")},
            "",
            Outcome.FAIL,
            "not in the sign-off: 2 (code quality), 3 (validation run); open, and the details do not say why: "
            "4 (evals), 5 (chat template), 8 (nothing deprecated), 9 (architecture) and 1 more",
        ),
        (
            {"7": "[x] For agentic workloads, we simulate acceptance at golden numbers of mode, draft and length."},
            "",
            Outcome.UNDECIDED,
            "rewritten, so that they may be other items; use the template's words: 7 (golden acceptance length)",
        ),
    ],
)
def test_the_boxes(boxes: dict[str, str], details: str, outcome: Outcome, said: str) -> None:
    found = CHECK.run(signed(form(boxes, details)))
    assert (found.outcome, found.reason) == (outcome, said)


def test_what_nothing_falls_under_may_stay_open() -> None:
    facts = replace(signed(form({**open_box("5"), **open_box("6"), **open_box("7")})), change=PLAIN)
    assert CHECK.run(facts).outcome is Outcome.PASS
    found = CHECK.run(replace(facts, change=NOT_READ))
    assert (found.outcome, found.reason) == (Outcome.UNDECIDED, "look yourself: it was not read")
    assert CHECK.run(replace(signed(form({**open_box("5"), "2": ""})), change=NOT_READ)).outcome is Outcome.FAIL


def test_an_append_only_entry_needs_its_box() -> None:
    appended = change({CHANGELOG: f"{entry()}{entry()}  append-only: true\n"})
    found = CHECK.run(replace(signed(form(open_box("14"))), change=appended))
    assert (found.outcome, found.reason) == (
        Outcome.FAIL,
        "open, and the details do not say why: 14 (append-only)",
    )


def test_a_box_that_another_ticked_is_open() -> None:
    facts = signed(form())
    doubted = replace(facts.sign_off, not_theirs=ticked(CommentText(form())) - ticked(CommentText(form(open_box("8")))))
    assert CHECK.run(replace(facts, sign_off=doubted)).outcome is Outcome.FAIL


def older() -> str:
    """The page before the item on pareto points came."""
    return page().replace(f"- [ ] {ITEMS['16']}\n", "")


def test_a_copy_of_an_earlier_template_is_called_so() -> None:
    facts = replace(signed(form({"16": ""})), template=Current(revision(4), (), (revision(2, older()),)))
    found = CHECK.run(facts)
    assert (found.outcome, found.reason) == (
        Outcome.FAIL,
        "not in the sign-off: 16 (pareto points); this is the copy of 2026-10-02, copy today's",
    )


def test_a_template_that_was_superseded_since_is_named_and_fails_nobody() -> None:
    facts = replace(signed(form({"16": ""})), template=Current(revision(2, older()), (revision(4),), ()))
    found = CHECK.run(facts)
    assert (found.outcome, found.reason) == (
        Outcome.PASS,
        "every item is there, as in the template of 2026-10-02; superseded since by 0000000 of 2026-10-04",
    )
    assert Evidence("newer template", revision(4).sha, "2026-10-04", "+1 items") in found.evidence


@pytest.mark.parametrize(
    ("signed_by", "boxes", "note"),
    [
        ("YOUR_NAME", {}, "nobody's name stands behind `Signed:`"),
        ("bob", {}, "another name stands behind `Signed:`"),
        ("ANN", {}, "the box for reasons is ticked, and the details give none"),
        ("ann", open_box("15"), None),
    ],
)
def test_what_is_odd_is_noted(signed_by: str, boxes: dict[str, str], note: str | None) -> None:
    body = form(boxes, "- recipe: https://recipes.vllm.ai/x", signed_by)
    notes = [each.what for each in CHECK.run(signed(body)).evidence if not each.what.startswith(("item", "template"))]
    assert (note in notes) if note else notes == []


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        (replace(clean(), template=NOT_READ), "look yourself: it was not read"),
        (
            replace(clean(), template=None),
            "there was no template when this was signed: compare it with today's yourself",
        ),
    ],
)
def test_without_a_template_it_cannot_be_said(facts: Facts, said: str) -> None:
    found = CHECK.run(facts)
    assert (found.outcome, found.reason) == (Outcome.UNDECIDED, said)


def test_an_untouched_template_fails() -> None:
    empty = form({label: f"[ ] {text}" for label, text in ITEMS.items()})
    assert CHECK.run(replace(clean(), sign_off=sign_off(empty))).outcome is Outcome.FAIL
