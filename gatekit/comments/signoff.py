"""The verdict on one sign-off: what fails and what a person must look at in the open, the rest folded.

The grammar of a row is one that tools read: `Check N (name): OUTCOME — reason`, once for each check.
"""

import re
from dataclasses import dataclass

from gatekit.comments.escape import inline, sentence
from gatekit.comments.folds import fold
from gatekit.comments.limits import MARKER_ROOM, MAX_COMMENT, fit
from gatekit.comments.tally import plural
from gatekit.domain.ids import Login
from gatekit.signoff.checks.outcome import Outcome
from gatekit.signoff.checks.verdict import Overall, Row, SignOffVerdict
from gatekit.signoff.evidence.description import Disclosure

_SIGNS = {
    Outcome.PASS: "✅",
    Outcome.FAIL: "❌",
    Outcome.WARN: "⚠️",
    Outcome.NOT_APPLICABLE: "➖",
    Outcome.UNDECIDED: "❔",
}
_HEADERS = {
    Overall.PASS: "## ✅✅✅ PASS",
    Overall.REJECTED: "## ❌❌❌ REJECTED",
    Overall.WARN: "## ⚠️ WARN",
    Overall.INCOMPLETE: "## ❔ INCOMPLETE",
}
_FOLDED = frozenset({Outcome.PASS, Outcome.NOT_APPLICABLE})
_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
REASON = 400  # characters of a row
FOLD = "Passed and not applicable checks"
CUT = "Shortened: the rest stands on the page of this sign-off."

_DISCLOSED = {
    Disclosure.MISSING: "The description has no section that says which AI models the change was made with.",
    Disclosure.EMPTY: "The description's section on AI models names none.",
    Disclosure.TOOLS_ONLY: "The description names AI tools, and no exact model.",
}


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What stands around a verdict when it is written."""

    newer_commits: int | None = 0  # behind the commit that was assessed, where the head has moved; None: not known
    edited_by_other: bool = False
    page: str | None = None  # address of the sign-off's page


def render_signoff(verdict: SignOffVerdict, around: Circumstances) -> str:
    """The body of the comment, without its marker. The same verdict gives the same text."""
    shown = [row for row in verdict.rows if row.finding.outcome not in _FOLDED]
    folded = [row for row in verdict.rows if row.finding.outcome in _FOLDED]
    parts = [
        _HEADERS[verdict.overall],
        _summary(verdict),
        "\n".join(_row(row) for row in shown),
        "\n".join(f"- {note}" for note in _notes(verdict, around)),
        fold(FOLD, "\n".join(_row(row) for row in folded)) if folded else "",
        _footer(verdict, around),
    ]
    text = "\n\n".join(part for part in parts if part)
    return fit(text, MAX_COMMENT - MARKER_ROOM, CUT)


def mention(login: Login) -> str:
    """`@login`, which GitHub makes a mention; code where it is no login."""
    return f"@{login}" if _LOGIN.fullmatch(login) else sentence(login)


def _summary(verdict: SignOffVerdict) -> str:
    """Who signed; where it is rejected, a mention, with what stands in the way."""
    failing = [row for row in verdict.rows if row.finding.outcome is Outcome.FAIL]
    open_ones = [row for row in verdict.rows if row.finding.outcome is Outcome.UNDECIDED]
    numbers = ", ".join(str(row.number) for row in failing or open_ones)
    match verdict.overall:
        case Overall.REJECTED:
            return (
                f"{mention(verdict.author)}: {plural(len(failing), 'check')} failed ({numbers}). Edit your checklist."
            )
        case Overall.INCOMPLETE:
            have = "needs" if len(open_ones) == 1 else "need"
            return (
                f"Sign-off of {inline(verdict.author)}: {plural(len(open_ones), 'check')} {have} a person ({numbers})."
            )
        case _:
            return f"Sign-off of {inline(verdict.author)}."


def _row(row: Row) -> str:
    finding = row.finding
    reason = sentence(finding.reason, REASON)
    return f"- {_SIGNS[finding.outcome]} Check {row.number} ({row.name}): {finding.outcome} — {reason}"


def _notes(verdict: SignOffVerdict, around: Circumstances) -> list[str]:
    notes = []
    if around.edited_by_other:
        notes.append("Somebody else edited this checklist; boxes that the edit ticked do not count.")
    if verdict.own:
        notes.append("The author of the pull request signed it.")
    if verdict.disclosure in _DISCLOSED:
        notes.append(_DISCLOSED[verdict.disclosure])
    return notes


def _footer(verdict: SignOffVerdict, around: Circumstances) -> str:
    lines = [f"Assessed commit: `{verdict.assessed}`"]
    if around.newer_commits is None:
        lines.append("The head has moved: what came since was not assessed.")
    elif around.newer_commits:
        was = "was" if around.newer_commits == 1 else "were"
        lines.append(f"The head has moved: {plural(around.newer_commits, 'commit')} since {was} not assessed.")
    if around.page is not None:
        lines.append(f"[Evidence of each row]({around.page})")
    return "  \n".join(lines)
