"""What each item of a checklist becomes in somebody's sign-off."""

import pytest

from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.checklist.form import Form, FormItem
from gatekit.signoff.checklist.items import Doubts, Item, ItemState, item_states
from gatekit.signoff.checklist.matching import match_items, words
from gatekit.signoff.checklist.template import template_form
from gatekit.signoff.checklist.topics import Topic, topic_of
from gatekit.signoff.edits import ticked
from tests.shared import shared
from tests.worlds.signoff.checklist import ITEMS, form, open_box, page

TEMPLATE = template_form(page(), "list.md")
WHY = "- No sweep was run, because only a document is changed."
TICKED, OPEN, MISSING, MALFORMED = ItemState.TICKED, ItemState.OPEN, ItemState.MISSING, ItemState.MALFORMED
EXPLAINED, NOT_APPLICABLE = ItemState.EXPLAINED, ItemState.NOT_APPLICABLE


def states(body: str, doubts: Doubts | None = None) -> dict[str, Item]:
    return {item.label: item for item in item_states(TEMPLATE, CommentText(body).form, doubts)}


def test_a_form_that_is_filled_in() -> None:
    found = states(form())
    assert list(found) == list(ITEMS)
    assert {item.state for item in found.values()} == {TICKED}
    assert all(item.sure and item.said is None for item in found.values())
    assert [item.topic for item in found.values()] == list(Topic)


def test_a_form_that_is_not() -> None:
    empty = form({label: f"[ ] {text}" for label, text in ITEMS.items()})
    assert {label: item.state for label, item in states(empty).items()} == {
        **dict.fromkeys(ITEMS, OPEN),
        "15": NOT_APPLICABLE,
    }


@pytest.mark.parametrize(
    ("line", "details", "state", "said"),
    [
        ("[X] {}", "", TICKED, None),
        ("[x] {} https://github.com/o/r/actions/runs/1", "", TICKED, None),
        ("[x] {} [the run](https://github.com/o/r/actions/runs/1)", "", TICKED, None),
        ("[x] **{}**", "", TICKED, None),
        ("[x] {}\n  - see https://example.org", "", TICKED, None),
        ("[x] {} (checked twice, by two people, on two days, each with another browser)", "", TICKED, None),
        ("[x] This change has passed PR validation", "", TICKED, None),  # shortened
        ("[ ] {}", "", OPEN, None),
        ("[] {}", "", MALFORMED, None),
        ("[ x] {}", "", MALFORMED, None),
        ("[x]{}", "", MALFORMED, None),
        ("[v] {}", "", MALFORMED, None),
        ("", "", MISSING, None),
        ("{}", "", MISSING, None),
        ("[ ] {}", WHY, EXPLAINED, WHY[2:]),
        ("[] {}", WHY, EXPLAINED, WHY[2:]),
        ("", WHY, MISSING, None),
        ("[ ] {}", "- write here what the boxes ask for", OPEN, None),
        ("[ ] {}", "- recipe: https://recipes.vllm.ai/x", OPEN, None),
        ("[ ] {}", "- validation and evals: https://github.com/o/r/actions/runs/1", OPEN, None),
        ("[ ] {}", "- not needed", OPEN, None),
        ("[ ] {}", "- draft: the embedded head, as it is stored", OPEN, None),  # about another item
        ("[ ] {}", "- sweep: the cluster is down today", EXPLAINED, "sweep: the cluster is down today"),
        ("[ ] {}", "items 3 and 4: nothing was measured", EXPLAINED, "items 3 and 4: nothing was measured"),
        ("[ ] {}", "Boxes 2, 4: nothing was measured", OPEN, None),
        ("[ ] {}", "see item 99 of the other list", EXPLAINED, "see item 99 of the other list"),
        ("[ ] {} **N/A — only a document**", "", NOT_APPLICABLE, "only a document"),
        ("[ ] {} Only a document: N/A", "", NOT_APPLICABLE, "Only a document"),
        ("[] {} not applicable, documents only", "", NOT_APPLICABLE, "documents only"),
        (
            "[x] Doesn't apply to documents ({})",
            "",
            NOT_APPLICABLE,
            "to documents (This change has passed PR validation, and the run is linked here",
        ),
        ("[x] This is not agentic workload ({})", "", NOT_APPLICABLE, "This is not agentic workload"),
        ("[ ] {} N/A", "", OPEN, "it says not applicable, and gives no reason"),
        ("[x] Doesn't apply ({})", "", TICKED, "it says not applicable, and gives no reason"),
        ("[ ] {} N/A", WHY, EXPLAINED, WHY[2:]),
    ],
)
def test_one_box(line: str, details: str, state: ItemState, said: str | None) -> None:
    body = form({"3": line.format(ITEMS["3"])}, details)
    found = states(body)
    assert (found["3"].state, found["3"].said, found["3"].sure) == (state, said, True)
    assert {item.state for label, item in found.items() if label != "3"} == {TICKED}


def test_a_box_that_is_its_own_way_of_saying_not_applicable_must_say_it_more_often_than_the_template() -> None:
    assert states(form(open_box("16")))["16"].state is OPEN
    assert states(form(open_box("16", "N/A: no curve is in this change")))["16"].state is NOT_APPLICABLE


def test_lines_without_a_list_are_no_boxes_to_github() -> None:
    body = "\n".join(line.removeprefix("- ") for line in form().split("\n"))
    assert states(body)["2"].state is MALFORMED
    body = "\n".join(line.replace("- [", "-[") for line in form().split("\n"))
    assert states(body)["2"].state is MALFORMED


@pytest.mark.parametrize(
    ("boxes", "nested"),
    [
        (open_box("12a"), OPEN),  # ticking the one above is not enough
        ({**open_box("12", "N/A: this change has no recipe"), **open_box("12a")}, NOT_APPLICABLE),
        ({"12": ""}, TICKED),
        ({"12a": ""}, MISSING),
    ],
)
def test_the_nested_box(boxes: dict[str, str], nested: ItemState) -> None:
    assert states(form(boxes))["12a"].state is nested


def test_what_nothing_falls_under_may_stay_open() -> None:
    body = form({**open_box("7"), **open_box("14")})
    found = states(body, Doubts(moot=frozenset({Topic.GOLDEN})))
    assert (found["7"].state, found["14"].state) == (NOT_APPLICABLE, OPEN)


def test_a_box_that_somebody_else_ticked_is_open() -> None:
    before, after = form(open_box("4")), form()
    doubts = Doubts(not_theirs=ticked(CommentText(after)) - ticked(CommentText(before)))
    found = states(after, doubts)
    assert (found["4"].state, found["4"].said) == (OPEN, "somebody else's edit ticked it")
    assert {item.state for label, item in found.items() if label != "4"} == {TICKED}


def test_of_two_copies_the_one_that_is_open_counts() -> None:
    twice = form(open_box("4")) + "\n\n" + form()
    assert states(twice)["4"].state is OPEN


@pytest.mark.parametrize(
    ("text", "state", "sure"),
    [
        ("For agentic workloads, acceptance follows the golden value of model, mode and length.", TICKED, True),
        ("Agentic acceptance is golden.", TICKED, True),  # shortened: all of its words are the item's
        ("For agentic workloads, we simulate acceptance at golden numbers of mode, draft and length.", TICKED, False),
        ("For agentic workloads, golden numbers of mode and length hold here.", MISSING, True),  # 0.42 alike
        ("Agentic numbers are golden enough.", MISSING, True),
        ("Agentic.", MISSING, True),
    ],
)
def test_an_item_that_was_rewritten(text: str, state: ItemState, sure: bool) -> None:
    found = states(form({"7": f"[x] {text}"}))["7"]
    assert (found.state, found.sure) == (state, sure)


def test_text_that_is_quoted_hidden_or_code_ticks_nothing() -> None:
    hidden = form().split("\n", 1)[1]
    for body in (
        f"{form({'4': ''})}\n\n```\n{hidden}\n```",
        f"{form({'4': ''})}\n\n<!--\n{hidden}\n-->",
        f"{form({'4': ''})}\n\n" + "\n".join(f"> {line}" for line in hidden.split("\n")),
    ):
        assert states(body)["4"].state is MISSING


@pytest.mark.parametrize(
    ("tail", "details", "signed"),
    [
        ("### Additional detail section:\n- one\n  two\n\nthree\n\nSigned: `ann`", ["one", "two", "three"], "ann"),
        ("**Additional detail section:**\none\nSigned: @ann", ["one"], "ann"),
        ("Additional details: one\n\nSigned: ann", ["one"], "ann"),
        ("### Additional detail section\n```\none\n```", ["```", "one", "```"], None),
        ("Signed: `ann`", [], "ann"),
        ("one\n\nSigned: `ann`", ["one"], "ann"),
    ],
)
def test_details_and_signature(tail: str, details: list[str], signed: str | None) -> None:
    found = CommentText(f"Hello\n\n{form().split(chr(10) + chr(10))[0]}\n\n{tail}").form
    assert ([line.text for line in found.details], found.signed) == (details, signed)


REVISIONS = (
    *("2026-06-22_9e19367cf", "2026-06-22_fe97916ff", "2026-06-23_e788604cb", "2026-06-23_f0a3ea742"),
    *("2026-07-03_43e25a407", "2026-07-03_cfb2bbb64", "2026-07-04_6b40bda8e"),
    *("2026-07-10_5c0a32297", "2026-07-10_7abe6612a", "2026-08-03_b4be78a29", "2026-08-14_35d731a9e"),
)
BOXES = (6, 6, 8, 7, 10, 10, 10, 13, 12, 14, 15)


def revision(name: str) -> Form:
    path = shared(f"data/checklist/{name}.md")
    return template_form(path.read_text(), path.name)


@pytest.mark.parametrize(("name", "boxes"), list(zip(REVISIONS, BOXES, strict=True)))
def test_every_item_of_a_real_template_that_is_left_out_is_named_and_no_other(name: str, boxes: int) -> None:
    items = revision(name).items
    assert len(items) == boxes
    assert all(topic_of(item.text) is not None for item in items)
    assert len({topic_of(item.text) for item in items}) == boxes
    for left_out in range(boxes):
        found = match_items(items, [item for at, item in enumerate(items) if at != left_out])
        assert [at for at, match in enumerate(found) if match.found is None] == [left_out]
        assert all(match.sure and words(match.found.text) == words(match.item.text) for match in found if match.found)


def without(template: Form, *topics: Topic) -> Form:
    items: tuple[FormItem, ...] = tuple(item for item in template.items if topic_of(item.text) not in topics)
    return Form(items, template.details, template.signed)


@pytest.mark.parametrize(
    ("number", "name", "expected"),
    [
        ("01", "2026-06-23_e788604cb", {"5": MISSING, "6": MISSING, "7": OPEN}),
        ("02", "2026-06-23_e788604cb", {"5": MISSING, "6": MISSING, "7": OPEN}),
        ("03", "2026-06-23_e788604cb", {"7": EXPLAINED}),
        ("04", "2026-07-04_6b40bda8e", {}),
        ("05", "2026-08-03_b4be78a29", {"6": NOT_APPLICABLE}),
        ("06", "2026-08-14_35d731a9e", {}),
        (
            "07",
            "2026-08-14_35d731a9e",
            dict.fromkeys(("3", "4", "5", "6", "7", "8", "9", "10", "11", "11a", "12", "13"), NOT_APPLICABLE),
        ),
        ("08", "2026-08-03_b4be78a29", dict.fromkeys(("3", "4", "11", "11a"), OPEN)),
        (
            "09",
            "2026-08-03_b4be78a29",
            {
                **dict.fromkeys(("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "10a", "11"), OPEN),
                "12": NOT_APPLICABLE,
            },
        ),
    ],
)
def test_the_items_of_the_real_sign_offs(number: str, name: str, expected: dict[str, ItemState]) -> None:
    """05 and 09 were made from a revision of July that had every item of August but the one on deprecation."""
    template = revision(name) if number not in ("05", "09") else without(revision(name), Topic.DEPRECATED)
    found = item_states(template, CommentText(shared(f"data/signoffs/full/{number}.md").read_text()).form)
    assert {item.label: item.state for item in found if item.state is not TICKED} == expected
    assert all(item.sure for item in found)
