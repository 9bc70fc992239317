"""A slot ledger that forgets with the process."""

from bot.github.comments import SlotMemory
from gatekit.domain.ids import PrRef


class MemoryLedger:
    def __init__(self) -> None:
        self._held: dict[tuple[PrRef, str], SlotMemory] = {}

    async def recall(self, pr: PrRef, slot: str) -> SlotMemory | None:
        return self._held.get((pr, slot))

    async def remember(self, pr: PrRef, slot: str, comment: SlotMemory) -> None:
        self._held[pr, slot] = comment

    async def forget(self, pr: PrRef, slot: str) -> None:
        self._held.pop((pr, slot), None)
