"""What starts a verification, what is answered with a hint, and what stays silent."""

from dataclasses import replace

import pytest

from gatekit.domain.errors import Unknown
from gatekit.domain.ids import Login
from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.checklist.phrase import HALF, PHRASE, Opening
from gatekit.signoff.resource import Access, Surface
from gatekit.signoff.trigger import (
    Action,
    Person,
    Post,
    PostContext,
    ReviewState,
    Trigger,
    TriggerAnswer,
    TriggerReason,
    trigger,
    wants_access,
)
from tests.shared import shared

LIST = "- [x] One thing\n- [ ] Another thing\n"
FORM = f"{PHRASE}\n{LIST}"
ANN, BOB = Person(Login("ann")), Person(Login("bob"))
WRITE = Access("write", "write")
POSTED = Post(Surface.CONVERSATION, Action.CREATED, ANN, ANN, CommentText(FORM))
STANDING = PostContext(WRITE, open=True, draft=False)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (FORM, Opening.WHOLE),
        (f"  {PHRASE}\n  - [x] One thing", Opening.WHOLE),  # two blanks are no code
        (f"Looks good.\n\n{FORM}", Opening.WHOLE),
        (f"/use 123\n{FORM}", Opening.WHOLE),
        (f"/use 123\n\n{FORM}", Opening.WHOLE),
        (PHRASE, Opening.WHOLE),  # without a list: every item is missing
        (FORM.replace("\n", "\r\n"), Opening.WHOLE),
        (FORM.replace("reviewer and", "reviewer  and").replace("I have", "I\nhave", 1), Opening.WHOLE),
        (f"{PHRASE}\n* [X] One\n+ [x] Two", Opening.WHOLE),
        (f"<details>\n\n{FORM}\n\n</details>", Opening.WHOLE),
        (FORM.lower(), Opening.CASE),
        (f"{HALF}, I approve this.\n{LIST}", Opening.HALF),
        (f"{HALF}: fine", Opening.HALF),
        (f"```\n{FORM}```", Opening.CODE),
        (f"- thing\n  ```\n  {PHRASE}\n  - [x] One\n  ```", Opening.CODE),
        ("\n".join(f"    {line}" for line in FORM.split("\n")), Opening.CODE),
        (f"**{PHRASE}**\n{LIST}", Opening.INSIDE),
        (f"## {PHRASE}\n{LIST}", Opening.INSIDE),
        (f"- {PHRASE}\n{LIST}", Opening.INSIDE),
        (f"Looks good.\n{FORM}", Opening.INSIDE),
        (f"Looks good.\n{PHRASE}", Opening.NONE),
        (f"```\n{PHRASE}\n```", Opening.NONE),  # without boxes it is an example
        (f"> {PHRASE}\n> {LIST}", Opening.NONE),
        (f"> {PHRASE}\n\nThanks!\n{LIST}", Opening.NONE),
        (f"Post `{PHRASE}` please\n{LIST}", Opening.NONE),
        (f"`{PHRASE}`\n{LIST}", Opening.NONE),
        (f"[{PHRASE}](http://x)\n{LIST}", Opening.NONE),
        (f'[form](http://x "{PHRASE}")\n{LIST}', Opening.NONE),
        (f"<!-- {PHRASE} -->\n{LIST}", Opening.NONE),
        (f"<!--\n{FORM}-->", Opening.NONE),
        (f"<b>{PHRASE}</b>\n{LIST}", Opening.NONE),
        (f"<div>\n{PHRASE}\n</div>\n\n{LIST}", Opening.NONE),
        (f"You can write {PHRASE}\n{LIST}", Opening.NONE),
        (f"I wrote, As a PR reviewer\n{LIST}", Opening.NONE),
        ("", Opening.NONE),
    ],
)
def test_how_a_comment_opens(body: str, found: Opening) -> None:
    assert CommentText(body).opening is found


VERIFY = Trigger(TriggerAnswer.VERIFY, TriggerReason.SIGN_OFF)


def silent(why: TriggerReason) -> Trigger:
    return Trigger(TriggerAnswer.SILENT, why)


def hint(why: TriggerReason) -> Trigger:
    return Trigger(TriggerAnswer.HINT, why)


@pytest.mark.parametrize(
    ("changes", "standing", "found"),
    [
        ({}, {}, VERIFY),
        ({"surface": Surface.REVIEW, "review": ReviewState.APPROVED}, {}, VERIFY),
        ({"surface": Surface.REVIEW, "review": ReviewState.COMMENTED}, {}, VERIFY),
        ({"surface": Surface.INLINE}, {}, VERIFY),
        ({"action": Action.EDITED, "before": f"{PHRASE}\n"}, {}, VERIFY),
        ({"action": Action.EDITED}, {}, VERIFY),
        ({"body": f"/use 123\n{FORM}"}, {}, VERIFY),
        ({"body": PHRASE}, {}, VERIFY),
        ({}, {"access": Access("admin", "admin")}, VERIFY),
        ({}, {"access": Access("write", "maintain")}, VERIFY),
        ({"action": Action.ASKED, "sender": BOB}, {"open": False}, VERIFY),
        ({"action": Action.ASKED, "sender": BOB}, {"draft": True}, VERIFY),
        (
            {"action": Action.EDITED, "sender": BOB, "before": "x"},
            {},
            Trigger(TriggerAnswer.VERIFY, TriggerReason.EDITED_BY_ANOTHER),
        ),
        ({"action": Action.EDITED, "sender": Person(Login("ANN")), "before": "x"}, {}, VERIFY),
        ({"body": f"> {PHRASE}\n\nThanks!"}, {}, silent(TriggerReason.NO_PHRASE)),
        ({"body": f"Post `{PHRASE}`"}, {}, silent(TriggerReason.NO_PHRASE)),
        ({"body": "LGTM"}, {}, silent(TriggerReason.NO_PHRASE)),
        ({"body": f"<!-- gatekit:signoff issuecomment-1 -->\n{FORM}"}, {}, silent(TriggerReason.OWN_COMMENT)),
        ({"body": f"<!-- codeowner-signoff-verify signoff=x -->\n{FORM}"}, {}, silent(TriggerReason.OWN_COMMENT)),
        ({"sender": Person(Login("gatekit[bot]"), typed_bot=True, ours=True)}, {}, silent(TriggerReason.OWN_COMMENT)),
        ({"author": Person(Login("gatekit[bot]"), typed_bot=True, ours=True)}, {}, silent(TriggerReason.OWN_COMMENT)),
        ({"sender": Person(Login("ci[bot]"))}, {}, silent(TriggerReason.BOT)),
        ({"sender": Person(Login("ci"), typed_bot=True)}, {}, silent(TriggerReason.BOT)),
        (
            {"author": Person(Login("ci[bot]")), "action": Action.EDITED, "before": "x"},
            {},
            silent(TriggerReason.BOT),
        ),
        ({"action": Action.DELETED}, {}, silent(TriggerReason.NOT_A_POST)),
        ({"action": Action.DISMISSED}, {}, silent(TriggerReason.NOT_A_POST)),
        ({"surface": Surface.REVIEW, "review": ReviewState.PENDING}, {}, silent(TriggerReason.PENDING)),
        ({"action": Action.EDITED, "before": FORM}, {}, silent(TriggerReason.UNCHANGED)),
        ({"action": Action.EDITED, "before": FORM.replace("\n", " \r\n")}, {}, silent(TriggerReason.UNCHANGED)),
        ({}, {"open": False}, silent(TriggerReason.CLOSED)),
        ({}, {"draft": True}, silent(TriggerReason.DRAFT)),
        ({"body": FORM.lower()}, {"draft": True}, silent(TriggerReason.DRAFT)),
        ({}, {"access": Access("read", "triage")}, silent(TriggerReason.NO_WRITE_ACCESS)),
        ({}, {"access": Access("write", "release-manager")}, silent(TriggerReason.NO_WRITE_ACCESS)),
        ({}, {"access": Access("read", "admin")}, silent(TriggerReason.NO_WRITE_ACCESS)),
        ({}, {"access": Access("write", None)}, silent(TriggerReason.NO_WRITE_ACCESS)),
        ({}, {"access": Access(None, "write")}, silent(TriggerReason.NO_WRITE_ACCESS)),
        ({"body": FORM.lower()}, {"access": Access("read", "read")}, silent(TriggerReason.NO_WRITE_ACCESS)),
        ({"action": Action.ASKED}, {"access": Access("read", "read")}, silent(TriggerReason.NO_WRITE_ACCESS)),
        ({"body": f"```\n{FORM}```"}, {}, hint(TriggerReason.IN_CODE)),
        ({"body": FORM.lower()}, {}, hint(TriggerReason.OTHER_CASE)),
        ({"body": f"{HALF}, fine"}, {}, hint(TriggerReason.HALF_PHRASE)),
        ({"body": f"**{PHRASE}**\n{LIST}"}, {}, hint(TriggerReason.NOT_AT_START)),
        ({"surface": Surface.REVIEW, "review": ReviewState.CHANGES_REQUESTED}, {}, hint(TriggerReason.NOT_AN_APPROVAL)),
        ({"surface": Surface.REVIEW, "review": ReviewState.DISMISSED}, {}, hint(TriggerReason.NOT_AN_APPROVAL)),
        (
            {},
            {"access": Unknown("GitHub did not answer")},
            Trigger(TriggerAnswer.UNKNOWN, TriggerReason.ACCESS_UNKNOWN),
        ),
    ],
)
def test_what_an_event_asks_for(changes: dict[str, object], standing: dict[str, object], found: Trigger) -> None:
    texts = {name: CommentText(str(text)) for name, text in changes.items() if name in ("body", "before")}
    assert trigger(replace(POSTED, **{**changes, **texts}), replace(STANDING, **standing)) == found


def test_nobody_asks_github_for_the_access_of_somebody_who_signs_nothing() -> None:
    assert wants_access(POSTED)
    assert not wants_access(replace(POSTED, body=CommentText("LGTM")))
    assert not wants_access(replace(POSTED, sender=Person(Login("ci[bot]"))))


def test_the_real_sign_offs_open_as_they_should() -> None:
    bodies = {path.name: path.read_text() for path in shared("data/signoffs/full").glob("*.md")}
    assert len(bodies) == 9
    assert {name: CommentText(body).opening for name, body in bodies.items()} == dict.fromkeys(bodies, Opening.WHOLE)


def test_the_real_templates_pasted_whole() -> None:
    """Those with a fence around the form get the hint: pasted with it, all of it is code."""
    pages = [path.read_text() for path in shared("data/checklist").glob("*.md")]
    fenced = [page for page in pages if "```" in page]
    plain = [page for page in pages if page not in fenced]
    assert {CommentText(page).opening for page in fenced} == {Opening.CODE}
    assert {CommentText(page).opening for page in plain} == {Opening.WHOLE}
