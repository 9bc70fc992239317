"""The bot's memory of sign-offs: what was heard of each, its last verdict, and what our comment about it says."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter

from bot.store.database import Database
from bot.store.sweeps import of_pr
from gatekit.domain.ids import PrRef, Repo, Sha
from gatekit.signoff.checks.verdict import SignOffVerdict
from gatekit.signoff.edits import Heard
from gatekit.signoff.resource import Resource, read_key
from handlers.ports.bundle import Clock
from handlers.ports.memory import NOTHING, SignOffComment, SignOffMemory

_VERDICT: TypeAdapter[SignOffVerdict] = TypeAdapter(SignOffVerdict)
_HEARD: TypeAdapter[Heard] = TypeAdapter(Heard)
_OF_PR = "owner = ? AND repo = ? AND number = ?"
_COLUMNS = "heard, verdict, said, head"


@dataclass(frozen=True, slots=True)
class StoredSignOff:
    pr: PrRef
    resource: Resource
    known: SignOffMemory
    assessed: datetime | None  # when its last verdict was reached


class SignOffStore:
    """Fills handlers.ports.memory.SignOffs."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def remembered(self, pr: PrRef, resource: Resource) -> SignOffMemory:
        row = await self._db.read(
            lambda conn: conn.execute(
                f"SELECT {_COLUMNS} FROM signoffs WHERE {_OF_PR} AND resource = ?", (*of_pr(pr), resource.key)
            ).fetchone()
        )
        return NOTHING if row is None else _remembered(row)

    async def answered(self, pr: PrRef) -> Mapping[Resource, SignOffMemory]:
        rows = await self._db.read(
            lambda conn: conn.execute(
                f"SELECT resource, {_COLUMNS} FROM signoffs WHERE {_OF_PR} AND said IS NOT NULL ORDER BY resource",
                of_pr(pr),
            ).fetchall()
        )
        found = ((read_key(row[0]), _remembered(row[1:])) for row in rows)
        return {resource: known for resource, known in found if resource is not None}

    async def find(self, resource: Resource) -> tuple[StoredSignOff, ...]:
        """Of every repository: GitHub's numbers are unique in each of them only."""
        rows = await self._db.read(
            lambda conn: conn.execute(
                f"SELECT owner, repo, number, assessed, {_COLUMNS} FROM signoffs WHERE resource = ?"
                " ORDER BY owner, repo, number",
                (resource.key,),
            ).fetchall()
        )
        return tuple(
            StoredSignOff(
                pr=PrRef(Repo(owner, repo), number),
                resource=resource,
                known=_remembered(tuple(columns)),
                assessed=None if assessed is None else datetime.fromisoformat(assessed),
            )
            for owner, repo, number, assessed, *columns in rows
        )

    async def heard(self, pr: PrRef, resource: Resource, heard: Heard) -> None:
        await self._put(pr, resource, {"heard": _HEARD.dump_json(heard).decode()})

    async def keep(self, pr: PrRef, verdict: SignOffVerdict) -> None:
        text, head = _VERDICT.dump_json(verdict).decode(), verdict.assessed
        now = self._clock.now().isoformat()
        await self._put(
            pr,
            verdict.resource,
            {"verdict": text, "assessed": now, "said": SignOffComment.VERDICT.value, "head": head},
        )

    async def say(self, pr: PrRef, resource: Resource, said: SignOffComment, head: Sha | None) -> None:
        await self._put(pr, resource, {"said": said.value, "head": head})

    async def _put(self, pr: PrRef, resource: Resource, values: Mapping[str, str | None]) -> None:
        now = self._clock.now().isoformat()

        def write(conn: sqlite3.Connection) -> None:
            conn.execute(
                "INSERT OR IGNORE INTO signoffs (owner, repo, number, resource, changed) VALUES (?, ?, ?, ?, ?)",
                (*of_pr(pr), resource.key, now),
            )
            columns = ", ".join(f"{name} = ?" for name in values)
            conn.execute(
                f"UPDATE signoffs SET {columns}, changed = ? WHERE {_OF_PR} AND resource = ?",
                (*values.values(), now, *of_pr(pr), resource.key),
            )

        await self._db.write(write)


def _remembered(row: tuple[str | None, ...]) -> SignOffMemory:
    heard, verdict, said, head = row
    return SignOffMemory(
        verdict=None if verdict is None else _VERDICT.validate_json(verdict),
        heard=None if heard is None else _HEARD.validate_json(heard),
        said=None if said is None else SignOffComment(said),
        head=None if head is None else Sha(head),
    )
