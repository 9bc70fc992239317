"""Which lines of a comment its author speaks, and which are code, quotes or HTML."""

import random

import pytest

from gatekit.formats.markdown_inline import HIDDEN, masked
from gatekit.formats.prose import Block, Kind, blocks, spoken_lines

GO = "/go 7"


def lines(body: str) -> list[str]:
    return [line.text for line in spoken_lines(body)]


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
    assert [(line.number, line.text) for line in spoken_lines(body)] == [
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
        Block(Kind.PARAGRAPH, 1, "a\nb"),
        Block(
            Kind.ITEM,
            3,
            "",
            (
                Block(Kind.PARAGRAPH, 3, "[x] c\nd"),
                Block(Kind.ITEM, 5, "", (Block(Kind.PARAGRAPH, 5, "e"), Block(Kind.PARAGRAPH, 7, "f")), "-"),
                Block(Kind.QUOTE, 9, "> g"),
            ),
            "-",
        ),
        Block(Kind.ITEM, 10, "", (Block(Kind.PARAGRAPH, 10, "h"),), "*"),
        Block(Kind.CODE, 12, "~~~\ni\n~~~"),
        Block(Kind.CODE, 15, "j"),
        Block(Kind.PARAGRAPH, 17, "k\n==="),
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


@pytest.mark.parametrize(
    "piece",
    [
        "`",
        "a`",
        "\\`",
        "<!--",
        "<a ",
        "[",
        "[a](",
        "[a](b",
        "> ",
        "- ",
        "  - ",
        "* > ",
        "```\n",
        "<div>\n",
        "\t",
        "1. ",
    ],
)
def test_no_text_takes_long(piece: str) -> None:
    """The longest comment that GitHub takes, made of one piece: seconds if the time grew with the square."""
    for text in (piece * (65_000 // len(piece)), f"{piece}\n" * (65_000 // (len(piece) + 1))):
        spoken_lines(text)


def test_every_line_stands_in_at_most_one_block() -> None:
    chance = random.Random(7)
    pieces = ["> ", "- ", "  ", "    ", "```", "~~~", "a", "# ", "\n", "\n", "\n", "<!--", "-->", "1. ", "`", "<p>"]
    for _ in range(2_000):
        body = "".join(chance.choice(pieces) for _ in range(chance.randint(1, 30)))
        numbers = [line.number for line in spoken_lines(body)]
        assert numbers == sorted(set(numbers))
        assert all(1 <= number <= body.count("\n") + 1 for number in numbers)
