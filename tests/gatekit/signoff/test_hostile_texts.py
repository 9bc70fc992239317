"""Texts of strangers, as long as GitHub and the repository allow, made so that they would take long."""

import time
from datetime import UTC, datetime

import pytest

from gatekit.signoff.change.knobs import recipe_knobs, script_knobs
from gatekit.signoff.change.scripts import live_lines
from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.checklist.items import explanations, item_states
from gatekit.signoff.checklist.phrase import HALF, PHRASE
from gatekit.signoff.checklist.template import template_form
from gatekit.signoff.checks.check_03_recipe import compare, speaks_of
from gatekit.signoff.checks.check_10_patches import lacking, signs
from gatekit.signoff.evidence.description import Description
from gatekit.signoff.evidence.upstream import links, recipe_links, strays
from tests.worlds.signoff.checklist import page

NOW = datetime(2026, 10, 5, tzinfo=UTC)
TEMPLATE = template_form(page(), "list.md")
PIECES = (
    *(
        "a",
        "a/",
        "a.",
        "a-fp4-",
        "a:",
        "-",
        "--a",
        "--a=",
        "A=",
        "A_B",
        "o",
        "gpt",
        "claude ",
        "[",
        "](",
        "`",
        "<",
        "(",
        "#",
    ),
    *(
        "- [x] a\n",
        "- [x] evals, runs, numbers\n",
        "N/A ",
        "item 3, ",
        "/use 1\n",
        f"{PHRASE}\n",
        "AI ",
        "https://a",
        "'",
        '"',
    ),
    *("$A", "${A", "A=$A$A\n", "pip install ", "sed -", "patch -", "git ", "\\", " ", "\t", "x" * 50 + "\n"),
)


def comment(text: str) -> CommentText:
    """With all that is in it."""
    found = CommentText(text)
    assert (found.commands, found.opening, found.form) is not None
    return found


def described(text: str) -> Description:
    found = Description(text, NOW, NOW)
    assert (found.claims, found.disclosure) is not None
    return found


@pytest.mark.parametrize("piece", PIECES)
def test_no_comment_takes_long(piece: str) -> None:
    for head in (f"{PHRASE}\n", "## AI model disclosure\n### Additional detail section:\n"):
        text = head + piece * (40_000 // len(piece))
        began = time.process_time()
        form = comment(text).form
        item_states(TEMPLATE, form)
        explanations(TEMPLATE, form)
        for read in (comment, links, described, recipe_links, strays, lacking):
            read(text)
        assert time.process_time() - began < 20  # it takes less than one; with the square of the length, minutes


@pytest.mark.parametrize("piece", PIECES)
def test_no_file_takes_long(piece: str) -> None:
    text = piece * (60_000 // len(piece))
    began = time.process_time()
    list(signs("a.sh", text.encode()))
    list(script_knobs(live_lines(text.encode())))
    list(recipe_knobs({"command": text, "args": [text], "speculative-config": text}))
    compare((), text)
    speaks_of(text, text)
    assert time.process_time() - began < 20


@pytest.mark.parametrize(
    ("begin", "piece", "end"),
    [
        ("Signed: ", "_", "!"),
        ("[", " ", "x"),
        (f"```\n{HALF}", "\n    ", "```"),
        ("https://a", ")", ""),
        ("<", "fill", ""),
    ],
)
def test_no_middle_of_a_text_takes_long(begin: str, piece: str, end: str) -> None:
    text = f"{begin}{piece * (200_000 // len(piece))}{end}"  # with the square of the length, at least ten seconds
    began = time.process_time()
    for read in (comment, links, lacking):
        read(text)
    assert time.process_time() - began < 5


def test_a_line_that_is_too_long_to_read_is_for_a_person() -> None:
    (sign,) = signs("a.sh", b"git apply " * 1_000)
    assert sign.what == "a very long line"
