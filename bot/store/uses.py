"""The bot's memory of `/use`: what a pull request's commands came to, who edited which comment, and merges."""

import sqlite3
from collections.abc import Mapping

from pydantic import TypeAdapter

from bot.store.audit import add, last_use, tell
from bot.store.database import Database
from bot.store.sweeps import of_pr
from gatekit.domain.audit import Note
from gatekit.domain.ids import Login, PrRef
from gatekit.use.conversation import CommentEdit
from gatekit.use.decision import Decision
from gatekit.use.merge import Merge
from handlers.ports.bundle import Clock

_DECISION: TypeAdapter[Decision] = TypeAdapter(Decision)
_MERGE: TypeAdapter[Merge] = TypeAdapter(Merge)
_OF_PR = "owner = ? AND repo = ? AND number = ?"


class UseStore:
    """Fills handlers.ports.memory.Uses."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def edited(self, pr: PrRef, edit: CommentEdit) -> None:
        await self._db.write(
            lambda conn: conn.execute(
                "INSERT OR REPLACE INTO comment_edits (comment, owner, repo, number, editor, digest)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (edit.comment, *of_pr(pr), edit.editor, edit.digest),
            )
        )

    async def edits(self, pr: PrRef) -> Mapping[int, CommentEdit]:
        rows = await self._db.read(
            lambda conn: conn.execute(
                f"SELECT comment, editor, digest FROM comment_edits WHERE {_OF_PR}", of_pr(pr)
            ).fetchall()
        )
        return {comment: CommentEdit(comment, Login(editor), digest) for comment, editor, digest in rows}

    async def keep(self, pr: PrRef, decision: Decision | None, note: Note | None) -> None:
        now = self._clock.now().isoformat()

        def write(conn: sqlite3.Connection) -> tuple[Note, ...]:
            if decision is None:
                conn.execute(f"DELETE FROM uses WHERE {_OF_PR}", of_pr(pr))
            else:
                conn.execute(
                    "INSERT OR REPLACE INTO uses (owner, repo, number, decision) VALUES (?, ?, ?, ?)",
                    (*of_pr(pr), _DECISION.dump_json(decision).decode()),
                )
            news = () if note is None or note == last_use(conn, pr) else (note,)
            add(conn, now, pr, news)
            return news

        tell(pr, await self._db.write(write))

    async def kept(self, pr: PrRef) -> Decision | None:
        row = await self._db.read(
            lambda conn: conn.execute(f"SELECT decision FROM uses WHERE {_OF_PR}", of_pr(pr)).fetchone()
        )
        return None if row is None else _DECISION.validate_json(row[0])

    async def keep_merge(self, merge: Merge, note: Note) -> None:
        now = self._clock.now().isoformat()

        def write(conn: sqlite3.Connection) -> tuple[Note, ...]:
            kept = conn.execute(
                "INSERT OR IGNORE INTO merges (owner, repo, number, answer) VALUES (?, ?, ?, ?)",
                (*of_pr(merge.pr), _MERGE.dump_json(merge).decode()),
            ).rowcount
            news = (note,) if kept else ()
            add(conn, now, merge.pr, news)
            return news

        tell(merge.pr, await self._db.write(write))

    async def kept_merge(self, pr: PrRef) -> Merge | None:
        row = await self._db.read(
            lambda conn: conn.execute(f"SELECT answer FROM merges WHERE {_OF_PR}", of_pr(pr)).fetchone()
        )
        return None if row is None else _MERGE.validate_json(row[0])
