"""Whatever stands in a text from outside, nothing of it acts in a comment: checked on what Markdown makes of it."""

import random
import re
import unicodedata
from collections.abc import Iterator

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from gatekit.comments.escape import EMPTY, REPLACED, WIDTH, block, inline, sentence, visible

NASTY = (
    "@octocat",
    "@org/team",
    "mail@host.example",
    "#123",
    "GH-123",
    "owner/repo#1",
    "owner/repo@abcdef1",
    "deadbeefcafe",
    "1234567",
    "defaced",
    "https://evil.example/x",
    "http:",
    "//x",
    "www.evil.example",
    "mailto:x@y.example",
    "<b>bold</b>",
    "<img src=x onerror=alert(1)>",
    "</details>",
    "<details open>",
    "</summary>",
    "<!-- gatekit:gates -->",
    "<!--",
    "-->",
    "<!- -",
    "&lt;b&gt;",
    "&#64;octocat",
    "[link](http://evil.example)",
    "![image](http://evil.example/i.png)",
    "[ref]: http://evil.example",
    "[^1]",
    "`code`",
    "``",
    "```",
    "~~~",
    "|",
    "||",
    "\\|",
    "\\",
    "\\`",
    "*bold*",
    "__init__",
    "~~gone~~",
    ":tada:",
    "$x$",
    "$$",
    "# heading",
    "> quote",
    "- [ ] task",
    "1. one",
    "1)",
    "+",
    "---",
    "===",
    "\n",
    "\r\n",
    "\n\n    indented",
    "\n```\n",
    "\t",
    "\x00",
    "\x1b[31m",
    "\x7f",
    "\u202e",
    "\u2066",
    "\u200b",
    "\u200d",
    "\ufeff",
    "\u00ad",
    "\u2028",
    "\u3164",
    "\ufe0f",
    "\U000e0041",
    "\ud800",
    "Z\u0335\u0335\u0335\u0335\u0335",
    "/gate cancel",
    "plain words, in a sentence.",
    "2,112 of 3.5 %",
    "(and so on)",
    "café",
    "中文",
)

ACTS = re.compile(  # what GitHub makes something of in text outside of code
    r"@\w|#\d|(?i:\bgh-\d)|\b[0-9a-fA-F]{7,}\b|://|(?i:www\.)|[\w.]@|:\w+:|[$<>&\[\]*_~`|\\]\S|\S[$<>&\[\]*_~`|\\]|\b[A-Z]+-\d"
)
ALLOWED = {"text", "code_inline", "inline", "paragraph_open", "paragraph_close"}


def mixtures() -> Iterator[str]:
    """Every piece alone, then several together, with and without blanks between them."""
    yield from NASTY
    rng = random.Random(20)
    for _ in range(1500):
        pieces = rng.choices(NASTY, k=rng.randint(2, 7))
        yield rng.choice(("", " ", "  ")).join(pieces)


TEXTS = tuple(mixtures())


def parsed(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)


def outside_code(tokens: list[Token]) -> str:
    return "".join(child.content if child.type == "text" else " " for token in tokens for child in token.children or ())


def kinds(tokens: list[Token]) -> set[str]:
    return {token.type for token in tokens} | {child.type for token in tokens for child in token.children or ()}


def test_a_sentence_stays_text_and_code() -> None:
    for text in TEXTS:
        made = sentence(text)
        tokens = parsed(made)
        assert kinds(tokens) <= ALLOWED, (text, made)
        assert ACTS.search(outside_code(tokens)) is None, (text, made)


def test_inline_is_one_piece_of_code() -> None:
    for text in TEXTS:
        made = inline(text)
        tokens = parsed(made)
        assert made == EMPTY or [child.type for child in tokens[1].children or ()] == ["code_inline"], (text, made)
        assert len(tokens) == 3, (text, made)


def test_a_table_keeps_its_cells() -> None:
    for text in TEXTS:
        made = f"| a | b |\n|---|---|\n| {inline(text)} | {sentence(text)} |\n\nafter"
        tokens = parsed(made)
        cells = [token.type for token in tokens if token.type in ("td_open", "tr_open")]
        assert cells == ["tr_open", "tr_open", "td_open", "td_open"], (text, made)
        last = tokens[-2]
        assert last.content == "after", (text, made)


def test_a_list_item_stays_one() -> None:
    for text in TEXTS:
        tokens = parsed(f"- {sentence(text)}\n- next")
        assert [token.type for token in tokens].count("list_item_open") == 2, text
        assert kinds(tokens) <= ALLOWED | {"bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"}


def test_a_block_of_lines_is_one_block() -> None:
    rng = random.Random(21)
    for _ in range(300):
        lines = rng.choices(TEXTS, k=5)
        tokens = parsed(f"before\n\n{block(lines)}\n\nafter")
        assert [token.type for token in tokens if token.type != "inline"] == [
            *("paragraph_open", "paragraph_close"),
            "fence",
            *("paragraph_open", "paragraph_close"),
        ], lines
        (fence,) = (token for token in tokens if token.type == "fence")
        assert fence.content.count("\n") == 5


def test_nothing_unseen_is_left() -> None:
    for text in TEXTS:
        for made in (inline(text), sentence(text), block([text]).removeprefix("```text\n").removesuffix("\n```")):
            odd = [
                sign
                for sign in made
                if unicodedata.category(sign)[0] == "C" or unicodedata.category(sign) in ("Zl", "Zp")
            ]
            assert not odd, (text, made)
            assert "<!--" not in made
            assert "-->" not in made
            assert "<details" not in made.lower()
            assert "</details" not in made.lower()
            made.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Realized AL 2.470 lies within 2.366 to 2.614.", "Realized AL 2.470 lies within 2.366 to 2.614."),
        (
            "(95 % interval −0.5 to 2,112) – it’s fine, isn't it?",
            "(95 % interval −0.5 to 2,112) – it’s fine, isn't it?",
        ),
        ("configs/a.yaml:12: unknown key foo_bar, use foo.", "`configs/a.yaml:12`: unknown key `foo_bar`, use foo."),
        ("see @octocat and #12", "see `@octocat` and `#12`"),
        ("1. one", "`1`. one"),
        ("it is `set` so", "it is set so"),
        ("at commit deadbeef1", "at commit `deadbeef1`"),
        ("a<!-- b -->c", "`a< !--` b `-- >c`"),
        ("", EMPTY),
        (" \n ", EMPTY),
        ("x" * 700, f"`{'x' * 599}…`"),
    ],
)
def test_a_sentence_reads_well(text: str, made: str) -> None:
    assert sentence(text) == made


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("dsv4-fp4-b200-vllm", "`dsv4-fp4-b200-vllm`"),
        ("a`b|c", "`a'b¦c`"),
        ("  a\nb ", "`a b`"),
        ("a\u202eb", f"`a{REPLACED}b`"),
        ("a\u3164\ufe0fb", f"`a{REPLACED}{REPLACED}b`"),
        ("Z\u0335\u0335\u0335\u0335", "`Z\u0335\u0335`"),
        ("", EMPTY),
        ("y" * 500, f"`{'y' * (WIDTH - 1)}…`"),
    ],
)
def test_one_piece_of_text(text: str, made: str) -> None:
    assert inline(text) == made


def test_a_log_keeps_its_indents() -> None:
    assert block(["def f():", "    return 1", ""]) == "```text\ndef f():\n    return 1\n\n```"
    assert visible("  a ", indented=True) == "  a"
