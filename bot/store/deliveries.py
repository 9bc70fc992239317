"""Webhook deliveries: stored before they are acknowledged, kept until they are done, counted for metrics."""

import sqlite3
import zlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from bot.store.database import Database
from gatekit.domain.ids import DeliveryId


@dataclass(frozen=True, slots=True)
class Route:
    """None: the payload does not say, or says it in a shape that GitHub never sends."""

    action: str | None = None
    repo_id: int | None = None
    repo: str | None = None  # owner/name
    pr: int | None = None

    @property
    def lane(self) -> str | None:
        """The PR's lane; None: the delivery belongs to no PR."""
        return None if self.repo is None or self.pr is None else lane_of(self.repo, self.pr)


def lane_of(repo: object, number: int) -> str:
    """One name per pull request; GitHub does not tell upper from lower case."""
    return f"{repo}#{number}".lower()


class DeliveryState(StrEnum):
    WAITING = "waiting"  # not handled yet, or to be tried again
    DONE = "done"
    NOTHING = "nothing"  # there was nothing to do for it; `detail` says why
    PARKED = "parked"  # failed too often; a person must look, then replay it


@dataclass(frozen=True, slots=True)
class Arrival:
    id: DeliveryId
    event: str
    route: Route
    body: bytes  # raw, as signed
    signature: str  # HMAC of the body, 64 hex digits
    received: datetime


@dataclass(frozen=True, slots=True)
class Waiting:
    """An unfinished delivery without its body."""

    seq: int  # order of arrival
    id: DeliveryId
    event: str
    lane: str | None
    tries: int  # that failed
    next_at: datetime


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """What a person gets to see of a delivery."""

    id: DeliveryId
    event: str
    action: str | None
    lane: str | None
    received: datetime
    state: DeliveryState
    tries: int
    next_at: datetime | None
    detail: str


class Deliveries:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def store(self, arrival: Arrival) -> bool:
        """Durable when it returns. False: there is nothing to do for it.

        Either this id was stored before, and nothing changed; or this very body came before under another id, which
        GitHub does not do: the id is not under the signature, so whoever captured a body could send it again.
        """
        return await self._db.write(lambda conn: _store(conn, arrival))

    async def waiting(self, after: int, limit: int = 1000) -> tuple[Waiting, ...]:
        """Unfinished deliveries with a `seq` beyond `after`, in order of arrival."""

        def read(conn: sqlite3.Connection) -> tuple[Waiting, ...]:
            rows = conn.execute(
                "SELECT seq, id, event, lane, tries, next_at FROM deliveries"
                " WHERE state = 'waiting' AND seq > ? ORDER BY seq LIMIT ?",
                (after, limit),
            )
            return tuple(
                Waiting(seq, DeliveryId(id_), event, lane, tries, _time(next_at))
                for seq, id_, event, lane, tries, next_at in rows
            )

        return await self._db.read(read)

    async def body(self, seq: int) -> bytes | None:
        """The raw body of an unfinished delivery; None: it is finished, or was replayed under another `seq`."""

        def read(conn: sqlite3.Connection) -> bytes | None:
            row = conn.execute("SELECT body FROM deliveries WHERE seq = ? AND state = 'waiting'", (seq,)).fetchone()
            return None if row is None else bytes(row[0])

        packed = await self._db.read(read)
        return None if packed is None else zlib.decompress(packed)

    async def finish(self, seq: int, state: DeliveryState, detail: str, at: datetime) -> None:
        await self._db.write(
            lambda conn: (
                conn.execute(
                    "UPDATE deliveries SET state = ?, detail = ?, finished = ? WHERE seq = ? AND state = 'waiting'",
                    (state, detail, at.timestamp(), seq),
                ).rowcount
            )
        )

    async def retry(self, seq: int, tries: int, next_at: datetime, detail: str) -> None:
        """`tries` have failed; the next one is not before `next_at`, also after a restart."""
        await self._db.write(
            lambda conn: (
                conn.execute(
                    "UPDATE deliveries SET tries = ?, next_at = ?, detail = ? WHERE seq = ? AND state = 'waiting'",
                    (tries, next_at.timestamp(), detail, seq),
                ).rowcount
            )
        )

    async def replay(self, delivery: DeliveryId) -> DeliveryState | None:
        """Puts a finished or parked delivery at the end of the line; its state before, None where it is unknown.

        One that is waiting stays where it is.
        """
        return await self._db.write(lambda conn: _replay(conn, delivery))

    async def listing(self, states: Collection[DeliveryState], limit: int) -> tuple[DeliveryRow, ...]:
        """The newest first."""
        marks = ", ".join("?" * len(states))
        rows = await self._db.read(
            lambda conn: conn.execute(
                "SELECT id, event, action, lane, received, state, tries, next_at, detail FROM deliveries"
                f" WHERE state IN ({marks}) ORDER BY seq DESC LIMIT ?",
                (*states, limit),
            ).fetchall()
        )
        return tuple(_row(row) for row in rows)

    async def prune(self, now: datetime, keep: timedelta) -> int:
        """Forgets what was finished longer ago than `keep`; parked and waiting deliveries stay."""
        return await self._db.write(
            lambda conn: (
                conn.execute(
                    "DELETE FROM deliveries WHERE state IN ('done', 'nothing') AND finished < ?",
                    ((now - keep).timestamp(),),
                ).rowcount
            )
        )


def _store(conn: sqlite3.Connection, arrival: Arrival) -> bool:
    stored = conn.execute(
        "INSERT INTO deliveries (id, event, action, repo_id, repo, lane, body, received, state)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting') ON CONFLICT (id) DO NOTHING",
        _values(arrival),
    ).rowcount
    if not stored:
        return False
    new = conn.execute(
        "INSERT INTO bodies (signature) VALUES (?) ON CONFLICT DO NOTHING", (bytes.fromhex(arrival.signature),)
    ).rowcount
    if not new:
        conn.execute(
            "UPDATE deliveries SET state = ?, detail = ?, finished = received WHERE id = ?",
            (DeliveryState.NOTHING, "this body came before under another id", arrival.id),
        )
    return bool(new)


def _values(arrival: Arrival) -> tuple[object, ...]:
    route = arrival.route
    packed = zlib.compress(arrival.body, 1)
    received = arrival.received.timestamp()
    return (arrival.id, arrival.event, route.action, route.repo_id, route.repo, route.lane, packed, received)


def _replay(conn: sqlite3.Connection, delivery: DeliveryId) -> DeliveryState | None:
    row = conn.execute("SELECT state FROM deliveries WHERE id = ?", (delivery,)).fetchone()
    if row is None:
        return None
    before = DeliveryState(row[0])
    if before is not DeliveryState.WAITING:  # a new seq, so that a running dispatcher sees it
        kept = "id, event, action, repo_id, repo, lane, body, received"
        values = conn.execute(f"SELECT {kept} FROM deliveries WHERE id = ?", (delivery,)).fetchone()
        conn.execute("DELETE FROM deliveries WHERE id = ?", (delivery,))
        conn.execute(f"INSERT INTO deliveries ({kept}, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting')", values)
    return before


def _row(row: tuple[Any, ...]) -> DeliveryRow:
    id_, event, action, lane, received, state, tries, next_at, detail = row
    again = _time(next_at) if next_at and state == DeliveryState.WAITING else None
    return DeliveryRow(id_, event, action, lane, _time(received), DeliveryState(state), tries, again, detail)


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


async def count_states(db: Database) -> tuple[dict[str, int], dict[str, int]]:
    """Gates and deliveries by state."""

    def read(conn: sqlite3.Connection) -> tuple[dict[str, int], dict[str, int]]:
        gates = dict(conn.execute("SELECT state, count(*) FROM gates GROUP BY state").fetchall())
        deliveries = dict(conn.execute("SELECT state, count(*) FROM deliveries GROUP BY state").fetchall())
        return gates, deliveries

    return await db.read(read)


async def count_parked(db: Database) -> int:
    """Deliveries that a person must look at. Counted by indexes alone, so that a page may ask often."""

    def read(conn: sqlite3.Connection) -> int:
        (parked,) = conn.execute(
            "SELECT (SELECT count(*) FROM deliveries)"
            " - (SELECT count(*) FROM deliveries WHERE state = 'waiting')"
            " - (SELECT count(*) FROM deliveries WHERE state IN ('done', 'nothing'))"
        ).fetchone()
        return int(parked)

    return await db.read(read)
