"""What goes wrong with a line of a file while a person writes it, and with a file in the hands of somebody hostile."""

import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import yaml
from hypothesis import strategies as st

NASTY_VALUES = (
    *("", "null", "true", "~", "-1", "0", "1.5", "1e999", ".inf", ".nan", "0x10", "1_000", "9" * 400, "2026-11-30"),
    *(
        "[]",
        "{}",
        "[[]]",
        "{a: b}",
        "'",
        '"',
        "[",
        "{",
        "}",
        "|",
        ">",
        "&a",
        "*a",
        "!!python/object:os.system",
        "%",
        "@",
    ),
    *("- x", "x: y", "<<", "=", "?", "# x", "---", "...", "\\", "`id`", "$(id)", "../../etc/passwd", "/etc/passwd"),
    *("\u202ex", "\u2028", "\x7f", "\x00", "é", "\U0001f680", "x" * 3000, "recipes/gone.yaml", "cluster:", "*", "a*"),
    *('"a\\nb"', '\'{"method":"mtp"}\'', '\'{"a":1', "evil/image:1", "--flag", "SYNTHETIC"),
)
NASTY_LINES = (
    *("x", "x: y", "- x", "  x: y", "\t", "---", "...", "%YAML 1.2", "# note", "<<: *a", "? x", ": y", "}", "]"),
    *("- config-keys: [x]", "  append-only: true", "  evals-only: true", "    tp: 8", "base: {}", "override_x: {}"),
)
SIGNS = string.printable + "\x00\x7f\u2028\u202eé"


@dataclass(frozen=True, slots=True)
class Spoiled:
    """A file with one line spoiled. `lines`: where, as the file is now; a line that was taken out stood before it."""

    text: bytes
    lines: range
    how: str

    def is_near(self, line: int) -> bool:
        """Whether a line is one of the spoiled, or next to one."""
        return self.lines.start - 1 <= line <= self.lines.stop


def _drop(lines: list[str], at: int, draw: st.DrawFn) -> None:
    del lines[at]


def _twice(lines: list[str], at: int, draw: st.DrawFn) -> None:
    lines.insert(at, lines[at])


def _swap(lines: list[str], at: int, draw: st.DrawFn) -> None:
    if at + 1 < len(lines):
        lines[at], lines[at + 1] = lines[at + 1], lines[at]


def _indent(lines: list[str], at: int, draw: st.DrawFn) -> None:
    by = draw(st.sampled_from((" ", "  ", "    ", "\t", -1, -2, -4)))
    lines[at] = by + lines[at] if isinstance(by, str) else lines[at][-by:]


def _value(lines: list[str], at: int, draw: st.DrawFn) -> None:
    nasty = draw(st.sampled_from(NASTY_VALUES))
    name, colon, _ = lines[at].partition(":")
    dash = lines[at][: len(lines[at]) - len(lines[at].lstrip(" -"))]
    lines[at] = f"{name}: {nasty}" if colon else f"{dash}{nasty}"


def _key(lines: list[str], at: int, draw: st.DrawFn) -> None:
    """Two letters of the first word trade places."""
    start = len(lines[at]) - len(lines[at].lstrip(" -"))
    if len(lines[at]) > start + 3:
        n = start + draw(st.integers(0, 2))
        lines[at] = lines[at][:n] + lines[at][n + 1] + lines[at][n] + lines[at][n + 2 :]


def _sign(lines: list[str], at: int, draw: st.DrawFn) -> None:
    """A sign more, less, or another one."""
    line = lines[at]
    n = draw(st.integers(0, len(line)))
    new = draw(st.sampled_from(SIGNS).filter(lambda sign: sign not in "\n\r\x0b\x0c"))
    lines[at] = draw(
        st.sampled_from((line[:n] + new + line[n:], line[:n] + line[n + 1 :], line[:n] + new + line[n + 1 :]))
    )


def _insert(lines: list[str], at: int, draw: st.DrawFn) -> None:
    lines.insert(at, draw(st.sampled_from(NASTY_LINES)))


HOW: Mapping[str, Callable[[list[str], int, st.DrawFn], None]] = {
    "dropped": _drop,
    "twice": _twice,
    "swapped": _swap,
    "indented": _indent,
    "another value": _value,
    "misspelt": _key,
    "another sign": _sign,
    "a line more": _insert,
}


@st.composite
def one_line(draw: st.DrawFn, text: bytes) -> Spoiled:
    """One mistake in one line."""
    lines = text.decode(errors="surrogateescape").split("\n")
    at = draw(st.integers(0, max(len(lines) - 2, 0)))
    how = draw(st.sampled_from(sorted(HOW)))
    HOW[how](lines, at, draw)
    spoiled = range(at + 1, at + 2 + (how == "swapped"))
    return Spoiled("\n".join(lines).encode(errors="surrogateescape"), spoiled, how)


@st.composite
def spoiled(draw: st.DrawFn, text: bytes) -> bytes:
    """A file after some mistakes, or after an attack."""
    kind = draw(st.integers(0, 9))
    if kind < 5:
        for _ in range(draw(st.integers(1, 4))):
            text = draw(one_line(text)).text
        return text
    if kind < 8:
        return draw(_other_values(text))
    return draw(st.sampled_from(ATTACKS)) if kind == 8 else draw(_spliced(text))


def _bomb() -> bytes:
    names = "abcdefghi"
    lines = [f"{one}: &{one} [{', '.join([f'*{two}'] * 9)}]" for two, one in pairwise(names)]
    return "\n".join([f"a: &a [{', '.join('x' * 9)}]", *lines]).encode()


ATTACKS = (
    *(
        b"",
        b"\n",
        b"\xef\xbb\xbfa: 1\n",
        b"\xff\xfe\x00",
        b"a" * 300_000,
        b"- " * 20_000,
        b"[" * 20_000,
        b"a: " * 20_000,
    ),
    *(b"? " * 5_000, b"&a " * 3_000, b"<<: " * 3_000, b"\n" * 300_000, b"- config-keys: ['*']\n" * 3_000, _bomb()),
    *(b"'" + b"''" * 100_000, b"a: |\n" + b" x\n" * 50_000, b"{a: " * 60 + b"}" * 60, b"key: value\n" * 20_000),
    b"".join(b"k%d: {image: x}\n" % n for n in range(5_000)),
    b"- config-keys:\n"
    + b"".join(b"    - %s*\n" % (b"a*" * 30) for _ in range(90))
    + b"  description: [x]\n  pr-link: x\n",
    b"- config-keys:\n" + b"".join(b"    - no-%d\n" % n for n in range(5_000)) + b"  description: [x]\n  pr-link: x\n",
)


@st.composite
def _spliced(draw: st.DrawFn, text: bytes) -> bytes:
    """Bytes put in, or a piece taken out, turned round or said often."""
    begin = draw(st.integers(0, len(text)))
    end = draw(st.integers(begin, len(text)))
    piece = draw(
        st.one_of(
            st.binary(max_size=40),
            st.text(max_size=40).map(lambda sign: sign.encode(errors="replace")),
            st.just(text[begin:end][::-1]),
            st.integers(2, 40).map(lambda times: text[begin:end] * times),
        )
    )
    return text[:begin] + piece + text[end:]


_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
    st.sampled_from([value for value in NASTY_VALUES if value.isprintable()]),
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@st.composite
def _other_values(draw: st.DrawFn, text: bytes) -> bytes:
    """The same shape with other values in one or two places, or other names."""
    whole = yaml.safe_load(text)
    for _ in range(draw(st.integers(1, 2))):
        places = [place for place in _places(whole) if place]
        if not places:
            break
        *way, last = draw(st.sampled_from(places))
        inner = whole
        for step in way:
            inner = inner[step]
        if isinstance(inner, dict) and draw(st.booleans()):
            inner[draw(st.text(max_size=12))] = inner.pop(last)
        else:
            inner[last] = draw(_VALUES)
    return yaml.safe_dump(whole, sort_keys=False, allow_unicode=True).encode(errors="replace")


def _places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in inner:
        yield from _places(item, (*at, step))
