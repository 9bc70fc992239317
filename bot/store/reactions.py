"""Which reactions of ours stand on which comment, in the bot's database: fills bot.github.reactions.ReactionLedger."""

from bot.github.reactions import Given
from bot.store.database import Database
from bot.store.sweep_steps import of_pr
from gatekit.domain.ids import PrRef
from gatekit.use.decision import Reaction


class ReactionStore:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def given(self, pr: PrRef) -> tuple[Given, ...]:
        rows = await self._db.read(
            lambda conn: conn.execute(
                "SELECT comment, content, id FROM reactions WHERE owner = ? AND repo = ? AND number = ?"
                " ORDER BY comment, content",
                of_pr(pr),
            ).fetchall()
        )
        return tuple(Given(comment, Reaction(content), number) for comment, content, number in rows)

    async def note(self, pr: PrRef, given: Given) -> None:
        await self._db.write(
            lambda conn: conn.execute(
                "INSERT OR REPLACE INTO reactions (owner, repo, number, comment, content, id)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (*of_pr(pr), given.comment, given.reaction, given.id),
            )
        )

    async def forget(self, pr: PrRef, given: Given) -> None:
        await self._db.write(
            lambda conn: conn.execute(
                "DELETE FROM reactions WHERE owner = ? AND repo = ? AND number = ? AND comment = ? AND content = ?",
                (*of_pr(pr), given.comment, given.reaction),
            )
        )
