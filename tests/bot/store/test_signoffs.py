"""The bot's memory of sign-offs: what was heard, what was said, and the last verdict, each by itself."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.store.database import Database
from bot.store.signoffs import SignOffStore
from gatekit.domain.ids import PrRef, Repo, Sha
from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.checks.verdict import verify
from gatekit.signoff.edits import Heard, ticked
from gatekit.signoff.resource import Resource, Surface
from handlers.ports.memory import NOTHING, SignOffComment, SignOffMemory
from tests.worlds.bot.hand_clock import HandClock
from tests.worlds.signoff.checklist import form
from tests.worlds.signoff.signed import HEAD, clean

PR, OTHER = PrRef(Repo("acme", "bench"), 7), PrRef(Repo("acme", "bench"), 8)
VERDICT = verify(clean(), HEAD, clean().sign_off.author)
WHAT, REVIEW = VERDICT.resource, Resource(Surface.REVIEW, 12)
HEARD = Heard(ticked(CommentText(form())), True, None, datetime(2026, 10, 5, 12, tzinfo=UTC))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SignOffStore]:
    async with Database(tmp_path / "gatekit.db") as db:
        yield SignOffStore(db, HandClock())


async def test_of_what_was_never_there_nothing_is_known(store: SignOffStore) -> None:
    assert await store.remembered(PR, WHAT) == NOTHING
    assert await store.answered(PR) == {}


async def test_everything_comes_back_as_it_was(store: SignOffStore) -> None:
    await store.heard(PR, WHAT, HEARD)
    await store.keep(PR, VERDICT)
    assert await store.remembered(PR, WHAT) == SignOffMemory(VERDICT, HEARD, SignOffComment.VERDICT, HEAD)
    assert await store.remembered(OTHER, WHAT) == NOTHING
    assert await store.remembered(PR, replace(WHAT, surface=Surface.INLINE)) == NOTHING


async def test_what_is_said_since_leaves_the_verdict_and_what_was_heard(store: SignOffStore) -> None:
    await store.heard(PR, WHAT, HEARD)
    await store.keep(PR, VERDICT)
    await store.say(PR, WHAT, SignOffComment.FAILED, None)
    assert await store.remembered(PR, WHAT) == SignOffMemory(VERDICT, HEARD, SignOffComment.FAILED, None)


async def test_those_about_which_something_was_said(store: SignOffStore) -> None:
    await store.heard(PR, Resource(Surface.INLINE, 3), HEARD)
    await store.keep(PR, VERDICT)
    await store.say(PR, REVIEW, SignOffComment.NOT_NEEDED, Sha("2" * 40))
    await store.say(OTHER, REVIEW, SignOffComment.HINT, None)
    found = await store.answered(PR)
    assert {resource: known.said for resource, known in found.items()} == {
        WHAT: SignOffComment.VERDICT,
        REVIEW: SignOffComment.NOT_NEEDED,
    }
