"""Short answers about sign-offs."""

import pytest

from gatekit.commands import SignOffMiss, SignOffSlip
from gatekit.comments import signoff as replies
from gatekit.domain.ids import Login, Sha
from gatekit.signoff.checklist.phrase import PHRASE
from gatekit.signoff.checks.verdict import Overall
from gatekit.signoff.codeowners import parse_codeowners
from gatekit.signoff.resource import Resource, Surface
from gatekit.signoff.scope import Need, Scope
from gatekit.signoff.signers import groups, smallest_set
from gatekit.signoff.trigger import TriggerReason

RULES = parse_codeowners(b"* @org/core\n/amd.yaml @ann @bob\n/nv.yaml @nick\n")
WHAT = Resource(Surface.CONVERSATION, 12)
REQUIRED = Scope(Need.REQUIRED, (), ())


@pytest.mark.parametrize(
    ("why", "said"),
    [
        (TriggerReason.HALF_PHRASE, f"start it with `{PHRASE}`."),
        (TriggerReason.OTHER_CASE, f"start it with `{PHRASE}`."),
        (TriggerReason.IN_CODE, "take the fence, or the indent, out."),
        (TriggerReason.NOT_AT_START, "no markup, no list and no words before it."),
        (TriggerReason.NOT_AN_APPROVAL, "sign in a comment, or a review that approves."),
    ],
)
def test_a_hint_says_what_to_edit(why: TriggerReason, said: str) -> None:
    text = replies.hint(why)
    assert text.startswith("This was not verified as a sign-off: ")
    assert text.endswith(said)


def test_who_can_sign() -> None:
    found = groups(["amd.yaml", "x.py", "y.py", "nv.yaml"], RULES)
    assert replies.who(REQUIRED, found, smallest_set(found)) == (
        "- `amd.yaml`: `@ann`, `@bob` (line 2 of CODEOWNERS)\n"
        "- `x.py` and 1 more: anybody who owns something (line 1 of CODEOWNERS)\n"
        "- `nv.yaml`: `@nick` (line 3 of CODEOWNERS)\n\n"
        "Nobody can sign for all of it alone. The fewest are `@ann` and `@nick`: split the pull request, or ask an "
        "administrator."
    )
    (one,) = groups(["nv.yaml"], RULES)
    assert replies.who(REQUIRED, [one], smallest_set([one])).endswith("`@nick` can sign for all of it.")
    assert replies.who(REQUIRED, [one], smallest_set([one], Login("nick"))).endswith(
        "Nobody else can sign: ask an administrator."
    )


def test_who_can_sign_where_nobody_needs_to_or_nobody_knows() -> None:
    assert replies.who(Scope(Need.NOT_NEEDED, (), ()), [], []) == replies.not_needed()
    unknown = Scope(Need.UNKNOWN, (), ("GitHub did not answer",))
    found = groups(["nv.yaml"], RULES)
    assert replies.who(unknown, found, smallest_set(found)).startswith(
        "Whether a sign-off is needed could not be found out, so one is: GitHub did not answer."
    )


def test_many_groups_are_counted() -> None:
    rules = parse_codeowners("".join(f"/f{number} @u{number}\n" for number in range(20)).encode())
    found = groups([f"f{number}" for number in range(20)], rules)
    assert "- and 8 more groups of files" in replies.who(REQUIRED, found, ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            replies.state_changed(Login("ann"), Overall.REJECTED, Overall.PASS, Sha("a" * 40)),
            "@ann: your sign-off is PASS now, it was REJECTED (at `aaaaaaa`).",
        ),
        (
            replies.not_needed_then(Sha("a" * 40)),
            "No sign-off was needed at `aaaaaaa`. The head has moved since, and whether it is needed now was not "
            "looked at: edit the checklist, or ask with `/signoff verify` and its address.",
        ),
        (replies.asked(WHAT), "`issuecomment-12` was looked at anew: see the comment about it."),
        (
            replies.miss(SignOffMiss("/signoff @all", SignOffSlip.NO_VERB)),
            "`/signoff @all` does nothing: write `/signoff who`, or `/signoff verify` and the address of a sign-off.",
        ),
        (
            replies.gone(WHAT),
            "`issuecomment-12` is not there any more: its last verdict stays. Post the checklist anew, and name that.",
        ),
        (replies.other_pull(WHAT), "`issuecomment-12` belongs to another pull request: ask for it there."),
        (
            replies.not_a_sign_off(WHAT),
            "`issuecomment-12` is no sign-off: it does not begin with the checklist's opening phrase.",
        ),
        (
            replies.no_write_access(Login("eve")),
            "`eve` may not ask for a verification: that needs write access to this repository.",
        ),
        (
            replies.could_not_verify("GitHub did not answer @all"),
            "This sign-off could not be verified: GitHub did not answer `@all`. Ask again with `/signoff verify` and "
            "its address.",
        ),
    ],
)
def test_words(text: str, said: str) -> None:
    assert text == said
