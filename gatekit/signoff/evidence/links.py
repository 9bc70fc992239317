"""The addresses in a comment, with the line that each stands on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_URL = re.compile(r"https?://[^\s<>\"'`\\^{|}]+")
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_AFTER = ".,;:!?*_~"


@dataclass(frozen=True, slots=True)
class Link:
    url: str
    line: int


def links(body: str) -> tuple[Link, ...]:
    """In order, each address once; nothing that an HTML comment hides. Brackets that close a Markdown link are cut."""
    shown = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), body)
    found: dict[str, Link] = {}
    for number, line in enumerate(shown.replace("\r\n", "\n").split("\n"), 1):
        for url in _urls(line):
            found.setdefault(url, Link(url, number))
    return tuple(found.values())


def _urls(line: str) -> Iterator[str]:
    for found in _URL.finditer(line):
        url = found[0]
        for opens, closes in ("()", "[]"):
            url = _closed(url, opens, closes)
        yield url.rstrip(_AFTER)


def _closed(url: str, opens: str, closes: str) -> str:
    """The longest beginning that closes no more than it opens."""
    end, more = len(url), url.count(closes) - url.count(opens)
    while more > 0:
        at = url.rindex(closes, 0, end)
        more += url.count(opens, at, end) - 1
        end = at
    return url[:end]
