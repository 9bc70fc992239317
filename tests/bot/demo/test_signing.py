"""The sign-off of the story: what its reviewer posts, and what becomes of it."""

from pathlib import Path

from bot.demo import sample_pr
from bot.demo.signing import EXPECTED, Desk, differences, sign
from bot.demo.telling import Teller
from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.checklist.form import Box
from gatekit.signoff.checklist.template import template_form
from tests.worlds.bot.bot_world import bot_world


def test_the_form_is_that_of_the_page_with_one_box_left_open() -> None:
    page = template_form(sample_pr.base()[sample_pr.CHECKLIST].decode(), sample_pr.CHECKLIST)
    filled = CommentText(sample_pr.sign_off(open_box=2)).form
    assert [item.text for item in filled.items] == [item.text for item in page.items]
    assert [number for number, item in enumerate(filled.items, 1) if item.box is Box.OPEN] == [2]
    assert {item.box for item in CommentText(sample_pr.sign_off(open_box=None)).form.items} == {Box.TICKED}


async def test_it_is_rejected_mended_and_passed(tmp_path: Path) -> None:
    lines: list[str] = []
    async with bot_world(tmp_path) as world:
        headers = await sign(Desk(world.github, world.bot, world.repo, Teller(lines.append)))
    assert headers == EXPECTED
    assert any("Check 5 (latest template, nothing missing): FAIL" in line for line in lines)
    assert differences(headers) == ()


def test_another_end_is_told() -> None:
    assert differences(("PASS", "PASS")) == (
        "the sign-off should be REJECTED and then PASS, but was PASS and then PASS",
    )
