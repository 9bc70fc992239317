"""What is said of a sign-off: its verdict, what fails in the open and the rest folded, and the short answers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gatekit.commands import SignOffMiss, SignOffSlip
from gatekit.comments.escape import inline, sentence
from gatekit.comments.limits import MARKER_ROOM, MAX_COMMENT, fit
from gatekit.comments.sweep_folds import fold
from gatekit.comments.tally import plural
from gatekit.domain.ids import Login, Sha
from gatekit.signoff.checklist.phrase import PHRASE
from gatekit.signoff.checks.check import Outcome
from gatekit.signoff.checks.verdict import Overall, SignOffVerdict, VerdictRow
from gatekit.signoff.codeowners import Owner
from gatekit.signoff.evidence.description import Disclosure
from gatekit.signoff.resource import Resource
from gatekit.signoff.scope import Need, Scope
from gatekit.signoff.signers import Group
from gatekit.signoff.trigger import TriggerReason

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


def _row(row: VerdictRow) -> str:
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


SHOWN = 12  # groups, or owners, in one answer

_HINTS = {
    TriggerReason.HALF_PHRASE: f"it begins a sign-off, but the phrase is not whole: start it with `{PHRASE}`",
    TriggerReason.OTHER_CASE: f"the phrase is written in other letters: start it with `{PHRASE}`",
    TriggerReason.IN_CODE: (
        "the checklist is inside a code block, where its boxes are none: take the fence, or the indent, out"
    ),
    TriggerReason.NOT_AT_START: (
        "the phrase must begin a paragraph of its own: no markup, no list and no words before it"
    ),
    TriggerReason.NOT_AN_APPROVAL: (
        "the review asks for changes, or was dismissed: sign in a comment, or a review that approves"
    ),
}

_SLIPS = {
    SignOffSlip.NO_VERB: "write `/signoff who`, or `/signoff verify` and the address of a sign-off",
    SignOffSlip.NO_ADDRESS: "it names no sign-off: behind `/signoff verify`, put the link of the comment or review",
    SignOffSlip.NOT_ALONE: "a command stands alone on its line, with nothing before or after it",
    SignOffSlip.SPELLING: "commands are `/signoff who` and `/signoff verify` with an address, in lower case",
}


def hint(why: TriggerReason) -> str:
    """Why what looks like a sign-off was not taken for one, and what to edit."""
    return f"This was not verified as a sign-off: {_HINTS[why]}."


def not_needed() -> str:
    """To a sign-off on a pull request that needs none."""
    return (
        "No sign-off is needed here: each owner of the changed files is an administrator of the repository or the core "
        "team, or there is none. It was not verified."
    )


def not_needed_then(head: Sha) -> str:
    """In place of that, once the head is another one than it was said of."""
    return (
        f"No sign-off was needed at {inline(head[:7])}. The head has moved since, and whether it is needed now was not "
        "looked at: edit the checklist, or ask with `/signoff verify` and its address."
    )


def need_unknown(scope: Scope) -> str:
    """Whether one is needed could not be found out: then it counts as needed."""
    first = sentence(scope.whys[0]) if scope.whys else "something could not be read"
    return f"Whether a sign-off is needed could not be found out, so one is: {first}."


def who(scope: Scope, groups: Sequence[Group], smallest: Sequence[Owner]) -> str:
    """The groups of changed files, who can sign each, and the fewest who can sign all."""
    if scope.need is Need.NOT_NEEDED:
        return not_needed()
    lines = [_group(group) for group in groups[:SHOWN]]
    if len(groups) > SHOWN:
        lines.append(f"- and {len(groups) - SHOWN} more groups of files")
    parts = ["\n".join(lines), _smallest(smallest)]
    if scope.need is Need.UNKNOWN:
        parts.insert(0, need_unknown(scope))
    return "\n\n".join(part for part in parts if part)


def _group(group: Group) -> str:
    more = f" and {len(group.paths) - 1} more" if len(group.paths) > 1 else ""
    owners = "anybody who owns something" if group.anybody else ", ".join(inline(o.text) for o in group.owners[:SHOWN])
    return f"- {inline(group.paths[0])}{more}: {owners} (line {group.line} of CODEOWNERS)"


def _smallest(owners: Sequence[Owner]) -> str:
    if not owners:
        return "Nobody else can sign: ask an administrator."
    named = " and ".join(inline(owner.text) for owner in owners)
    if len(owners) == 1:
        return f"{named} can sign for all of it."
    return (
        f"Nobody can sign for all of it alone. The fewest are {named}: split the pull request, or ask an administrator."
    )


def state_changed(author: Login, before: Overall, now: Overall, assessed: Sha) -> str:
    """One line for the signer, where an edit of the verdict would tell nobody."""
    return f"{mention(author)}: your sign-off is {now.value} now, it was {before.value} (at {inline(assessed[:7])})."


def asked(resource: Resource) -> str:
    """`/signoff verify` was done, in place of an earlier "no"."""
    return f"{inline(resource.key)} was looked at anew: see the comment about it."


def miss(one: SignOffMiss) -> str:
    """A line that is nearly a command, and what it should be."""
    return f"{inline(one.line)} does nothing: {_SLIPS[one.slip]}."


def gone(resource: Resource) -> str:
    """`/signoff verify` of something that is not there any more."""
    return (
        f"{inline(resource.key)} is not there any more: its last verdict stays. Post the checklist anew, and name that."
    )


def other_pull(resource: Resource) -> str:
    return f"{inline(resource.key)} belongs to another pull request: ask for it there."


def not_a_sign_off(resource: Resource) -> str:
    return f"{inline(resource.key)} is no sign-off: it does not begin with the checklist's opening phrase."


def no_write_access(sender: Login) -> str:
    return f"{inline(sender)} may not ask for a verification: that needs write access to this repository."


def could_not_verify(why: str) -> str:
    """In place of a verdict: closed, and to be asked for again."""
    return f"This sign-off could not be verified: {sentence(why)}. Ask again with `/signoff verify` and its address."
