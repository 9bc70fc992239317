"""GitHub's limits, and how a text is brought under them: cut at a line, never refused."""

from gatekit.comments.cut import closings

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
