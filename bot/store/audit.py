"""The audit: lines are added with what they tell of, in one transaction, and never changed."""

import json
import logging
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from bot.store.database import Database
from gatekit.domain.audit import Note, Subject
from gatekit.domain.ids import GateKey, Login, PrRef, Sha, SweepId

log = logging.getLogger("gatekit.audit")

_COLUMNS = "at, subject, actor, command, run, head, outcome, reason, sweep, key, parts"
_OF_PR = "owner = ? AND repo = ? AND number = ?"
_OF_SWEEP = "sweep = ? OR (run = ? AND subject != 'gate')"


@dataclass(frozen=True, slots=True)
class AuditLine:
    at: datetime
    note: Note


class AuditStore:
    """What pages show of it."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def of_pr(self, pr: PrRef) -> tuple[AuditLine, ...]:
        """Oldest first."""
        where = f"{_OF_PR} ORDER BY id"
        return await self._db.read(lambda conn: _lines(conn, where, (pr.repo.owner, pr.repo.name, pr.number)))

    async def of_sweep(self, sweep: SweepId, pr: PrRef) -> tuple[AuditLine, ...]:
        """What was decided of its gates, and who had it stand for its pull request; oldest first."""
        where = f"{_OF_PR} AND ({_OF_SWEEP}) ORDER BY id"
        values = (pr.repo.owner, pr.repo.name, pr.number, sweep, sweep)
        return await self._db.read(lambda conn: _lines(conn, where, values))


def add(conn: sqlite3.Connection, at: str, pr: PrRef, notes: Iterable[Note]) -> None:
    """`at`: ISO 8601."""
    values = [
        (
            *(pr.repo.owner, pr.repo.name, pr.number, at, note.subject, note.actor, note.command, note.run, note.head),
            *(note.outcome, note.reason, note.sweep, note.key, json.dumps(note.parts)),
        )
        for note in notes
    ]
    marks = ", ".join("?" * (3 + len(_COLUMNS.split(","))))
    conn.executemany(f"INSERT INTO audit (owner, repo, number, {_COLUMNS}) VALUES ({marks})", values)


def last_use(conn: sqlite3.Connection, pr: PrRef) -> Note | None:
    """What a command came to when it was looked at last."""
    values = (pr.repo.owner, pr.repo.name, pr.number, Subject.USE)
    lines = _lines(conn, f"{_OF_PR} AND subject = ? ORDER BY id DESC LIMIT 1", values)
    return lines[0].note if lines else None


def tell(pr: PrRef, notes: Iterable[Note]) -> None:
    """As log lines, once they are stored."""
    for note in notes:
        names = {"pr": str(pr), "subject": note.subject.value, "actor": note.actor, "command": note.command}
        more = {"run": note.run, "head": note.head, "sweep": note.sweep, "gate": note.key}
        log.info("%s: %s", note.outcome, note.reason, extra={**names, **more, "parts": ", ".join(note.parts)})


def _lines(conn: sqlite3.Connection, where: str, values: tuple[object, ...]) -> tuple[AuditLine, ...]:
    rows = conn.execute(f"SELECT {_COLUMNS} FROM audit WHERE {where}", values).fetchall()
    return tuple(_line(row) for row in rows)


def _line(row: tuple[object, ...]) -> AuditLine:
    at, subject, actor, command, run, head, outcome, reason, sweep, key, parts = row
    note = Note(
        subject=Subject(str(subject)),
        actor=Login(str(actor)),
        command=str(command),
        run=_number(run),
        head=Sha(str(head)),
        outcome=str(outcome),
        reason=str(reason),
        sweep=None if sweep is None else SweepId(int(str(sweep))),
        key=None if key is None else GateKey(str(key)),
        parts=tuple(json.loads(str(parts))),
    )
    return AuditLine(datetime.fromisoformat(str(at)), note)


def _number(value: object) -> int | None:
    return None if value is None else int(str(value))
