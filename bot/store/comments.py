"""The bot's memory of what it put on pull requests: which comment fills which slot, which reactions stand."""

import sqlite3

from bot.github.comments import SlotMemory
from bot.github.conversation import GivenReaction
from bot.store.database import Database
from bot.store.sweeps import of_pr
from gatekit.domain.ids import PrRef
from gatekit.use.decision import Reaction


class SlotStore:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def recall(self, pr: PrRef, slot: str) -> SlotMemory | None:
        def read(conn: sqlite3.Connection) -> SlotMemory | None:
            row = conn.execute(
                "SELECT comment, digest FROM slots WHERE owner = ? AND repo = ? AND number = ? AND slot = ?",
                _key(pr, slot),
            ).fetchone()
            return None if row is None else SlotMemory(row[0], row[1])

        return await self._db.read(read)

    async def remember(self, pr: PrRef, slot: str, comment: SlotMemory) -> None:
        await self._db.write(
            lambda conn: conn.execute(
                "INSERT OR REPLACE INTO slots (owner, repo, number, slot, comment, digest) VALUES (?, ?, ?, ?, ?, ?)",
                (*_key(pr, slot), comment.comment, comment.digest),
            )
        )

    async def forget(self, pr: PrRef, slot: str) -> None:
        await self._db.write(
            lambda conn: conn.execute(
                "DELETE FROM slots WHERE owner = ? AND repo = ? AND number = ? AND slot = ?", _key(pr, slot)
            )
        )


def _key(pr: PrRef, slot: str) -> tuple[str, str, int, str]:
    return (pr.repo.owner, pr.repo.name, pr.number, slot)


class ReactionStore:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def given(self, pr: PrRef) -> tuple[GivenReaction, ...]:
        rows = await self._db.read(
            lambda conn: conn.execute(
                "SELECT comment, content, id FROM reactions WHERE owner = ? AND repo = ? AND number = ?"
                " ORDER BY comment, content",
                of_pr(pr),
            ).fetchall()
        )
        return tuple(GivenReaction(comment, Reaction(content), number) for comment, content, number in rows)

    async def note(self, pr: PrRef, given: GivenReaction) -> None:
        await self._db.write(
            lambda conn: conn.execute(
                "INSERT OR REPLACE INTO reactions (owner, repo, number, comment, content, id)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (*of_pr(pr), given.comment, given.reaction, given.id),
            )
        )

    async def forget(self, pr: PrRef, given: GivenReaction) -> None:
        await self._db.write(
            lambda conn: conn.execute(
                "DELETE FROM reactions WHERE owner = ? AND repo = ? AND number = ? AND comment = ? AND content = ?",
                (*of_pr(pr), given.comment, given.reaction),
            )
        )
