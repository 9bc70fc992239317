"""The bot's memory of sweeps: fills the Sweeps port, and tells the scheduler what is open."""

import json
import sqlite3

from bot.store.database import Database
from bot.store.sweep_rows import SWEEP_COLUMNS, VERDICT, plan_json, read_sweep
from gatekit.ids import GateKey, PrRef, Repo, Sha, SweepId
from gatekit.sweep import GateState, Sweep, SweepState
from gatekit.verdict import Verdict
from handlers.ports import Clock, NewSweep

_OPEN = (GateState.WAITING, GateState.SUBMITTING, GateState.RUNNING, GateState.ENDED)


class SweepStore:
    """Every write is one transaction and durable when it returns."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def create(self, new: NewSweep) -> Sweep:
        created = self._clock.now().isoformat()
        return await self._db.write(lambda conn: _create(conn, new, created))

    async def answering(self, pr: PrRef, head: Sha) -> Sweep | None:
        return await self._db.read(lambda conn: _answering(conn, pr, head))

    async def retire(self, pr: PrRef) -> None:
        await self._db.write(
            lambda conn: conn.execute(
                "UPDATE sweeps SET retired = 1 WHERE owner = ? AND repo = ? AND number = ?", _key(pr)
            )
        )

    async def get(self, sweep: SweepId) -> Sweep:
        return await self._db.read(lambda conn: _get(conn, sweep))

    async def history(self, pr: PrRef) -> tuple[Sweep, ...]:
        return await self._db.read(lambda conn: _history(conn, pr))

    async def recent(self, limit: int) -> tuple[Sweep, ...]:
        """The newest sweeps of all pull requests."""
        return await self._db.read(lambda conn: _select(conn, "ORDER BY id DESC LIMIT ?", (limit,)))

    async def unshown(self, pr: PrRef) -> frozenset[SweepId]:
        return frozenset(sweep for sweep, of in await self.all_unshown() if of == pr)

    async def all_unshown(self) -> tuple[tuple[SweepId, PrRef], ...]:
        """Sweeps of any pull request that changed since they were shown, oldest first."""
        rows = await self._db.read(
            lambda conn: conn.execute(
                "SELECT id, owner, repo, number FROM sweeps WHERE shown = 0 ORDER BY id"
            ).fetchall()
        )
        return tuple((SweepId(id_), PrRef(Repo(owner, repo), number)) for id_, owner, repo, number in rows)

    async def shown(self, sweep: SweepId) -> None:
        await self._db.write(lambda conn: conn.execute("UPDATE sweeps SET shown = 1 WHERE id = ?", (sweep,)))

    async def announced(self, sweep: SweepId) -> None:
        await self._db.write(lambda conn: conn.execute("UPDATE sweeps SET announced = 1 WHERE id = ?", (sweep,)))

    async def judged(self, sweep: SweepId, gate: GateKey, verdict: Verdict, log_tail: tuple[str, ...]) -> Sweep:
        def write(conn: sqlite3.Connection) -> Sweep:
            changed = conn.execute(
                "UPDATE gates SET state = ?, verdict = ?, log = ? WHERE sweep = ? AND key = ? AND state = ?",
                (
                    GateState.JUDGED,
                    VERDICT.dump_json(verdict).decode(),
                    json.dumps(log_tail),
                    sweep,
                    gate,
                    GateState.ENDED,
                ),
            ).rowcount
            if changed:
                conn.execute("UPDATE sweeps SET shown = 0 WHERE id = ?", (sweep,))
            return _get(conn, sweep)

        return await self._db.write(write)

    async def end(self, sweep: SweepId, state: SweepState, because: str) -> Sweep:
        def write(conn: sqlite3.Connection) -> Sweep:
            _end(conn, sweep, state, because)
            return _get(conn, sweep)

        return await self._db.write(write)


def _key(pr: PrRef) -> tuple[str, str, int]:
    return (pr.repo.owner, pr.repo.name, pr.number)


def _select(conn: sqlite3.Connection, where: str, values: tuple[object, ...]) -> tuple[Sweep, ...]:
    rows = conn.execute(f"SELECT {SWEEP_COLUMNS} FROM sweeps {where}", values).fetchall()
    return tuple(read_sweep(conn, row) for row in rows)


def _get(conn: sqlite3.Connection, sweep: SweepId) -> Sweep:
    found = _select(conn, "WHERE id = ?", (sweep,))
    if not found:
        raise KeyError(f"no sweep {sweep}")
    return found[0]


def _history(conn: sqlite3.Connection, pr: PrRef) -> tuple[Sweep, ...]:
    return _select(conn, "WHERE owner = ? AND repo = ? AND number = ? ORDER BY id DESC", _key(pr))


def _answering(conn: sqlite3.Connection, pr: PrRef, head: Sha) -> Sweep | None:
    found = _select(
        conn,
        "WHERE owner = ? AND repo = ? AND number = ? AND head = ? AND retired = 0 AND state IN (?, ?)"
        " AND id = (SELECT max(id) FROM sweeps AS all_of WHERE all_of.owner = sweeps.owner"
        " AND all_of.repo = sweeps.repo AND all_of.number = sweeps.number)",
        (*_key(pr), head, SweepState.RUNNING, SweepState.DONE),
    )
    return found[0] if found else None


def _create(conn: sqlite3.Connection, new: NewSweep, created: str) -> Sweep:
    standing = _answering(conn, new.pr, new.head)
    if standing is not None:
        return standing
    for older in _history(conn, new.pr):
        if older.state is SweepState.RUNNING:
            _end(conn, older.id, SweepState.SUPERSEDED, new.supersedes)
    row = conn.execute(
        "INSERT INTO sweeps (owner, repo, number, head, label, sender, cause, state, enforce, created, plan)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
        (
            *_key(new.pr),
            new.head,
            new.label,
            new.sender,
            new.cause,
            SweepState.RUNNING,
            new.enforce,
            created,
            plan_json(new.plan),
        ),
    ).fetchone()
    sweep = SweepId(row[0])
    conn.executemany(
        "INSERT INTO gates (sweep, key, position, runner, state) VALUES (?, ?, ?, ?, ?)",
        [(sweep, gate.key, n, gate.cluster, GateState.WAITING) for n, gate in enumerate(new.plan.gates)],
    )
    return _get(conn, sweep)


def _end(conn: sqlite3.Connection, sweep: SweepId, state: SweepState, because: str) -> None:
    changed = conn.execute(
        "UPDATE sweeps SET state = ?, because = ?, shown = 0 WHERE id = ? AND state = ?",
        (state, because, sweep, SweepState.RUNNING),
    ).rowcount
    if changed:
        conn.execute(
            f"UPDATE gates SET state = ? WHERE sweep = ? AND state IN ({', '.join('?' * len(_OPEN))})",
            (GateState.CANCELLED, sweep, *_OPEN),
        )
