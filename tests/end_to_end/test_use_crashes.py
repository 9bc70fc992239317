"""kill -9 around each step of a `/use` and of a merge: one decision, one reaction, one answer, and no job twice."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.demo.github.merging import Merging
from bot.store.audit import AuditStore
from gatekit.comments.slots import Slot, carries
from gatekit.domain.audit import Subject
from gatekit.domain.ids import PrRef, Repo
from gatekit.domain.sweep import Cause, SweepState
from handlers.ports.github import Conversation
from handlers.ports.memory import Uses
from tests.worlds.crashes.crash_drill import CrashDrill, crash_drill
from tests.worlds.crashes.crashing_bot import Nursery, Point, nursery
from tests.worlds.github.actions import RUN, a_run, reaction

ISSUES = "/repos/{owner}/{repo}/issues"
POST_COMMENT, POST_REACTION = (
    f"POST {ISSUES}/{{issue_number}}/comments",
    f"POST {ISSUES}/comments/{{comment_id}}/reactions",
)
POST_CHECK = "POST /repos/{owner}/{repo}/check-runs"


def around(step: str, nth: int = 1) -> list[Point]:
    return [Point(step, after, nth) for after in (False, True)]


def named(point: Point) -> str:
    return f"{'after' if point.after else 'before'} {point.step.replace('/repos/{owner}/{repo}/', '')} {point.nth}"


USING = [
    *around("uses.edited"),
    *around("uses.keep"),
    *around("conversation.react"),
    *around(POST_REACTION),
    *around(POST_COMMENT),
]
MERGING = [*around("sweeps.create"), *around("uses.keep_merge"), *around(POST_CHECK, 2)]
READS = {"conversation.comments", "uses.edits", "uses.kept", "uses.kept_merge"}
OF_SIGN_OFFS = {"conversation.mark"}


def test_around_every_effect_of_a_command_a_bot_is_killed() -> None:
    doors = {"conversation": Conversation, "uses": Uses}
    effects = {f"{name}.{step}" for name, door in doors.items() for step in vars(door) if not step.startswith("_")}
    for after in (False, True):
        visited = {point.step for point in (*USING, *MERGING) if point.after is after}
        assert effects - READS - OF_SIGN_OFFS - visited == set()


@pytest.fixture(scope="module")
def bots() -> Iterator[Nursery]:
    with nursery() as opened:
        yield opened


async def decided(drill: CrashDrill, subject: Subject) -> list[str]:
    owner, _, name = drill.repo.full_name.partition("/")
    lines = await AuditStore(drill.db).of_pr(PrRef(Repo(owner, name), drill.pull.number))
    return [line.note.outcome for line in lines if line.note.subject is subject]


def slots(drill: CrashDrill) -> list[Slot]:
    """Of the bot's comments, each."""
    ours = [one.body for one in drill.repo.comments.values() if one.by_app]
    return [slot for body in ours for slot in Slot if carries(slot, body)]


@pytest.mark.parametrize("point", USING, ids=named)
async def test_a_command_survives(tmp_path: Path, bots: Nursery, point: Point) -> None:
    async with crash_drill(tmp_path, bots) as drill:
        a_run(drill)
        bot = await drill.bot(point, ending=True)
        comment = drill.people.comment(drill.repo, drill.pull, "Looks good.", by="maria")
        drill.people.edit_comment(drill.repo, comment, f"/use {RUN}", by="maria")
        await drill.another(bot, ending=True)
        await drill.at_rest()
        assert reaction(comment) == "+1"
        assert slots(drill) == [Slot.USE]
        assert await decided(drill, Subject.USE) == ["accepted"]
        (check,) = drill.repo.checks.values()
        assert (check.said["external_id"], check.said["conclusion"]) == ("use", "neutral")
        assert await drill.sweeps() == ()


@pytest.mark.parametrize("point", MERGING, ids=named)
async def test_a_merge_survives(tmp_path: Path, bots: Nursery, point: Point) -> None:
    async with crash_drill(tmp_path, bots) as drill:
        bot = await drill.bot(point, ending=True)
        sha = Merging(drill.people).merge(drill.repo, drill.pull, by="maria")
        await drill.another(bot, ending=True)
        await drill.at_rest()
        (sweep,) = await drill.sweeps()
        assert (sweep.cause, sweep.head, sweep.state) == (Cause.MERGE, sha, SweepState.DONE)
        assert len(drill.cluster.started) == len(drill.cluster.submitted) == 4
        assert slots(drill) == [Slot.GATES]
        assert await decided(drill, Subject.MERGE) == ["rerun"]
        assert len(await decided(drill, Subject.GATE)) == 4
        checks = {str(run.said["name"]): run for run in drill.repo.checks.values()}
        assert (set(checks), len(drill.repo.checks)) == ({"acceptance length", "sweep reuse"}, 2)
        output = checks["sweep reuse"].said["output"]
        told = json.loads(output["text"].removeprefix("```json\n").removesuffix("\n```"))  # type: ignore[index]
        assert (told["outcome"], told["sweep"], told["merge_sha"]) == ("rerun", 1, sha)
