"""Short answers about sign-offs: hints, no need, who can sign, a change of state, what `/signoff` refuses."""

from collections.abc import Sequence

from gatekit.comments.escape import inline, sentence
from gatekit.comments.signoff import mention
from gatekit.domain.ids import Login, Sha
from gatekit.signoff.checklist.phrase import PHRASE
from gatekit.signoff.checks.verdict import Overall
from gatekit.signoff.codeowners import Owner
from gatekit.signoff.resource import Resource
from gatekit.signoff.scope import Need, Scope
from gatekit.signoff.signers import Group
from gatekit.signoff.trigger import Why
from gatekit.signoff_commands import AskMiss, AskSlip

SHOWN = 12  # groups, or owners, in one answer

_HINTS = {
    Why.HALF_PHRASE: f"it begins a sign-off, but the phrase is not whole: start it with `{PHRASE}`",
    Why.OTHER_CASE: f"the phrase is written in other letters: start it with `{PHRASE}`",
    Why.IN_CODE: "the checklist is inside a code block, where its boxes are none: take the fence, or the indent, out",
    Why.NOT_AT_START: "the phrase must begin a paragraph of its own: no markup, no list and no words before it",
    Why.NOT_AN_APPROVAL: "the review asks for changes, or was dismissed: sign in a comment, or a review that approves",
}

_SLIPS = {
    AskSlip.NO_VERB: "write `/signoff who`, or `/signoff verify` and the address of a sign-off",
    AskSlip.NO_ADDRESS: "it names no sign-off: behind `/signoff verify`, put the link of the comment or review",
    AskSlip.NOT_ALONE: "a command stands alone on its line, with nothing before or after it",
    AskSlip.SPELLING: "commands are `/signoff who` and `/signoff verify` with an address, in lower case",
}


def hint(why: Why) -> str:
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


def miss(one: AskMiss) -> str:
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
