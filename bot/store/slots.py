"""Which comment fills which slot, in the bot's database: fills bot.github.ledger.SlotLedger."""

import sqlite3

from bot.github.ledger import Remembered
from bot.store.database import Database
from gatekit.comments.slots import AnySlot
from gatekit.domain.ids import PrRef


class SlotStore:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def recall(self, pr: PrRef, slot: AnySlot) -> Remembered | None:
        def read(conn: sqlite3.Connection) -> Remembered | None:
            row = conn.execute(
                "SELECT comment, digest FROM slots WHERE owner = ? AND repo = ? AND number = ? AND slot = ?",
                _key(pr, slot),
            ).fetchone()
            return None if row is None else Remembered(row[0], row[1])

        return await self._db.read(read)

    async def remember(self, pr: PrRef, slot: AnySlot, comment: Remembered) -> None:
        await self._db.write(
            lambda conn: conn.execute(
                "INSERT OR REPLACE INTO slots (owner, repo, number, slot, comment, digest) VALUES (?, ?, ?, ?, ?, ?)",
                (*_key(pr, slot), comment.comment, comment.digest),
            )
        )

    async def forget(self, pr: PrRef, slot: AnySlot) -> None:
        await self._db.write(
            lambda conn: conn.execute(
                "DELETE FROM slots WHERE owner = ? AND repo = ? AND number = ? AND slot = ?", _key(pr, slot)
            )
        )


def _key(pr: PrRef, slot: AnySlot) -> tuple[str, str, int, str]:
    return (pr.repo.owner, pr.repo.name, pr.number, slot.value)
