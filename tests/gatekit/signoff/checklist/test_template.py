"""The form on the checklist's page, and the revision of it that counts."""

from datetime import UTC, datetime

import pytest

from gatekit.domain.errors import BadInput
from gatekit.domain.ids import Sha
from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.checklist.form import Box
from gatekit.signoff.checklist.items import item_states
from gatekit.signoff.checklist.phrase import PHRASE
from gatekit.signoff.checklist.template import Revision, current_at, template_form
from tests.worlds.signoff.checklist import ITEMS, page

BOXES = "- [ ] One of the boxes\n  - [ ] A nested one\n- [ ] Another of the boxes\n"


@pytest.mark.parametrize(
    "text",
    [
        f"## Template\n{PHRASE}\n{BOXES}\n## Example\n- [ ] no\n",
        f"## Template\n```\n{PHRASE}\n{BOXES}```\n\n## Example\n- [ ] no\n",
        f"## Template\n~~~~markdown\n{PHRASE}\n{BOXES}~~~~\n",
        f"# Title\n- [ ] no\n\n##  template ##\n\n{PHRASE}\n\n{BOXES}",
        f"## Template\n\nCopy this:\n```\n{PHRASE}\n{BOXES}```\n# Other\n- [ ] no\n",
        f"## Template\n{PHRASE}\n{BOXES}".replace("\n", "\r\n"),
    ],
)
def test_the_form_is_under_its_heading_with_a_fence_or_without(text: str) -> None:
    found = template_form(text, "list.md")
    assert [(item.text, item.nested, item.box) for item in found.items] == [
        ("One of the boxes", False, Box.OPEN),
        ("A nested one", True, Box.OPEN),
        ("Another of the boxes", False, Box.OPEN),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "list.md: has no section `## Template`; give the page of the checklist"),
        (f"{PHRASE}\n{BOXES}", "list.md: has no section `## Template`; give the page of the checklist"),
        (f"```\n## Template\n```\n{BOXES}", "list.md: has no section `## Template`"),
        (f"# A\n## Template\n{PHRASE}\n", "list.md:2: has no boxes in its section `## Template`; write `- [ ]` lines"),
        (f"## Template\n{PHRASE}\n## B\n{BOXES}", "list.md:1: has no boxes in its section"),
    ],
)
def test_a_page_without_a_form_is_refused(text: str, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        template_form(text, "list.md")
    assert str(refused.value).startswith(said)


def test_the_page_of_our_own() -> None:
    found = template_form(page(), "list.md")
    assert len(found.items) == len(ITEMS)
    assert [line.text for line in found.details] == ["write here what the boxes ask for"]
    assert found.signed == "YOUR_NAME"


def revision(day: int) -> Revision:
    return Revision(Sha(f"{day:040}"), datetime(2026, 8, day, 12, tzinfo=UTC), template_form(page(), "list.md"))


@pytest.mark.parametrize(
    ("edited", "current", "newer"),
    [
        (datetime(2026, 8, 2, tzinfo=UTC), 1, [3, 5]),
        (datetime(2026, 8, 3, 12, tzinfo=UTC), 3, [5]),
        (datetime(2026, 9, 1, tzinfo=UTC), 5, []),
        (datetime(2026, 7, 1, tzinfo=UTC), None, []),
    ],
)
def test_the_revision_that_was_current_when_the_sign_off_was_edited(
    edited: datetime, current: int | None, newer: list[int]
) -> None:
    found = current_at([revision(5), revision(1), revision(3)], edited)
    assert (found is None) is (current is None)
    if found is not None:
        assert (found.revision.at.day, [each.at.day for each in found.newer]) == (current, newer)
        assert [each.at.day for each in found.older] == [day for day in (1, 3, 5) if day < found.revision.at.day]


def test_a_comment_full_of_boxes_takes_no_time() -> None:
    template = template_form(page(), "list.md")
    body = f"{PHRASE}\n" + "- [x] The code quality is at least what it was, or it passes evals.\n" * 900
    assert len(item_states(template, CommentText(body).form)) == len(ITEMS)
