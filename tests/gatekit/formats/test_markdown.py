"""Which lines of a comment its author speaks, and which are code, quotes or HTML."""

import random
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from gatekit.formats.markdown import DEEPEST, Block, BlockKind, blocks, spoken_lines, walk
from gatekit.formats.markdown_inline import HIDDEN, masked

GO = "/go 7"


def lines(body: str) -> list[str]:
    return [line.text for line in spoken_lines(blocks(body))]


@pytest.mark.parametrize(
    ("body", "spoken"),
    [
        (GO, True),
        (f"  {GO}  ", True),
        (f"   {GO}", True),
        (f"Thanks!\n{GO}", True),
        (f"Thanks!\r\n{GO}\r\nBye", True),
        (f"Thanks!\r{GO}", True),
        (f"text\n    {GO}", True),  # a paragraph goes on, whatever the indent
        (f"- point\n{GO}", True),  # so does an item's
        (f"- point\n\n{GO}", True),
        (f"- point\n\n  {GO}", True),
        (f"> quote\n\n{GO}", True),
        (f"> # heading\n{GO}", True),
        (f"> ```\n> code\n{GO}", True),
        (f"> <p>\n{GO}", True),
        (f"> -\n{GO}", True),  # an empty item has no paragraph that could go on
        (f"- <p>\n{GO}", True),
        (f"```\ncode\n```\n{GO}", True),
        (f"````\n```\n````\n{GO}", True),
        (f"~~~ a`b\n~~~\n{GO}", True),
        (f"``` a`b\n{GO}", True),  # a backtick in the first line: no fence
        (f"<!-- note -->\n{GO}", True),
        (f"<details>\n\n{GO}\n\n</details>", True),
        (f"# heading\n{GO}", True),
        (f"text\n***\n{GO}", True),
        (f"`a` and `b`\n{GO}", True),
        (f"a ` lonely\n\n{GO} `", False),
        (f"a \\`\n{GO}\n\\`", True),
        (f"a `b\n\n{GO}", True),  # a code span ends with its paragraph
        (f"<!-- note\n\n{GO}", False),
        (f"text <!-- note\n{GO}\n-->", False),
        (f"text <a title='\n{GO}\n'>", False),
        (f"<div>\n{GO}\n</div>", False),
        (f"<b>\n{GO}\n</b>", False),
        (f"<pre>\n\n{GO}\n\n</pre>", False),
        (f"<?x\n{GO}\n?>", False),
        (f"<!X\n{GO}\n>", False),
        (f"<![CDATA[\n{GO}\n]]>", False),
        (f"> {GO}", False),
        (f">{GO}", False),
        (f"> quote\n{GO}", False),  # still of the quote
        (f"> - quote\n{GO}", False),
        (f"> > quote\n{GO}", False),
        (f"- > quote\n{GO}", False),
        (f"```\n{GO}\n```", False),
        (f"```\n{GO}", False),
        (f"```\n~~~\n{GO}", False),
        (f"````\n```\n{GO}\n````", False),
        (f"   ```\n{GO}\n   ```", False),
        (f"- ```\n  {GO}\n  ```", False),
        (f"- a\n  - b\n    ```\n    {GO}\n    ```", False),
        (f"    {GO}", False),
        (f"\t{GO}", False),
        (f"text\n\n    {GO}", False),
        (f"-     {GO}", False),
        (f"- point\n\n      {GO}", False),
        (f"`{GO}`", False),
        (f"a `\n{GO}\n` b", False),
        (f"``\n{GO} ` \n``", False),
        (f'[text](http://x "\n{GO}\n")', False),
        (f"[text\n{GO}\n](http://x)", False),
        (f'[x]: http://x "\n{GO}\n"', False),
        (f"- {GO}", False),
        (f"1. {GO}", False),
        (f"# {GO}", False),
        (f"{GO} now", False),
        (f"and {GO}", False),
    ],
)
def test_a_line_is_spoken_or_it_is_not(body: str, spoken: bool) -> None:
    assert (GO in lines(body)) is spoken


def test_lines_have_their_numbers_and_their_markers() -> None:
    body = "# A\n\nb\n c `d` e\n- f\n  g\n  1) h\n> i\n\nj"
    assert [(line.number, line.text) for line in spoken_lines(blocks(body))] == [
        (1, "# A"),
        (3, "b"),
        (4, f"c {HIDDEN * 3} e"),
        (5, "- f"),
        (6, "g"),
        (7, "1) h"),
        (10, "j"),
    ]


def test_the_blocks_of_a_comment() -> None:
    body = "a\nb\n- [x] c\n  d\n  - e\n\n    f\n\n  > g\n* h\n***\n~~~\ni\n~~~\n    j\n\nk\n===\n"
    assert blocks(body) == (
        Block(BlockKind.PARAGRAPH, 1, "a\nb"),
        Block(
            BlockKind.ITEM,
            3,
            "",
            (
                Block(BlockKind.PARAGRAPH, 3, "[x] c\nd"),
                Block(
                    BlockKind.ITEM, 5, "", (Block(BlockKind.PARAGRAPH, 5, "e"), Block(BlockKind.PARAGRAPH, 7, "f")), "-"
                ),
                Block(BlockKind.QUOTE, 9, "> g"),
            ),
            "-",
        ),
        Block(BlockKind.ITEM, 10, "", (Block(BlockKind.PARAGRAPH, 10, "h"),), "*"),
        Block(BlockKind.CODE, 12, "~~~\ni\n~~~"),
        Block(BlockKind.CODE, 15, "j"),
        Block(BlockKind.PARAGRAPH, 17, "k\n==="),
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a `b` c", "a _ c"),
        ("a ``b ` c`` d", "a _ d"),
        ("a `b", "a `b"),
        ("\\`a` b`", "\\`a_"),
        ("a <b> c </b> d", "a _ c _ d"),
        ("a < b > c", "a < b > c"),
        ("a <!-- b --> c <!-- d", "a _ c <!-- d"),
        ("a [b](c) d", "a _ d"),
        ("a ![b](c (d) e) f", "a _ f"),
        ("a [b][c] d", "a _ d"),
        ("a [b] (c)", "a [b] (c)"),
        ("[a]: b 'c'", "_"),
    ],
)
def test_what_is_not_spoken_inside_a_paragraph(text: str, shown: str) -> None:
    found = masked(text)
    assert len(found) == len(text)
    while HIDDEN * 2 in found:
        found = found.replace(HIDDEN * 2, HIDDEN)
    assert found.replace(HIDDEN, "_") == shown


PIECES = (
    "`",
    "a`",
    "\\`",
    "<!--",
    "<a ",
    "<a b='",
    "[",
    "[a](",
    "[a](b",
    "[a]: b\n",
    "|a|b|\n|-|-|\n",
    "> ",
    "- ",
    "  - ",
    "* > ",
    "```\n",
    "- ```\n",
    "<div>\n",
    "- <!--\n\n",
    "- a\n+ a\n",
    "\t",
    "1. ",
)
Shape = Callable[[str, int], str]


@pytest.mark.parametrize("piece", PIECES)
def test_no_text_takes_long(piece: str) -> None:
    """The longest comment that GitHub takes, made of one piece: seconds if the time grew with the square."""
    for text in (piece * (65_000 // len(piece)), f"{piece}\n" * (65_000 // (len(piece) + 1))):
        spoken_lines(blocks(text))


def steps(text: str) -> int:
    """Lines of Python that reading takes, those of the library too."""
    count = 0

    def step(_frame: FrameType, event: str, _argument: object) -> Callable[..., Any]:
        nonlocal count
        count += event == "line"
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        spoken_lines(blocks(text))
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize(
    "shape",
    [
        lambda piece, times: piece * times,
        lambda piece, times: f"{piece}\n" * times,
        lambda piece, times: piece * times + "a\n" * times,  # lines that may all go on with what is open
    ],
    ids=["in a row", "lines", "above lines"],
)
def test_four_times_the_text_takes_four_times_the_steps(shape: Shape, piece: str) -> None:
    times = 4 * DEEPEST
    assert steps(shape(piece, 4 * times)) <= 6 * steps(shape(piece, times))  # 16 if it grew with the square


@pytest.mark.parametrize("piece", [">", "> ", "- ", "1. ", "* > ", "> - "])
def test_what_is_too_deep_is_plain_text_and_hides_nothing_below(piece: str) -> None:
    body = f"{piece * 10_000}a\n\n{GO}"
    assert spoken_lines(blocks(body))[-1].text == GO
    assert spoken_lines(blocks(body))[-1].number == 3
    assert sum(block.kind is BlockKind.ITEM for block in walk(blocks(body))) <= DEEPEST


def test_a_quote_stays_one_in_the_deepest_list() -> None:
    assert lines("- " * DEEPEST + f"> {GO}\n{GO}\n\nend") == ["end"]


@pytest.mark.parametrize("line", ["a\0", "\0", "\x0c", "\x0b", "\u2028", "\x85", "a\rb\r\n", "\N{NO-BREAK SPACE}"])
def test_strange_signs_do_not_shift_the_numbers(line: str) -> None:
    body = f"{line}\n{GO}\n\n- {line}\n  {GO}"
    found = [line.number for line in spoken_lines(blocks(body)) if line.text == GO]
    ends = line.count("\r")
    assert found == [2 + ends, 5 + 2 * ends]


def test_every_line_stands_in_at_most_one_block() -> None:
    chance = random.Random(7)
    pieces = ["> ", "- ", "  ", "    ", "```", "~~~", "a", "# ", "\n", "\n", "\n", "<!--", "-->", "1. ", "`", "<p>"]
    for _ in range(2_000):
        body = "".join(chance.choice(pieces) for _ in range(chance.randint(1, 30)))
        numbers = [line.number for line in spoken_lines(blocks(body))]
        assert numbers == sorted(set(numbers))
        assert all(1 <= number <= body.count("\n") + 1 for number in numbers)
