"""A comment as its reader sees it: paragraphs, headings and list items, apart from code, quotes and HTML.

markdown-it-py finds the blocks, by the rules of CommonMark. Who only wants the lines in which a person speaks takes
`spoken_lines`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from markdown_it import MarkdownIt, rules_block
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from gatekit.formats.markdown_inline import masked

DEEPEST = 12  # lists in lists; what is deeper is read as plain lines
QUOTES = 4  # in quotes; each reads all its lines, and those that go on below it, anew
CODE_INDENT = 4  # columns


class BlockKind(StrEnum):
    PARAGRAPH = "paragraph"
    HEADING = "heading"
    ITEM = "item"  # of a list; what it holds is in `inner`
    CODE = "code"
    QUOTE = "quote"
    HTML = "html"


@dataclass(frozen=True, slots=True)
class Block:
    """`text` has the block's lines as written, without the indent of the lists around it; "" for an item."""

    kind: BlockKind
    line: int  # of the comment, from 1
    text: str
    inner: tuple["Block", ...] = ()
    marker: str = ""  # of an item, e.g. `-`


@dataclass(frozen=True, slots=True)
class SpokenLine:
    number: int  # in the comment, from 1
    text: str  # without blanks around it; a list's marker stays; pieces of code, HTML and links are one sign each


def blocks(body: str) -> tuple[Block, ...]:
    """The blocks of a comment, in order."""
    return tuple(_read(iter(_READER.parse(body))))


def walk(found: Sequence[Block]) -> Iterator[Block]:
    """Every block, those inside items behind their item. Code, quotes and HTML are blocks of their own."""
    for block in found:
        yield block
        yield from walk(block.inner)


def spoken_lines(found: Sequence[Block]) -> tuple[SpokenLine, ...]:
    """The lines of a comment, by its blocks, in which its author speaks: of paragraphs, headings and lists."""
    return tuple(_spoken(found, ""))


def _spoken(found: Sequence[Block], marker: str) -> Iterator[SpokenLine]:
    for position, block in enumerate(found):
        first = marker if position == 0 else ""
        if block.kind is BlockKind.ITEM:
            yield from _spoken(block.inner, f"{first}{block.marker} ")
        elif block.kind in (BlockKind.PARAGRAPH, BlockKind.HEADING):
            for offset, line in enumerate(masked(block.text).split("\n")):
                yield SpokenLine(block.line + offset, f"{first}{line.strip()}" if offset == 0 else line.strip())


def _read(tokens: Iterator[Token]) -> Iterator[Block]:
    """Until the item that they stand in ends."""
    for token in tokens:
        if token.type == "list_item_close":
            return
        line = token.map[0] + 1 if token.map else 0
        if token.type == "list_item_open":
            yield Block(BlockKind.ITEM, line, "", tuple(_read(tokens)), token.info + token.markup)
        elif token.type in _KINDS:
            yield Block(_KINDS[token.type], line, token.content)


_KINDS = {kind.value: kind for kind in BlockKind}
_Rule: TypeAlias = Callable[[StateBlock, int, int, bool], bool]  # of markdown-it; the last: only say whether it begins


def _whole(rule: _Rule, kind: BlockKind, indent: int = 0) -> _Rule:
    """One token with the lines as written, instead of all that the rule finds in them."""

    def read(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        first = len(state.tokens)
        if not rule(state, start, end, silent):
            return False
        if not silent:
            del state.tokens[first:]
            token = state.push(kind.value, "", 0)
            token.map = [start, state.line]
            token.content = state.getLines(start, state.line, state.blkIndent + indent, False).rstrip()
        return True

    return read


def _bounded(rule: _Rule, name: str, deepest: int) -> _Rule:
    """At most so many in each other. `maxNesting` bounds them too, and drops the rest of the comment."""

    def read(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        if silent:
            return rule(state, start, end, True)
        around = state.env.setdefault(name, 0)
        if around == deepest:
            return False
        state.env[name] = around + 1
        found = rule(state, start, end, False)
        state.env[name] = around
        return found

    return read


def _reader() -> MarkdownIt:
    """Tables, headings by underlines and the definitions of links are paragraphs here.

    For each of the rules that are left, the time grows with the text alone, as long as nesting is bounded.
    """
    reader = MarkdownIt("commonmark", {"maxNesting": 2 * DEEPEST + QUOTES + 1})  # never reached; a list counts twice
    lists = _bounded(rules_block.list_block, "list", DEEPEST)
    quotes = _bounded(rules_block.blockquote, "blockquote", QUOTES)
    for name, rule, ends in (
        ("code", _whole(rules_block.code, BlockKind.CODE, CODE_INDENT), ()),
        ("fence", _whole(rules_block.fence, BlockKind.CODE), ("paragraph", "blockquote", "list")),
        ("blockquote", _whole(quotes, BlockKind.QUOTE), ("paragraph", "blockquote", "list")),
        ("list", lists, ("paragraph", "blockquote")),
        ("html_block", _whole(rules_block.html_block, BlockKind.HTML), ("paragraph", "blockquote")),
        ("heading", _whole(rules_block.heading, BlockKind.HEADING), ("paragraph", "blockquote")),
        ("paragraph", _whole(rules_block.paragraph, BlockKind.PARAGRAPH), ()),
    ):
        reader.block.ruler.at(name, rule, {"alt": list(ends)})
    return reader.disable(["inline", "text_join", "reference", "lheading"])


_READER = _reader()
