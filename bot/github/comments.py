"""The bot's comments: one per slot, edited in place, never posted twice; remembered in a ledger."""

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol
from weakref import WeakValueDictionary

from bot.github.client import GitHubApp
from bot.github.fields import at, text, whole
from bot.github.operations import CREATE_COMMENT, LIST_COMMENTS, UPDATE_COMMENT
from bot.github.outcome import LostAnswer, RestRequest, names
from gatekit.comments.limits import MAX_COMMENT, SENTENCE, fit
from gatekit.comments.slots import AnySlot, carries, marked
from gatekit.domain.ids import PrRef
from handlers.errors import NotThere


@dataclass(frozen=True, slots=True)
class SlotMemory:
    comment: int  # GitHub's id
    digest: str  # SHA-256 of the text that it is known to read, hex; empty: not known


class SlotLedger(Protocol):
    """By the slot's value. Durable when it returns. GitHub is asked where the ledger knows nothing."""

    async def recall(self, pr: PrRef, slot: str) -> SlotMemory | None: ...

    async def remember(self, pr: PrRef, slot: str, comment: SlotMemory) -> None: ...

    async def forget(self, pr: PrRef, slot: str) -> None: ...


log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Comment:
    id: int
    body: str

    def reads(self, wanted: str) -> bool:
        """GitHub may give other line ends back, and no blank at the end."""
        return self.body.replace("\r\n", "\n").rstrip() == wanted.rstrip()


class GitHubComments:
    """Fills handlers.ports.github.Comments."""

    def __init__(self, app: GitHubApp, ledger: SlotLedger) -> None:
        self._app = app
        self._ledger = ledger
        self._locks: WeakValueDictionary[tuple[PrRef, AnySlot], asyncio.Lock] = WeakValueDictionary()

    async def upsert(self, pr: PrRef, slot: AnySlot, body: str) -> None:
        """Raises LookupFailed where GitHub did not confirm it; calling again is safe and goes on where this ended."""
        wanted = fit(marked(slot, body), MAX_COMMENT, SENTENCE)
        lock = self._locks.setdefault((pr, slot), asyncio.Lock())
        async with lock:
            comment = await self._settle(pr, slot, wanted)
            if comment is not None:
                await self._ledger.remember(pr, slot.value, SlotMemory(comment, digest(wanted)))

    async def amend(self, pr: PrRef, slot: AnySlot, body: str) -> None:
        """Raises LookupFailed where GitHub did not confirm it."""
        if await self._ledger.recall(pr, slot.value) is not None:
            await self.upsert(pr, slot, body)

    async def _settle(self, pr: PrRef, slot: AnySlot, wanted: str) -> int | None:
        """The comment that now reads `wanted`; None where the ledger knew that already."""
        known = await self._ledger.recall(pr, slot.value)
        if known is not None and known.digest == digest(wanted):
            return None
        if known is not None and await self._edit(pr, known.comment, wanted):
            return known.comment
        if known is not None:
            await self._ledger.forget(pr, slot.value)
        found = await self._oldest(pr, slot)
        if found is not None and (found.reads(wanted) or await self._edit(pr, found.id, wanted)):
            return found.id
        return await self._post(pr, slot, wanted)

    async def _edit(self, pr: PrRef, comment: int, wanted: str) -> bool:
        """False where somebody deleted the comment."""
        try:
            await self._app.call(
                pr.repo, RestRequest(UPDATE_COMMENT, {**names(pr.repo), "comment_id": comment}, {}, {"body": wanted})
            )
        except NotThere:
            return False
        return True

    async def _post(self, pr: PrRef, slot: AnySlot, wanted: str) -> int:
        ask = RestRequest(CREATE_COMMENT, {**names(pr.repo), "issue_number": pr.number}, {}, {"body": wanted})
        try:
            answer = await self._app.call(pr.repo, ask)
        except LostAnswer as lost:
            return await self._adopt(pr, slot, wanted, lost)
        return whole(answer.json(), "id")

    async def _adopt(self, pr: PrRef, slot: AnySlot, wanted: str, lost: LostAnswer) -> int:
        """What a request without an answer left behind. Where nothing is seen yet, the next upsert looks again."""
        for seconds in self._app.limits.look_again:
            await self._app.time.sleep(seconds)
            found = await self._oldest(pr, slot)
            if found is not None and (found.reads(wanted) or await self._edit(pr, found.id, wanted)):
                return found.id
        raise lost

    async def _oldest(self, pr: PrRef, slot: AnySlot) -> _Comment | None:
        own = sorted([comment async for comment in self._own(pr, slot)], key=lambda comment: comment.id)
        if len(own) > 1:
            extra = ", ".join(str(comment.id) for comment in own[1:])
            log.warning("%s has more than one %s comment; %d is kept current, not %s", pr, slot, own[0].id, extra)
        return own[0] if own else None

    async def _own(self, pr: PrRef, slot: AnySlot) -> AsyncIterator[_Comment]:
        async for item in self._app.listed(
            pr.repo, RestRequest(LIST_COMMENTS, {**names(pr.repo), "issue_number": pr.number})
        ):
            body = at(item, "body")
            if is_own(item, self._app.app_id) and isinstance(body, str) and carries(slot, body):
                yield _Comment(whole(item, "id"), text(item, "body"))


def is_own(item: object, app_id: int) -> bool:
    """Did our App write this comment, as itself? A person can write "through" an App, but stays a User."""
    return at(item, "performed_via_github_app", "id") == app_id and at(item, "user", "type") == "Bot"


def digest(wanted: str) -> str:
    return hashlib.sha256(wanted.encode()).hexdigest()
