"""The bot's memory of sign-offs: the last verdict of each, and whose ticks it does not believe."""

import json
import sqlite3
from collections.abc import Mapping
from datetime import datetime

from pydantic import TypeAdapter

from bot.store.database import Database
from bot.store.sweep_steps import of_pr
from gatekit.ids import PrRef
from gatekit.signoff.resource import Resource
from gatekit.signoff_checks.verdict import SignOffVerdict
from handlers.ports import Clock
from handlers.signoff_ports import Remembered

_VERDICT: TypeAdapter[SignOffVerdict] = TypeAdapter(SignOffVerdict)
_WHERE = "owner = ? AND repo = ? AND number = ? AND resource = ?"


class SignOffStore:
    """Fills handlers.signoff_ports.SignOffs."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def remembered(self, pr: PrRef, resource: Resource) -> Remembered:
        row = await self._db.read(
            lambda conn: conn.execute(
                f"SELECT verdict, not_theirs, edited FROM signoffs WHERE {_WHERE}", (*of_pr(pr), resource.key)
            ).fetchone()
        )
        if row is None:
            return Remembered(None)
        verdict = None if row[0] is None else _VERDICT.validate_json(row[0])
        edited = None if row[2] is None else datetime.fromisoformat(row[2])
        return Remembered(verdict, frozenset(frozenset(words) for words in json.loads(row[1])), edited)

    async def edited(self, pr: PrRef, resource: Resource, not_theirs: frozenset[frozenset[str]]) -> None:
        words = json.dumps(sorted(sorted(item) for item in not_theirs))
        await self._put(pr, resource, {"not_theirs": words, "edited": self._clock.now().isoformat()})

    async def keep(self, pr: PrRef, verdict: SignOffVerdict) -> None:
        await self._put(pr, verdict.resource, {"verdict": _VERDICT.dump_json(verdict).decode()})

    async def _put(self, pr: PrRef, resource: Resource, values: Mapping[str, str]) -> None:
        now = self._clock.now().isoformat()

        def write(conn: sqlite3.Connection) -> None:
            conn.execute(
                "INSERT OR IGNORE INTO signoffs (owner, repo, number, resource, changed) VALUES (?, ?, ?, ?, ?)",
                (*of_pr(pr), resource.key, now),
            )
            columns = ", ".join(f"{name} = ?" for name in values)
            conn.execute(
                f"UPDATE signoffs SET {columns}, changed = ? WHERE {_WHERE}",
                (*values.values(), now, *of_pr(pr), resource.key),
            )

        await self._db.write(write)
