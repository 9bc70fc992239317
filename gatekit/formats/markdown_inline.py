"""What inside a paragraph is not spoken: code, HTML, and links with where they lead to.

The time that it takes grows with the text alone.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator

HIDDEN = "\N{OBJECT REPLACEMENT CHARACTER}"  # stands for each sign that is not spoken; line breaks stay

_TICKS = re.compile("`+")
_TAG = re.compile(r"<[A-Za-z/?!][^<>]*>")
_LINK = re.compile(r"!?\[[^\[\]]*\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])")
_DEFINITION = re.compile(
    r"(?:^|(?<=\n)) {0,3}\[[^\[\]]+\]:\s*\S+(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?[ \t]*(?=\n|$)"
)


def masked(text: str) -> str:
    """The text with HIDDEN for every sign of a code span, an HTML tag or comment, a link and a link's definition."""
    for spans in (_code, _comments):
        text = _hide(text, spans(text))
    for form in (_TAG, _LINK, _DEFINITION):
        text = form.sub(lambda found: _hidden(found[0]), text)
    return text


def _hide(text: str, spans: Iterator[tuple[int, int]]) -> str:
    parts: list[str] = []
    done = 0
    for start, end in spans:
        parts += text[done:start], _hidden(text[start:end])
        done = end
    return "".join((*parts, text[done:]))


def _hidden(text: str) -> str:
    return "\n".join(HIDDEN * len(line) for line in text.split("\n"))


def _code(text: str) -> Iterator[tuple[int, int]]:
    """A run of backticks opens what the next run of the same length closes."""
    runs = [found.span() for found in _TICKS.finditer(text)]
    by_length: dict[int, list[int]] = defaultdict(list)
    for start, end in runs:
        by_length[end - start].append(start)
    done = 0
    for start, end in runs:
        if start < done:
            continue
        start += _escaped(text, start)
        if start == end:
            continue
        same = by_length[end - start]
        next_one = bisect_right(same, start)
        if next_one < len(same):
            done = same[next_one] + end - start
            yield start, done


def _escaped(text: str, at: int) -> bool:
    """Whether an odd number of backslashes stands in front."""
    count = 0
    while count < at and text[at - 1 - count] == "\\":
        count += 1
    return count % 2 == 1


def _comments(text: str) -> Iterator[tuple[int, int]]:
    start = text.find("<!--")
    while start >= 0:
        end = text.find("-->", start + len("<!--"))
        if end < 0:
            return
        end += len("-->")
        yield start, end
        start = text.find("<!--", end)
