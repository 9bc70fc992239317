"""What was measured for a pull request, with the raw material of each attempt, compressed, under the job's name."""

import hashlib
import sqlite3
import zlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter

from bot.store.database import Database
from gatekit.domain.ids import GateKey, JobName, PrRef, Sha, SweepId
from gatekit.domain.job import Material
from gatekit.domain.reuse import Measurement
from gatekit.domain.sweep import Past
from gatekit.domain.verdict import Judged

_JUDGED: TypeAdapter[Judged] = TypeAdapter(Judged)


@dataclass(frozen=True, slots=True)
class NewMeasurement:
    """One gate's measurement, on its way into the store."""

    pr: PrRef
    key: GateKey
    sweep: SweepId  # whose number the job carries
    attempt: int
    head: Sha
    job: JobName
    at: str  # ISO 8601
    verdict: Judged


def keep(conn: sqlite3.Connection, new: NewMeasurement) -> None:
    """Without its raw material nothing is kept: it could never be held against it."""
    digest = _digest(conn, new.job)
    if digest is None:
        return
    values = {
        "job": new.job,
        "owner": new.pr.repo.owner,
        "repo": new.pr.repo.name,
        "number": new.pr.number,
        "key": new.key,
        "sweep": new.sweep,
        "attempt": new.attempt,
        "head": new.head,
        "measured": new.at,
        "verdict": _JUDGED.dump_json(new.verdict).decode(),
        "digest": digest,
    }
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    conn.execute(f"INSERT OR IGNORE INTO measurements ({names}) VALUES ({marks})", tuple(values.values()))


def measured(conn: sqlite3.Connection, pr: PrRef, keys: Collection[GateKey]) -> tuple[Measurement, ...]:
    """Those of the keys, newest first, each held against its raw material."""
    found = conn.execute(
        "SELECT job, key, sweep, attempt, measured, verdict, digest FROM measurements"
        " WHERE owner = ? AND repo = ? AND number = ? ORDER BY measured DESC, job DESC",
        (pr.repo.owner, pr.repo.name, pr.number),
    ).fetchall()
    wanted = frozenset(keys)
    return tuple(
        Measurement(
            key=GateKey(key),
            sweep=SweepId(sweep),
            attempt=attempt,
            heads=_heads(conn, sweep, key),
            measured=datetime.fromisoformat(at),
            verdict=_JUDGED.validate_json(verdict),
            intact=_digest(conn, JobName(job)) == digest,
        )
        for job, key, sweep, attempt, at, verdict, digest in found
        if key in wanted
    )


def pasts(conn: sqlite3.Connection, pr: PrRef) -> dict[GateKey, tuple[Past, ...]]:
    """Every measurement of a pull request by its reuse key, oldest first."""
    found: dict[GateKey, tuple[Past, ...]] = {}
    rows = conn.execute(
        "SELECT key, sweep, head, measured, json_extract(verdict, '$.realized.al') FROM measurements"
        " WHERE owner = ? AND repo = ? AND number = ? ORDER BY measured, job",
        (pr.repo.owner, pr.repo.name, pr.number),
    )
    for key, sweep, head, at, al in rows:
        past = Past(SweepId(sweep), Sha(head), datetime.fromisoformat(at), float(al))
        found[GateKey(key)] = (*found.get(GateKey(key), ()), past)
    return found


def _heads(conn: sqlite3.Connection, job_sweep: int, key: str) -> tuple[Sha, ...]:
    """Of the sweeps whose gate this job answered for, oldest first."""
    rows = conn.execute(
        "SELECT sweeps.head FROM gates JOIN sweeps ON sweeps.id = gates.sweep"
        " WHERE gates.job_sweep = ? AND gates.key = ? ORDER BY sweeps.id",
        (job_sweep, key),
    )
    return tuple(dict.fromkeys(Sha(head) for (head,) in rows))


def _digest(conn: sqlite3.Connection, job: JobName) -> str | None:
    """Of the raw material of a job; None: there is none."""
    row = conn.execute("SELECT packed FROM materials WHERE job = ?", (job,)).fetchone()
    return None if row is None else hashlib.sha256(row[0]).hexdigest()


_MATERIAL: TypeAdapter[Material] = TypeAdapter(Material)


class MaterialStore:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def put(self, job: JobName, material: Material) -> None:
        """Stores it; what was stored before under this name stays."""
        packed = zlib.compress(_MATERIAL.dump_json(material))
        await self._db.write(
            lambda conn: conn.execute("INSERT OR IGNORE INTO materials (job, packed) VALUES (?, ?)", (job, packed))
        )

    async def get(self, job: JobName) -> Material | None:
        def read(conn: sqlite3.Connection) -> bytes | None:
            row = conn.execute("SELECT packed FROM materials WHERE job = ?", (job,)).fetchone()
            return None if row is None else bytes(row[0])

        packed = await self._db.read(read)
        return None if packed is None else _MATERIAL.validate_json(zlib.decompress(packed))
