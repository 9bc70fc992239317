"""A checklist is posted and edited: one comment about each sign-off, always of its last state."""

import asyncio
from pathlib import Path

from aiohttp import ClientSession

from bot.demo.github.faults import Answer, Hold
from tests.bot.pages.reading import Page
from tests.worlds.bot.bot_world import BotWorld
from tests.worlds.bot.until import until
from tests.worlds.github.actions import edit, say, unheard
from tests.worlds.github.standin import resend
from tests.worlds.signoff.checklist import form, open_box
from tests.worlds.signoff.signing import (
    LEFT_OPEN,
    WHOLE,
    about,
    address,
    header,
    inline,
    key,
    review,
    reviewing,
    row,
    said,
    signing_world,
    used,
)

FACTS = "/repos/*/pulls/*/files"


async def test_a_sign_off_is_rejected_mended_and_passed(signing: BotWorld) -> None:
    await used(signing)
    posted = await say(signing, LEFT_OPEN, by="ann")
    text = about(signing, posted)
    assert text.startswith("## ❌❌❌ REJECTED\n\n@ann: 1 check failed (5). Edit your checklist.\n")
    assert row(text, 5).startswith("FAIL — open, and the details do not say why: 8")
    assert text.rstrip().endswith(f"Assessed commit: `{signing.pull.head}`")
    await edit(signing, posted, WHOLE, by="ann")
    assert about(signing, posted).startswith("## ✅✅✅ PASS\n\nSign-off of `ann`.\n")
    told = f"{key(posted)} PASS {signing.pull.head[:12]}"
    assert said(signing)[told].startswith("@ann: your sign-off is PASS now, it was REJECTED (at ")
    assert set(said(signing)) == {key(posted), told}


async def test_two_sign_offs_an_edit_a_deletion_a_replacement_and_a_manual_run(signing: BotWorld) -> None:
    await used(signing)
    first, second = await say(signing, LEFT_OPEN, by="ann"), await review(signing, WHOLE, by="maria")
    assert (header(about(signing, first)), header(about(signing, second))) == ("REJECTED", "PASS")
    comments = dict(signing.repo.comments)
    await edit(signing, first, WHOLE, by="ann")
    assert (header(about(signing, first)), header(about(signing, second))) == ("PASS", "PASS")
    new = {one.body.partition("\n")[0] for id, one in signing.repo.comments.items() if id not in comments}
    assert new == {f"<!-- gatekit:signoff {key(first)} PASS {signing.pull.head[:12]} -->"}

    signing.people.delete_comment(signing.repo, first, by="ann")
    await signing.settled()
    replacement = await inline(signing, LEFT_OPEN, by="ann")
    assert header(about(signing, first)) == "PASS"  # what was said of the one that is gone stays
    assert header(about(signing, replacement)) == "REJECTED"

    before = said(signing)
    await say(signing, f"/signoff verify {address(signing, second)}", by="maria")
    await say(signing, f"/signoff verify {address(signing, first)}", by="maria")
    answer = said(signing).pop("answer")
    assert answer.startswith(f"`{key(first)}` is not there any more: its last verdict stays.")
    assert {name: text for name, text in said(signing).items() if name != "answer"} == before


async def test_five_quick_edits_give_one_comment_with_the_last_state(signing: BotWorld) -> None:
    """They come while the first is looked at; only the last one speaks of what is there."""
    await used(signing)
    gate = asyncio.Event()
    signing.github.faults.on("GET", FACTS, Hold(gate))
    posted = signing.people.comment(signing.repo, signing.pull, LEFT_OPEN, by="ann")
    await until(lambda: any(call.path.endswith("/files") for call in signing.github.calls))
    for label in ("3", "4", "9", "10"):
        signing.people.edit_comment(signing.repo, posted, form(open_box(label)), by="ann")
    signing.people.edit_comment(signing.repo, posted, WHOLE, by="ann")
    gate.set()
    await signing.settled()
    assert header(about(signing, posted)) == "PASS"
    told = f"{key(posted)} PASS {signing.pull.head[:12]}"
    assert set(said(signing)) == {key(posted), told}
    assert sum(call.path.endswith("/files") for call in signing.github.calls) == 2


async def test_an_identical_result_writes_nothing(signing: BotWorld) -> None:
    posted = await say(signing, WHOLE, by="ann")
    before = list(signing.journal)
    await edit(signing, posted, f"{WHOLE}\n\nThank you all.", by="ann")
    for delivery in [one for one in signing.github.hooks.deliveries if one.event == "issue_comment"]:
        resend(signing.github.hooks, delivery)
    await signing.settled()
    assert signing.journal == before


async def test_what_somebody_elses_edit_ticks_is_not_believed_and_said(signing: BotWorld) -> None:
    await used(signing)
    posted = await say(signing, LEFT_OPEN, by="ann")
    await edit(signing, posted, WHOLE, by="maria")
    text = about(signing, posted)
    assert header(text) == "REJECTED"
    assert "- Somebody else edited this checklist; boxes that the edit ticked do not count." in text
    await edit(signing, posted, f"{WHOLE}\n", by="ann")  # nothing changed, so nobody spoke
    assert header(about(signing, posted)) == "REJECTED"
    await edit(signing, posted, f"{WHOLE}\n\nSeen.", by="ann")
    assert header(about(signing, posted)) == "PASS"
    assert "Somebody else" not in about(signing, posted)


async def test_a_tick_by_somebody_else_is_remembered_where_nothing_is_verified(signing: BotWorld) -> None:
    """On a draft nothing is verified, and yet the edit is not forgotten."""
    await used(signing)
    posted = await say(signing, LEFT_OPEN, by="ann")
    signing.people.set_draft(signing.repo, signing.pull, draft=True, by="pat")
    await edit(signing, posted, WHOLE, by="maria")
    assert header(about(signing, posted)) == "REJECTED"
    await say(signing, f"/signoff verify {address(signing, posted)}", by="maria")
    assert header(about(signing, posted)) == "REJECTED"
    assert "Somebody else edited this checklist" in about(signing, posted)


async def test_a_tick_of_which_nobody_was_told_is_not_believed(signing: BotWorld) -> None:
    await used(signing)
    posted = await say(signing, LEFT_OPEN, by="ann")
    async with unheard(signing):
        signing.people.edit_comment(signing.repo, posted, WHOLE, by="maria")
    await say(signing, f"/signoff verify {address(signing, posted)}", by="maria")
    assert header(about(signing, posted)) == "REJECTED"
    await signing.push({"docs/notes.md": b"More.\n"})
    assert "Somebody else edited this checklist" in about(signing, posted)


async def test_a_captured_edit_that_is_sent_again_clears_no_doubt(signing: BotWorld) -> None:
    await used(signing)
    posted = await say(signing, WHOLE, by="ann")
    await edit(signing, posted, LEFT_OPEN, by="ann")
    await edit(signing, posted, WHOLE, by="maria")
    before = about(signing, posted)
    assert header(before) == "REJECTED"
    for delivery in [one for one in signing.github.hooks.deliveries if one.event == "issue_comment"]:
        resend(signing.github.hooks, delivery)
    await signing.settled()
    assert about(signing, posted) == before


async def test_a_review_is_edited_and_dismissed(signing: BotWorld) -> None:
    await used(signing)
    posted = await review(signing, LEFT_OPEN)
    assert header(about(signing, posted)) == "REJECTED"
    reviewing(signing).edit_review(signing.repo, posted, WHOLE, by="ann")
    await signing.settled()
    assert header(about(signing, posted)) == "PASS"
    before = said(signing)
    reviewing(signing).dismiss(signing.repo, posted, by="maria")
    await signing.settled()
    assert said(signing) == before


async def test_a_push_says_how_far_the_head_moved(signing: BotWorld) -> None:
    posted = await say(signing, WHOLE, by="ann")
    assessed = signing.pull.head
    for text in (b"More notes.\n", b"Still more.\n"):
        await signing.push({"docs/notes.md": text})
    text = about(signing, posted)
    assert f"Assessed commit: `{assessed}`  \nThe head has moved: 2 commits since were not assessed." in text
    await edit(signing, posted, f"{WHOLE}\n\nStill fine.", by="ann")
    assert f"Assessed commit: `{signing.pull.head}`" in about(signing, posted)
    assert "The head has moved" not in about(signing, posted)


async def test_a_push_that_is_refused_says_so_too(signing: BotWorld) -> None:
    posted = await say(signing, WHOLE, by="ann")
    signing.people.push(signing.repo, "main", {".github/gatekit.yml": b"tolerance: wide\n"}, by="maria")
    await signing.push({"docs/notes.md": b"More.\n"})
    assert ".github/gatekit.yml:1" in signing.reply
    assert "The head has moved: 1 commit since was not assessed." in about(signing, posted)


async def test_the_head_moves_meanwhile_and_it_starts_again(signing: BotWorld) -> None:
    gate = asyncio.Event()
    signing.github.faults.on("GET", FACTS, Hold(gate))
    posted = signing.people.comment(signing.repo, signing.pull, WHOLE, by="ann")
    await until(lambda: any(call.path.endswith("/files") for call in signing.github.calls))
    signing.people.push(signing.repo, "notes", {"docs/notes.md": b"Newer.\n"}, by="pat")
    gate.set()
    await signing.settled()
    assert f"Assessed commit: `{signing.pull.head}`" in about(signing, posted)
    assert "The head has moved" not in about(signing, posted)
    assert signing.journal.count("PATCH {comment_id}") == 0


async def test_where_it_cannot_be_verified_an_earlier_verdict_is_withdrawn(signing: BotWorld) -> None:
    await used(signing)
    posted = await say(signing, WHOLE, by="ann")
    assert header(about(signing, posted)) == "PASS"
    signing.github.faults.on("GET", "/repos/*/compare/*", Answer(502), times=100)
    await edit(signing, posted, LEFT_OPEN, by="ann")
    assert about(signing, posted).startswith("This sign-off could not be verified: ")
    assert signing.reply == ""  # one answer is enough
    signing.github.faults.clear()
    await signing.push({"docs/notes.md": b"More.\n"})
    assert about(signing, posted).startswith("This sign-off could not be verified: ")  # the old yes does not come back
    await say(signing, f"/signoff verify {address(signing, posted)}", by="maria")
    assert header(about(signing, posted)) == "REJECTED"


async def test_the_comment_leads_to_the_page_with_the_evidence(tmp_path: Path) -> None:
    async with signing_world(tmp_path, public_url="https://gate.example/") as world:
        posted = await say(world, WHOLE, by="ann")
        path = f"/signoffs/gatekit-demo/bench/{world.pull.number}/{key(posted)}"
        assert f"[Evidence of each row](https://gate.example{path})" in about(world, posted)
        async with ClientSession() as web, web.get(world.bot.operator_url + path) as answer:
            assert answer.status == 200
            assert "item 8: Nothing in it is deprecated" in Page(await answer.text()).words


async def test_a_command_that_fails_for_good_withdraws_what_was_said(signing: BotWorld) -> None:
    await used(signing)
    posted = await say(signing, WHOLE, by="ann")
    signing.github.faults.on("GET", "/repos/*/compare/*", Answer(502), times=100)
    await say(signing, f"/signoff verify {address(signing, posted)}", by="maria")
    assert about(signing, posted).startswith("This sign-off could not be verified: ")
    await say(signing, "/signoff verify https://github.example/x#issuecomment-7", by="maria")
    await say(signing, "/signoff who", by="maria")
    assert signing.reply.startswith("Something went wrong on our side")
    assert set(said(signing)) == {key(posted), "answer"}
