"""A comment as its reader sees it: paragraphs, headings and list items, apart from code, quotes and HTML.

The blocks of GitHub's Markdown (https://github.github.com/gfm/), as far as somebody who looks for words needs them.
Who only wants the lines in which a person speaks takes `spoken_lines`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gatekit.formats.markdown_inline import masked
from gatekit.formats.prose_lines import (
    Fence,
    Lazy,
    columns,
    dedented,
    fence_of,
    html_end,
    interrupts,
    is_break,
    is_heading,
    item_of,
)

__all__ = ["Block", "Kind", "SpokenLine", "blocks", "spoken_lines", "walk"]

DEEPEST = 12  # lists in lists; what is deeper is read as plain lines
CODE_INDENT = 4  # columns


class Kind(StrEnum):
    PARAGRAPH = "paragraph"
    HEADING = "heading"
    ITEM = "item"  # of a list; what it holds is in `inner`
    CODE = "code"
    QUOTE = "quote"
    HTML = "html"


@dataclass(frozen=True, slots=True)
class Block:
    """`text` has the block's lines as written, without the indent of the lists around it; "" for an item."""

    kind: Kind
    line: int  # of the comment, from 1
    text: str
    inner: tuple["Block", ...] = ()
    marker: str = ""  # of an item, e.g. `-`


@dataclass(frozen=True, slots=True)
class SpokenLine:
    number: int  # in the comment, from 1
    text: str  # without blanks around it; a list's marker stays; pieces of code, HTML and links are one sign each


_Line = tuple[int, str]


def blocks(body: str) -> tuple[Block, ...]:
    """The blocks of a comment, in order."""
    lines = body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return tuple(_Reader(list(enumerate(lines, 1)), 0).read())


def walk(found: Sequence[Block]) -> Iterator[Block]:
    """Every block, those inside items behind their item. Code, quotes and HTML are blocks of their own."""
    for block in found:
        yield block
        yield from walk(block.inner)


def spoken_lines(body: str) -> tuple[SpokenLine, ...]:
    """The lines of a comment in which its author speaks: of paragraphs, headings and lists."""
    return tuple(_spoken(blocks(body), ""))


def _spoken(found: Sequence[Block], marker: str) -> Iterator[SpokenLine]:
    for position, block in enumerate(found):
        first = marker if position == 0 else ""
        if block.kind is Kind.ITEM:
            yield from _spoken(block.inner, f"{first}{block.marker} ")
        elif block.kind in (Kind.PARAGRAPH, Kind.HEADING):
            for offset, line in enumerate(masked(block.text).split("\n")):
                yield SpokenLine(block.line + offset, f"{first}{line.strip()}" if offset == 0 else line.strip())


class _Reader:
    """Reads the lines of one container: the comment, or an item of a list."""

    def __init__(self, lines: list[_Line], depth: int) -> None:
        self._lines = lines
        self._depth = depth
        self._at = 0

    def read(self) -> Iterator[Block]:
        while self._at < len(self._lines):
            line = self._lines[self._at][1]
            if not line.strip() or is_break(line):
                self._at += 1
            else:
                yield self._block(line)

    def _block(self, line: str) -> Block:
        if columns(line) >= CODE_INDENT:
            return self._indented()
        fence = fence_of(line)
        if fence is not None:
            return self._fenced(fence)
        if line.lstrip().startswith(">"):
            return self._quote()
        end = html_end(line)
        if end is not None:
            return self._html(end)
        if is_heading(line):
            return self._taken(Kind.HEADING, 1)
        if item_of(line) is not None and self._depth < DEEPEST:
            return self._item()
        return self._paragraph()

    def _taken(self, kind: Kind, count: int, indent: int = 0) -> Block:
        part = self._lines[self._at : self._at + count]
        self._at += count
        return Block(kind, part[0][0], "\n".join(dedented(text, indent) for _, text in part))

    def _texts(self) -> Iterator[tuple[int, str]]:
        """The lines behind the present one, with how many came before each."""
        for count in range(1, len(self._lines) - self._at):
            yield count, self._lines[self._at + count][1]

    def _indented(self) -> Block:
        end = 1
        for count, text in self._texts():
            if text.strip() and columns(text) < CODE_INDENT:
                break
            end = count + 1 if text.strip() else end
        return self._taken(Kind.CODE, end, CODE_INDENT)

    def _fenced(self, fence: Fence) -> Block:
        for count, text in self._texts():
            if fence.closed_by(text):
                return self._taken(Kind.CODE, count + 1)
        return self._taken(Kind.CODE, len(self._lines) - self._at)

    def _quote(self) -> Block:
        """A line without `>` behind a quoted paragraph still belongs to it."""
        lazy = Lazy(self._lines[self._at][1].lstrip()[1:])
        for count, text in self._texts():
            if columns(text) < CODE_INDENT and text.lstrip().startswith(">"):
                lazy.take(text.lstrip()[1:])
            elif not lazy.goes_on(text):
                return self._taken(Kind.QUOTE, count)
        return self._taken(Kind.QUOTE, len(self._lines) - self._at)

    def _html(self, end: str) -> Block:
        """`end` is what closes it, on the same line or a later one; "" for an empty line."""
        for count in range(len(self._lines) - self._at):
            text = self._lines[self._at + count][1]
            if end and end in text.lower():
                return self._taken(Kind.HTML, count + 1)
            if not end and not text.strip():
                return self._taken(Kind.HTML, count)
        return self._taken(Kind.HTML, len(self._lines) - self._at)

    def _item(self) -> Block:
        number, line = self._lines[self._at]
        item = item_of(line)
        assert item is not None
        lines = [(number, item.text)]
        lazy, blank = Lazy(item.text), not item.text.strip()
        for _, text in self._texts():
            number += 1
            if not text.strip():
                if blank and len(lines) == 1:
                    break
                blank = True
            elif columns(text) >= item.offset:
                text, blank = dedented(text, item.offset), False
                lazy.take(text)
            elif blank or not lazy.goes_on(text):
                break
            lines.append((number, text))
        self._at += len(lines)
        return Block(Kind.ITEM, lines[0][0], "", tuple(_Reader(lines, self._depth + 1).read()), item.marker)

    def _paragraph(self) -> Block:
        for count, text in self._texts():
            if not text.strip() or interrupts(text):
                return self._taken(Kind.PARAGRAPH, count)
        return self._taken(Kind.PARAGRAPH, len(self._lines) - self._at)
