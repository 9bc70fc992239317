"""The opening phrase of a sign-off, and what comes close to it."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

from gatekit.formats.markdown import Block, BlockKind, walk
from gatekit.formats.markdown_inline import masked

PHRASE = "As a PR reviewer and CODEOWNER, I have reviewed this and have:"
HALF = "As a PR reviewer and CODEOWNER"

_COMMAND = re.compile(r"/[a-z][a-z-]*(?:[ \t].*)?")  # a line of its own: what follows it begins anew
_BOX = re.compile(r"^[ \t]*[-*+][ \t]*\[[ xX]?\]", re.MULTILINE)
_HALF = re.compile(r"\s+".join(HALF.casefold().split()))
_MARKUP = "*_# "  # around a phrase that somebody made bold, or a heading


class Opening(StrEnum):
    WHOLE = "whole"
    HALF = "half"  # only the beginning of the phrase
    CASE = "case"  # in other capital or small letters
    CODE = "code"  # inside code, with boxes
    INSIDE = "inside"  # not at the start of a paragraph: marked up, in a list, or behind other words
    NONE = "none"


def may_open(body: str) -> bool:
    """Whether a comment is worth reading for a sign-off at all: quick, and never no where `opening` finds any."""
    return _HALF.search(body.casefold()) is not None


def opening(found: Sequence[Block]) -> Opening:
    """How a comment opens a sign-off, by its blocks. The phrase counts at the start of a paragraph; blanks and line
    breaks are one.

    Quotes, HTML, links and code inside a sentence are never looked at.
    """
    starts = [start for block in found if block.kind is BlockKind.PARAGRAPH for start in _starts(block)]
    if any(start.startswith(PHRASE) for start in starts):
        return Opening.WHOLE
    for start in starts:
        if start.casefold().startswith(PHRASE.casefold()):
            return Opening.CASE
        if start.casefold().startswith(HALF.casefold()):
            return Opening.HALF
    if any(block.kind is BlockKind.CODE and _is_form(block.text) for block in walk(found)):
        return Opening.CODE
    return Opening.INSIDE if _inside(found) else Opening.NONE


def _starts(block: Block) -> Iterator[str]:
    """What a paragraph begins with, and what stands behind a line with a command in it; blanks and breaks are one."""
    lines = masked(block.text).split("\n")
    for position in range(len(lines)):
        if position == 0 or _COMMAND.fullmatch(lines[position - 1].strip()):
            yield _one_line(" ".join(lines[position : position + len(PHRASE.split())]))


def _is_form(code: str) -> bool:
    return HALF.casefold() in _one_line(code).casefold() and _BOX.search(code) is not None


def _inside(found: Sequence[Block]) -> bool:
    """The phrase at the start of another line, where the comment has boxes."""
    spoken = [block for block in walk(found) if block.kind in (BlockKind.PARAGRAPH, BlockKind.HEADING)]
    if not any(block.kind is BlockKind.ITEM and _is_box(block) for block in walk(found)):
        return False
    lines = (line.strip(_MARKUP) for block in spoken for line in masked(block.text).split("\n"))
    return any(_one_line(line).casefold().startswith(HALF.casefold()) for line in lines)


def _is_box(item: Block) -> bool:
    return bool(item.inner) and re.match(r"\[[ xX]?\]", item.inner[0].text) is not None


def _one_line(text: str) -> str:
    return " ".join(text.split())
