"""What a text that was cut short needs at its end, so that it still renders."""

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
