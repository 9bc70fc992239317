"""What one check found."""

import re
from dataclasses import dataclass
from enum import StrEnum

UNKNOWN = "could not find out"

# How our sentences begin to say what to do. Other colons stand before what a library said.
_ADVICE = re.compile(
    r" (set|unset|give|write|put|take|make|use|keep|name|mend|save|stop|start|install|choose|correct|remove|raise|let"
    r"|try|compare|add|did you mean)\b"
)


class FindingState(StrEnum):
    FINE = "fine"
    WARNING = "warning"  # it works, and could be better
    BAD = "bad"
    UNKNOWN = "unknown"  # could not find out, though we should have
    UNSEEN = "unseen"  # could not find out, since nobody can from here: a person must look


@dataclass(frozen=True, slots=True)
class Finding:
    """`mend` says what to do; empty where all is well."""

    check: str
    state: FindingState
    detail: str
    mend: str = ""

    @property
    def ok(self) -> bool | None:
        """None: could not find out."""
        if self.state in (FindingState.UNKNOWN, FindingState.UNSEEN):
            return None
        return self.state is not FindingState.BAD

    def as_json(self) -> dict[str, object]:
        return {"check": self.check, "ok": self.ok, "detail": self.detail, "mend": self.mend}


def fine(check: str, detail: str) -> Finding:
    return Finding(check, FindingState.FINE, detail)


def warning(check: str, detail: str, mend: str) -> Finding:
    return Finding(check, FindingState.WARNING, detail, mend)


def bad(check: str, detail: str, mend: str) -> Finding:
    return Finding(check, FindingState.BAD, detail, mend)


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
    return Finding(check, FindingState.UNKNOWN, f"{UNKNOWN}: {because}", mend)


def unseen(check: str, because: str, mend: str) -> Finding:
    return Finding(check, FindingState.UNSEEN, f"{UNKNOWN}: {because}", mend)


def _parting(text: str) -> int | None:
    """Where the first `: ` or `; ` outside parentheses stands that a word of advice follows."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and letter in ":;" and _ADVICE.match(text, at + 1):
            return at
    return None
