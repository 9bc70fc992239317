"""Cutting a text that is too long for GitHub, so that what remains still renders."""

import re
from collections.abc import Iterable

SENTENCE = "_The rest was cut off: it is longer than GitHub stores in one place._"

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def cut(body: str, limit: int) -> str:
    """At most `limit` characters of Markdown: whole lines, code blocks and folds closed, then a sentence that says so.

    `limit` must have room for the sentence; a shorter body comes back as it is.
    """
    if len(body) <= limit:
        return body
    lines = body[:limit].split("\n")
    if len(lines) == 1:
        lines = [body[: limit - len(SENTENCE) - 2], ""]
    while lines:
        lines.pop()
        whole = "\n".join([*lines, *closings(lines), "", SENTENCE])
        if len(whole) <= limit:
            return whole
    return SENTENCE[:limit]


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
