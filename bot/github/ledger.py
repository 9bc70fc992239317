"""The bot's memory of its comments: which comment fills a slot, and what it says."""

from dataclasses import dataclass
from typing import Protocol

from gatekit.comments.slots import AnySlot
from gatekit.domain.ids import PrRef


@dataclass(frozen=True, slots=True)
class Remembered:
    comment: int  # GitHub's id
    digest: str  # SHA-256 of the text that it is known to read, hex; empty: not known


class SlotLedger(Protocol):
    """Durable when it returns. GitHub is asked where the ledger knows nothing."""

    async def recall(self, pr: PrRef, slot: AnySlot) -> Remembered | None: ...

    async def remember(self, pr: PrRef, slot: AnySlot, comment: Remembered) -> None: ...

    async def forget(self, pr: PrRef, slot: AnySlot) -> None: ...
