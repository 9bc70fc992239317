"""What one check found."""

from dataclasses import dataclass

UNKNOWN = "could not find out"


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


def refused(check: str, no: Exception) -> Finding:
    """Of a refusal, which says first what is wrong and then what to do: `problem: advice`."""
    text = str(no).strip()
    at = _parting(text)
    if at is None:
        return bad(check, text, "mend what the detail names")
    return bad(check, text[:at].rstrip(), text[at + 1 :].strip())


def unknown(check: str, because: str, mend: str) -> Finding:
    return bad(check, f"{UNKNOWN}: {because}", mend)


def _parting(text: str) -> int | None:
    """Where the last `: ` or `; ` outside parentheses stands."""
    depth, found = 0, None
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and letter in ":;" and text[at + 1 : at + 2] == " ":
            found = at
    return found
