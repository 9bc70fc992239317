"""The bot's memory of `/use`: what a pull request's commands came to, who edited which comment, and the audit."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter

from bot.store.database import Database
from bot.store.sweep_steps import of_pr
from gatekit.conversation import CommentEdit
from gatekit.ids import Login, PrRef, Sha
from gatekit.merging import Merge
from gatekit.using import Decision, Note
from handlers.ports import Clock

_DECISION: TypeAdapter[Decision] = TypeAdapter(Decision)
_MERGE: TypeAdapter[Merge] = TypeAdapter(Merge)
_OF_PR = "owner = ? AND repo = ? AND number = ?"


@dataclass(frozen=True, slots=True)
class AuditLine:
    at: datetime
    note: Note


class UseStore:
    """Fills handlers.use_ports.Uses."""

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

        def write(conn: sqlite3.Connection) -> None:
            if decision is None:
                conn.execute(f"DELETE FROM uses WHERE {_OF_PR}", of_pr(pr))
            else:
                conn.execute(
                    "INSERT OR REPLACE INTO uses (owner, repo, number, decision) VALUES (?, ?, ?, ?)",
                    (*of_pr(pr), _DECISION.dump_json(decision).decode()),
                )
            if note is not None and note != _last(conn, pr):
                values = (note.actor, note.command, note.run, note.head, note.outcome, note.reason)
                conn.execute(
                    "INSERT INTO audit (at, owner, repo, number, actor, command, run, head, outcome, reason)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (now, *of_pr(pr), *values),
                )

        await self._db.write(write)

    async def kept(self, pr: PrRef) -> Decision | None:
        row = await self._db.read(
            lambda conn: conn.execute(f"SELECT decision FROM uses WHERE {_OF_PR}", of_pr(pr)).fetchone()
        )
        return None if row is None else _DECISION.validate_json(row[0])

    async def keep_merge(self, merge: Merge) -> None:
        await self._db.write(
            lambda conn: conn.execute(
                "INSERT OR IGNORE INTO merges (owner, repo, number, answer) VALUES (?, ?, ?, ?)",
                (*of_pr(merge.pr), _MERGE.dump_json(merge).decode()),
            )
        )

    async def kept_merge(self, pr: PrRef) -> Merge | None:
        row = await self._db.read(
            lambda conn: conn.execute(f"SELECT answer FROM merges WHERE {_OF_PR}", of_pr(pr)).fetchone()
        )
        return None if row is None else _MERGE.validate_json(row[0])

    async def audit(self, pr: PrRef) -> tuple[AuditLine, ...]:
        """Oldest first."""
        return await self._db.read(lambda conn: tuple(_lines(conn, pr, "ORDER BY id")))


def _last(conn: sqlite3.Connection, pr: PrRef) -> Note | None:
    """What was noted last: saying it again would be no news."""
    lines = _lines(conn, pr, "ORDER BY id DESC LIMIT 1")
    return lines[0].note if lines else None


def _lines(conn: sqlite3.Connection, pr: PrRef, order: str) -> list[AuditLine]:
    rows = conn.execute(
        f"SELECT at, actor, command, run, head, outcome, reason FROM audit WHERE {_OF_PR} {order}", of_pr(pr)
    )
    return [
        AuditLine(datetime.fromisoformat(at), Note(Login(actor), command, run, Sha(head), outcome, reason))
        for at, actor, command, run, head, outcome, reason in rows
    ]
