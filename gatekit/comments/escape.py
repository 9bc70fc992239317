"""Text from outside, made safe to stand in a comment: the one escaping, for sentences, code and log blocks.

The rule is simple enough to be sure of. What stands outside code is made of plain words and numbers only; everything
else goes into code, where GitHub renders no mention, link, reference, emoji, formula or HTML; and what could end the
code (a backtick, a line break), hide in it (controls, invisible signs, direction overrides) or break a table (`|`) is
replaced by a sign that can be seen. Backslashes and entities are not used: GitHub looks for mentions and links after
it has resolved them.
"""

import re
import unicodedata
from collections.abc import Iterable

from gatekit.formats.redact import shortened

REPLACED = "\N{REPLACEMENT CHARACTER}"
EMPTY = "—"
WIDTH = 160  # of one piece of text in a sentence or cell

# Signs that show nothing but are no control characters: fillers, joiners, the braille blank.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | {chr(n) for n in range(0xFE00, 0xFE10)}
_MARKS = (
    "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"  # set over or under a letter
)
_PILED = re.compile(f"({_MARKS}{{2}}){_MARKS}+")
_OPENS = re.compile(r"<(?=!--|/?(?:details|summary))", re.IGNORECASE)  # markers, and the folds of our own
_TRANSLATED = str.maketrans({"`": "'", "|": "¦"})

_WORD = r"(?:[A-Za-z]{1,40}(?:['’][a-z]{1,3})?|[a-z]{1,40}(?:-[a-z]{1,40}){1,3})"
_NUMBER = r"[+−±-]?\d{1,6}(?:,\d{3})*(?:\.\d{1,6})?(?:ms|s)?"
_PLAIN = re.compile(rf"\(?(?:{_WORD}|{_NUMBER})[,;:]?\)?[,;:.?!]?")
_SIGN = re.compile(r"[×÷±≤≥<>=+−–—…→%&/ΔK]|−?\d+(?:\.\d+)?")
_HEX = re.compile(r"\(?[0-9a-fA-F]{7,}[^0-9A-Za-z]*")  # reads as a commit
_LIST = re.compile(r"\d+[.)]|[-+*=#>].*")  # would begin a list, a heading or a quote


def inline(text: str, width: int = WIDTH) -> str:
    """One piece of text as inline code, e.g. a config key; at most `width` characters of it."""
    clean = shortened(visible(text), width)
    return f"`{clean}`" if clean else EMPTY


def sentence(text: str, width: int = 600) -> str:
    """A sentence with names from outside in it: plain words stay, everything else becomes inline code."""
    parts: list[str] = []
    code: list[str] = []
    for word in shortened(visible(text.replace("`", "")), width).split():
        if _plain(word, first=not parts and not code):
            parts.extend(_coded(code))
            parts.append(word)
            code = []
        else:
            code.append(word)
    parts.extend(_coded(code))
    return " ".join(parts) or EMPTY


def block(lines: Iterable[str], width: int = 300) -> str:
    """Lines as a code block, fences included."""
    kept = [shortened(visible(line, indented=True), width) for line in lines]
    return "\n".join(("```text", *kept, "```"))


def visible(text: str, indented: bool = False) -> str:
    """One line without anything that is not seen, ends code, opens a comment or breaks a table."""
    plain = text.isascii() and text.isprintable()
    shown = (text if plain else "".join(_shown(sign) for sign in text)).translate(_TRANSLATED)
    shown = _OPENS.sub("< ", shown).replace("-->", "-- >")
    shown = _PILED.sub(r"\1", shown)
    return shown.rstrip() if indented else " ".join(shown.split(" ")).strip()


def _shown(sign: str) -> str:
    if sign.isascii() and sign.isprintable():
        return sign
    if sign.isspace():  # line and paragraph separators too
        return " "
    if sign in _INVISIBLE or unicodedata.category(sign)[0] == "C":
        return REPLACED
    return sign


def _plain(word: str, first: bool) -> bool:
    if _HEX.fullmatch(word) or (first and _LIST.fullmatch(word)):
        return False
    return _PLAIN.fullmatch(word) is not None or (not first and _SIGN.fullmatch(word) is not None)


def _coded(words: list[str]) -> list[str]:
    """Neighbouring words as one piece of code; a sentence's own punctuation stays outside."""
    if not words:
        return []
    text = " ".join(words)
    end = text[-1] if len(text) > 1 and text[-1] in ".,;:" else ""
    return [f"`{text.removesuffix(end) if end else text}`{end}"]
