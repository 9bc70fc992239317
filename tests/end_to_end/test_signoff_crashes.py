"""kill -9 around each step of a sign-off: one verdict comment of the last state, one word about it, one reaction."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.demo.github.world import Role
from handlers.ports.memory import SignOffs
from tests.worlds.bench.bench_pr import Setting
from tests.worlds.crashes.crash_drill import CrashDrill, crash_drill
from tests.worlds.crashes.crashing_bot import Nursery, Point, nursery
from tests.worlds.github.actions import reaction
from tests.worlds.signoff.signing import LEFT_OPEN, TEXT, WHOLE, about, address, grounds, header, key, propose, said

COMMENTS = "/repos/{owner}/{repo}/issues"
POST, PATCH = f"POST {COMMENTS}/{{issue_number}}/comments", f"PATCH {COMMENTS}/comments/{{comment_id}}"
POST_REACTION = f"POST {COMMENTS}/comments/{{comment_id}}/reactions"


def around(step: str, nth: int = 1) -> list[Point]:
    return [Point(step, after, nth) for after in (False, True)]


def named(point: Point) -> str:
    return f"{'after' if point.after else 'before'} {point.step.replace('/repos/{owner}/{repo}/', '')} {point.nth}"


POSTING = [*around("sign_offs.heard"), *around(POST), *around("sign_offs.keep")]
EDITING = [*around("sign_offs.heard", 2), *around(PATCH), *around(POST, 2), *around("sign_offs.keep", 2)]
ASKING = [*around("conversation.mark"), *around(POST_REACTION)]
ELSEWHERE = {"sign_offs.remembered", "sign_offs.answered", "sign_offs.say"}  # reads; and words in place of a verdict


def test_around_every_effect_a_bot_is_killed() -> None:
    effects = {f"sign_offs.{step}" for step in vars(SignOffs) if not step.startswith("_")}
    for points in (POSTING, EDITING):
        assert effects - ELSEWHERE == {point.step for point in points if point.step.startswith("sign_offs.")}


@pytest.fixture(scope="module")
def bots() -> Iterator[Nursery]:
    with nursery() as opened:
        yield opened


def begin(drill: CrashDrill) -> None:
    drill.people.invite(drill.repo, "ann", Role.WRITE)
    propose(drill, "notes", TEXT)


@pytest.mark.parametrize("point", [*POSTING, *EDITING], ids=named)
async def test_a_sign_off_survives(tmp_path: Path, bots: Nursery, point: Point) -> None:
    async with crash_drill(tmp_path, bots, Setting(base=grounds())) as drill:
        begin(drill)
        bot = await drill.bot(point, ending=True)
        posted = drill.people.comment(drill.repo, drill.pull, LEFT_OPEN, by="ann")
        if point in POSTING:
            bot = await drill.another(bot, ending=True)
        await drill.at_rest()
        assert header(about(drill, posted)) == "REJECTED"
        drill.people.edit_comment(drill.repo, posted, WHOLE, by="ann")
        if point in EDITING:
            await drill.another(bot, ending=True)
        await drill.at_rest()
        assert header(about(drill, posted)) == "WARN"
        assert set(said(drill)) == {key(posted), f"{key(posted)} WARN {drill.pull.head[:12]}"}


@pytest.mark.parametrize("point", ASKING, ids=named)
async def test_a_command_survives(tmp_path: Path, bots: Nursery, point: Point) -> None:
    async with crash_drill(tmp_path, bots, Setting(base=grounds())) as drill:
        begin(drill)
        bot = await drill.bot(point, ending=True)
        posted = drill.people.comment(drill.repo, drill.pull, WHOLE, by="ann")
        await drill.at_rest()
        asked = drill.people.comment(drill.repo, drill.pull, f"/signoff verify {address(drill, posted)}", by="maria")
        await drill.another(bot, ending=True)
        await drill.at_rest()
        assert reaction(asked) == "+1"
        assert set(said(drill)) == {key(posted)}
