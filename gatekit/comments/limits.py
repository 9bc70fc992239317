"""GitHub's limits, and how a text is brought under them: cut at a line so that it still renders, never refused."""

import re
from collections.abc import Iterable

SENTENCE = "_The rest was cut off: it is longer than GitHub stores in one place._"

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def closings(lines: Iterable[str]) -> list[str]:
    """What must follow these lines so that nothing stays open: the code block's fence, then the folds."""
    fence, folds = "", 0
    for line in lines:
        found = _FENCE.match(line)
        if fence:
            closes = found is not None and found[1].startswith(fence) and not line[found.end() :].strip()
            fence = "" if closes else fence
        elif found is not None:
            fence = found[1]
        else:
            folds = max(folds + line.count("<details") - line.count("</details>"), 0)
    return ([fence] if fence else []) + ["</details>"] * folds


MAX_COMMENT = 65_536  # GitHub refuses a longer comment
MAX_SUMMARY = 65_535  # of a check run
MARKER_ROOM = 64  # for the hidden line that the comment's writer puts before the body


def length(text: str) -> int:
    """In UTF-16 units: never less than what GitHub counts, whichever way it counts."""
    return len(text) + sum(sign > "\uffff" for sign in text)


def fits(text: str, limit: int) -> bool:
    return len(text) * 2 <= limit or length(text) <= limit


def fit(text: str, limit: int, sentence: str) -> str:
    """The text, or its first whole lines, what they left open closed, and the sentence that says so."""
    if fits(text, limit):
        return text
    lines = text.split("\n")
    low, high = 0, len(lines)  # as many lines as fit
    while low < high:
        middle = (low + high + 1) // 2
        if fits(_ended(lines[:middle], sentence), limit):
            low = middle
        else:
            high = middle - 1
    return _ended(lines[:low], sentence)


def _ended(lines: list[str], sentence: str) -> str:
    return "\n".join((*lines, *closings(lines), "", sentence))
