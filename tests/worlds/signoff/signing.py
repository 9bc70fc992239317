"""The bot's world with owners and a checklist, and a pull request that changes documents only.

`ann` and `maria` own the documents, `boss` is an administrator, `tom` may only triage; `pat` opened the pull request.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from bot.demo.github.people import Opening
from bot.demo.github.reviews import InlineComment, Review
from bot.demo.github.world import Comment, Role
from tests.worlds.bench.bench_pr import Setting
from tests.worlds.bot.bot_world import BotWorld, bot_world
from tests.worlds.crashes.crash_drill import CrashDrill
from tests.worlds.github.actions import a_run, say
from tests.worlds.github.reviewing import Reviewing
from tests.worlds.signoff.checklist import form, open_box, page

CHECKLIST = "docs/PR_REVIEW_CHECKLIST.md"
OWNERS = """\
* @gatekit-demo/core
/docs/ @maria @ann
/amd/ @ann
/nv/ @maria
/boss/ @boss
/gpu/ @gatekit-demo/gpu
"""
TEXT = {"docs/notes.md": b"Notes.\n"}
WHOLE, LEFT_OPEN = form(signed="ann"), form(open_box("8"), signed="ann")


def grounds(**more: bytes) -> Mapping[str, bytes]:
    """The files of the base beside the bench's own."""
    return {CHECKLIST: page().encode(), ".github/CODEOWNERS": OWNERS.encode(), **more}


@asynccontextmanager
async def signing_world(
    folder: Path, edits: Mapping[str, bytes] = TEXT, *, draft: bool = False, public_url: str | None = None
) -> AsyncIterator[BotWorld]:
    async with bot_world(folder, Setting(base=grounds(), public_url=public_url)) as world:
        for login, role in (("ann", Role.WRITE), ("boss", Role.ADMIN)):
            world.people.invite(world.repo, login, role)
        propose(world, "notes", edits, draft=draft)
        await world.settled()
        yield world


def propose(
    world: BotWorld | CrashDrill, branch: str, edits: Mapping[str, bytes | None], *, draft: bool = False
) -> None:
    """Another pull request, which is the world's from now on."""
    world.people.branch(world.repo, branch)
    world.people.push(world.repo, branch, edits, by="pat")
    opening = Opening(branch, "pat", "Change it", "No claims.", head_repo=world.repo, draft=draft)
    world.pull = world.people.open_pull(world.repo, opening)


def reviewing(world: BotWorld) -> Reviewing:
    return Reviewing(world.people)


async def review(world: BotWorld, body: str = WHOLE, by: str = "ann", state: str = "APPROVED") -> Review:
    found = reviewing(world).review(world.repo, world.pull, body, by=by, state=state)
    await world.settled()
    return found


async def inline(world: BotWorld, body: str = WHOLE, by: str = "ann") -> InlineComment:
    found = reviewing(world).inline(world.repo, world.pull, body, by=by)
    await world.settled()
    return found


def key(posted: Comment | Review | InlineComment) -> str:
    kinds = {Comment: "issuecomment-", Review: "pullrequestreview-", InlineComment: "discussion_r"}
    return f"{kinds[type(posted)]}{posted.id}"


def address(world: BotWorld | CrashDrill, posted: Comment | Review | InlineComment) -> str:
    return f"https://github.example/{world.repo.full_name}/pull/{world.pull.number}#{key(posted)}"


def said(world: BotWorld | CrashDrill) -> dict[str, str]:
    """The bodies of our comments about sign-offs, by the rest of their marker."""
    found: dict[str, str] = {}
    for comment in world.repo.comments.values():
        first, _, body = comment.body.partition("\n")
        if comment.by_app and first.startswith("<!-- gatekit:signoff "):
            name = first.removeprefix("<!-- gatekit:signoff ").removesuffix(" -->")
            assert name not in found, f"{name} stands twice"
            found[name] = body
    return found


def about(world: BotWorld | CrashDrill, posted: Comment | Review | InlineComment) -> str:
    return said(world).get(key(posted), "")


def header(text: str) -> str:
    """PASS, WARN, INCOMPLETE or REJECTED; empty where the text is no verdict."""
    first = text.partition("\n")[0]
    return first.rpartition(" ")[2] if first.startswith("## ") else ""


def row(text: str, number: int) -> str:
    """One row of a verdict, from its outcome on."""
    (found,) = (line for line in text.splitlines() if f"Check {number} (" in line)
    return found.partition("): ")[2]


async def used(world: BotWorld) -> None:
    """With a run selected, nothing is left that advice could be given on."""
    a_run(world)
    await say(world, f"/use {a_run(world).id}")
