"""The text of a comment: read once, and only where something may be in it."""

from hypothesis import given
from hypothesis import strategies as st

from gatekit.commands import Who
from gatekit.formats.markdown import blocks
from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.checklist.phrase import HALF, PHRASE, Opening, may_open, opening
from tests.worlds.signoff.checklist import form

PIECES = (
    *PHRASE.split(),
    PHRASE,
    HALF,
    PHRASE.lower(),
    "CODEOWNER",
    " ",
    "\n",
    "\t",
    "- [x] a\n",
    "> ",
    "```\n",
    "    ",
)


def test_a_comment_is_read_once_for_all_that_is_in_it() -> None:
    text = CommentText(f"/signoff who\n{form()}")
    assert text.commands == (Who(),)
    assert text.opening is Opening.WHOLE
    assert len(text.form.items) == 17
    assert text.form is text.form
    assert text == CommentText(text.text)  # whatever was read of it by now


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_what_is_passed_over_unread_opens_nothing(text: str) -> None:
    assert may_open(text) or opening(blocks(text)) is Opening.NONE
