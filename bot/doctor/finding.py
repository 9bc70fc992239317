"""What one check found."""

import re
from dataclasses import dataclass

UNKNOWN = "could not find out"

# How our sentences begin to say what to do. Other colons stand before what a library said.
_ADVICE = re.compile(
    r" (set|unset|give|write|put|take|make|use|keep|name|mend|save|stop|start|install|choose|correct|remove|raise|let"
    r"|try|did you mean)\b"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """`mend` says what to do; empty where all is well. What could not be found out is not ok."""

    check: str
    ok: bool
    detail: str
    mend: str = ""


def fine(check: str, detail: str) -> Finding:
    return Finding(check, True, detail)


def bad(check: str, detail: str, mend: str) -> Finding:
    return Finding(check, False, detail, mend)


def refused(check: str, no: Exception, otherwise: str) -> Finding:
    """Of a refusal, which says what is wrong, and mostly then what to do: `problem: advice`.

    `otherwise` is the mend where it gives no advice.
    """
    text = str(no).strip()
    at = _parting(text)
    if at is None:
        return bad(check, text, otherwise)
    return bad(check, text[:at].rstrip(), text[at + 1 :].strip())


def unknown(check: str, because: str, mend: str) -> Finding:
    return bad(check, f"{UNKNOWN}: {because}", mend)


def _parting(text: str) -> int | None:
    """Where the first `: ` or `; ` outside parentheses stands that a word of advice follows."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and letter in ":;" and _ADVICE.match(text, at + 1):
            return at
    return None
