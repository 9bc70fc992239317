"""What starts a verification, as webhooks tell it: three surfaces, every action, the sender, the pull request."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from bot.demo.github.faults import Answer
from bot.demo.github.world import Role
from tests.worlds.bot.bot_world import BotWorld
from tests.worlds.github.actions import edit, say
from tests.worlds.signoff.checklist import form
from tests.worlds.signoff.signing import (
    WHOLE,
    about,
    address,
    header,
    inline,
    key,
    review,
    reviewing,
    said,
    signing_world,
)

PHRASE, BOXES = WHOLE.partition("\n")[0], WHOLE.partition("\n")[2]
HINT = "This was not verified as a sign-off: "
Act = Callable[[BotWorld], Awaitable[object]]


def posted(body: str, by: str = "ann") -> Act:
    return lambda world: say(world, body, by)


@pytest.mark.parametrize(
    ("act", "wanted"),
    [
        (posted(WHOLE), "verdict"),
        (lambda world: review(world), "verdict"),
        (lambda world: review(world, state="COMMENTED"), "verdict"),
        (lambda world: inline(world), "verdict"),
        (posted(f"Ready.\n\n/recheck\n{WHOLE}"), "verdict"),
        (posted(WHOLE.replace("\n", "\r\n")), "verdict"),
        (posted("\n".join(f"  {line}" for line in WHOLE.splitlines())), "verdict"),
        (posted(PHRASE), "verdict"),
        (posted(form(signed="maria"), by="maria"), "verdict"),
        (lambda world: review(world, state="CHANGES_REQUESTED"), "hint"),
        (posted(WHOLE.lower()), "hint"),
        (posted(f"As a PR reviewer and CODEOWNER, I looked.\n{BOXES}"), "hint"),
        (posted(f"```\n{WHOLE}\n```"), "hint"),
        (posted(f"**{PHRASE}**\n{BOXES}"), "hint"),
        (posted("\n".join(f"> {line}" for line in WHOLE.splitlines()) + "\n\nAgreed."), "silent"),
        (posted(f"Start with `{PHRASE}`, please."), "silent"),
        (posted(f"<!-- codeowner-signoff-verify signoff=issuecomment-7 -->\n{WHOLE}"), "silent"),
        (posted(WHOLE, by="tom"), "silent"),  # may triage
        (posted(WHOLE, by="stranger"), "silent"),
        (posted(WHOLE, by="helper[bot]"), "silent"),
        (lambda world: review(world, by="helper[bot]"), "silent"),
        (lambda world: inline(world, by="tom"), "silent"),
    ],
)
async def test_what_is_posted(signing: BotWorld, act: Act, wanted: str) -> None:
    signing.github.world.user("helper[bot]", "Bot")
    signing.people.invite(signing.repo, "helper[bot]", Role.WRITE)
    await act(signing)
    texts = list(said(signing).values())
    if wanted == "silent":
        assert texts == []
    elif wanted == "hint":
        assert [text.startswith(HINT) for text in texts] == [True]
    else:
        assert [bool(header(text)) for text in texts] == [True]


async def test_what_is_no_sign_off_costs_nothing(signing: BotWorld) -> None:
    calls = len(signing.github.calls)
    await say(signing, "Looks good to me.", by="ann")
    await review(signing, "")
    await inline(signing, "Why?")
    assert len(signing.github.calls) == calls


async def test_our_own_comments_are_never_taken_for_one(signing: BotWorld) -> None:
    """GitHub sends us the webhooks of our own verdicts and hints, which name the phrase."""
    comment = await say(signing, WHOLE.lower(), by="ann")
    assert about(signing, comment).startswith(HINT)
    assert len(said(signing)) == 1


async def test_a_custom_role_may_not_sign(signing: BotWorld) -> None:
    signing.github.world.own_roles["ann"] = "release-manager"  # it builds on write
    await say(signing, WHOLE, by="ann")
    assert said(signing) == {}


@pytest.mark.parametrize("how", ["draft", "closed"])
async def test_a_pull_request_that_is_not_open_is_silent_and_a_command_is_answered(tmp_path: Path, how: str) -> None:
    async with signing_world(tmp_path, draft=how == "draft") as world:
        if how == "closed":
            world.people.close(world.repo, world.pull, by="pat")
        comment = await say(world, WHOLE, by="ann")
        assert said(world) == {}
        await say(world, f"/signoff verify {address(world, comment)}", by="maria")
        assert header(about(world, comment)) != ""


async def test_ready_for_review_reopening_labels_and_pushes_start_nothing(signing: BotWorld) -> None:
    signing.people.set_draft(signing.repo, signing.pull, draft=True, by="pat")
    await say(signing, WHOLE, by="ann")
    signing.people.set_draft(signing.repo, signing.pull, draft=False, by="pat")
    signing.people.close(signing.repo, signing.pull, by="pat")
    signing.people.reopen(signing.repo, signing.pull, by="pat")
    await signing.label("documentation")
    await signing.push({"docs/notes.md": b"More.\n"})
    assert said(signing) == {}


async def test_deleting_starts_nothing(signing: BotWorld) -> None:
    comment = await say(signing, WHOLE, by="ann")
    before = said(signing)
    signing.people.delete_comment(signing.repo, comment, by="ann")
    found = await inline(signing, "Why?")
    reviewing(signing).delete_inline(signing.repo, found, by="ann")
    await signing.settled()
    assert said(signing) == before


async def test_an_edit_makes_a_sign_off_of_a_comment_and_nothing_takes_it_back(signing: BotWorld) -> None:
    comment = await say(signing, "Looking.", by="ann")
    assert said(signing) == {}
    await edit(signing, comment, WHOLE, by="ann")
    verdict = about(signing, comment)
    assert header(verdict)
    await edit(signing, comment, "Never mind.", by="ann")
    assert said(signing) == {key(comment): verdict}


async def test_a_comment_that_was_nearly_one_and_is_mended(signing: BotWorld) -> None:
    comment = await say(signing, f"```\n{WHOLE}\n```", by="ann")
    assert about(signing, comment).startswith(HINT)
    await edit(signing, comment, WHOLE, by="ann")
    assert header(about(signing, comment))
    assert len(said(signing)) == 1


async def test_a_permission_that_cannot_be_read_is_asked_for_again(signing: BotWorld) -> None:
    """It is never a no: the second time round, GitHub answers."""
    signing.github.faults.on("GET", "/repos/*/collaborators/ann/permission", Answer(502), times=2)
    comment = await say(signing, WHOLE, by="ann")
    assert header(about(signing, comment))


async def test_a_permission_that_stays_unknown_is_said(signing: BotWorld) -> None:
    signing.github.faults.on("GET", "/repos/*/collaborators/ann/permission", Answer(502), times=100)
    comment = await say(signing, WHOLE, by="ann")
    assert about(signing, comment).startswith("This sign-off could not be verified: ")
    assert "`/signoff verify`" in about(signing, comment)


async def test_where_sign_offs_are_off_nothing_is_said(signing: BotWorld) -> None:
    settings = b"signoff: {enabled: false}\n"
    signing.people.push(signing.repo, "main", {".github/gatekit.yml": settings}, by="maria")
    comment = await say(signing, WHOLE, by="ann")
    await say(signing, f"/signoff verify {address(signing, comment)}", by="maria")
    assert said(signing) == {}
