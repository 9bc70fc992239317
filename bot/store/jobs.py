"""Gates as the scheduler sees them: what is to be submitted, watched, cancelled, and which run folders may go."""

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.store.database import Database
from bot.store.sweep_rows import EARLIER, IN_OPEN, SAID
from bot.store.sweeps import touch
from gatekit.domain.ids import GateKey, JobName, PrRef, Repo, SweepId, job_name
from gatekit.domain.sweep import ClusterReport, Ending, GateState, SweepState

_GATE = "SELECT 1 FROM gates WHERE job_sweep = folders.sweep AND key = folders.key AND attempt = folders.attempt"
_OVER = (
    f"NOT EXISTS ({_GATE} AND (state IN ('submitting', 'running', 'ended')"
    " OR (state IN ('waiting', 'cancelled') AND gone = 0)))"
    f" AND (EXISTS (SELECT 1 FROM materials WHERE job = folders.job) OR EXISTS ({_GATE} AND state = 'cancelled'))"
)


def begun(conn: sqlite3.Connection, runner: str, sweep: SweepId, key: GateKey, attempt: int) -> None:
    """The attempt begins: from now on it may have a folder."""
    values = (job_name(sweep, key, attempt), runner, sweep, key, attempt)
    conn.execute("INSERT OR IGNORE INTO folders (job, runner, sweep, key, attempt) VALUES (?, ?, ?, ?, ?)", values)


class FolderStore:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def over(self, runners: Collection[str], now: datetime) -> None:
        """Notes of which folders it is true by now that they may go."""
        marks = ", ".join("?" * len(runners))
        await self._db.write(
            lambda conn: conn.execute(
                f"UPDATE folders SET over = ? WHERE over IS NULL AND runner IN ({marks}) AND {_OVER}",
                (now.timestamp(), *runners),
            )
        )

    async def due(self, runners: Collection[str], before: datetime, limit: int) -> tuple[JobName, ...]:
        """Those that might go before that moment already, the oldest first."""
        marks = ", ".join("?" * len(runners))
        rows = await self._db.read(
            lambda conn: conn.execute(
                f"SELECT job FROM folders WHERE over <= ? AND runner IN ({marks}) ORDER BY over, job LIMIT ?",
                (before.timestamp(), *runners, limit),
            ).fetchall()
        )
        return tuple(JobName(job) for (job,) in rows)

    async def forget(self, jobs: Collection[JobName]) -> None:
        """They are removed, or no folders of ours."""
        await self._db.write(
            lambda conn: conn.executemany("DELETE FROM folders WHERE job = ?", [(job,) for job in jobs])
        )

    async def put_off(self, jobs: Collection[JobName], now: datetime) -> None:
        """They could not be removed: their time begins anew, so that they do not stand before the others."""
        moment = now.timestamp()
        await self._db.write(
            lambda conn: conn.executemany("UPDATE folders SET over = ? WHERE job = ?", [(moment, job) for job in jobs])
        )


_COLUMNS = (
    "sweeps.owner, sweeps.repo, sweeps.number, gates.sweep, gates.key, gates.runner, gates.state, gates.attempt,"
    " gates.earlier, gates.not_before, gates.gone, sweeps.canary OR sweeps.fail_fast, gates.job_sweep"
)
EPOCH = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True)
class OpenGate:
    sweep: SweepId
    key: GateKey
    runner: str
    state: GateState
    attempt: int
    pr: PrRef
    nodes: tuple[str, ...] = ()  # on which earlier attempts failed
    not_before: datetime = EPOCH  # of the next attempt
    gone: bool = True  # the last attempt's job is verified gone
    guarded: bool = False  # the sweep has a canary, or fails fast
    job_sweep: SweepId | None = None  # whose number its jobs carry; None: its own sweep's

    @property
    def job(self) -> JobName:
        return job_name(self.job_sweep or self.sweep, self.key, self.attempt)


class JobStore:
    """The states between a plan and a verdict, one durable step at a time."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def submitter(self) -> str:
        """The name of this database, made with it: what its jobs carry."""
        return await self._db.read(lambda conn: str(conn.execute("SELECT id FROM identity").fetchone()[0]))

    async def open(self, runners: Collection[str] | None = None) -> tuple[OpenGate, ...]:
        """Gates of running, announced sweeps that are not judged, oldest sweep first, in the order of the plan.

        `runners`: only theirs; None: all.
        """
        where = f"WHERE sweeps.state = ? AND sweeps.announced = 1 AND gates.state {IN_OPEN}"
        return await self._db.read(lambda conn: _select(conn, where, (SweepState.RUNNING,), runners))

    async def to_cancel(self, runners: Collection[str] | None = None) -> tuple[OpenGate, ...]:
        """Gates whose last attempt's job is of no use any more, and not verified gone: the gate is cancelled, or waits
        for its next attempt.
        """
        where = "WHERE gates.state IN (?, ?) AND gates.attempt > 0 AND gates.gone = 0"
        states = (GateState.CANCELLED, GateState.WAITING)
        return await self._db.read(lambda conn: _select(conn, where, states, runners))

    async def move(self, gate: OpenGate, to: GateState) -> bool:
        """One step of the gate's life; False where it was cancelled or moved on meanwhile.

        A step to SUBMITTING from WAITING begins the next attempt. A step to RUNNING is to be shown.
        """
        begins = gate.state is GateState.WAITING and to is GateState.SUBMITTING

        def write(conn: sqlite3.Connection) -> bool:
            moved = conn.execute(
                "UPDATE gates SET state = ?, attempt = attempt + ?, gone = CASE WHEN ? THEN 0 ELSE gone END"
                " WHERE sweep = ? AND key = ? AND state = ?",
                (to, int(begins), begins, gate.sweep, gate.key, gate.state),
            ).rowcount
            if moved and begins:
                begun(conn, gate.runner, gate.job_sweep or gate.sweep, gate.key, gate.attempt + 1)
            if moved and to is GateState.RUNNING:
                touch(conn, gate.sweep)
            return moved == 1

        return await self._db.write(write)

    async def ended(self, gate: OpenGate, said: ClusterReport) -> bool:
        """The gate's job is over, and this is what its cluster said of it. False as for `move`."""
        words = SAID.dump_json(said).decode()

        def write(conn: sqlite3.Connection) -> bool:
            return (
                conn.execute(
                    "UPDATE gates SET state = ?, said = ? WHERE sweep = ? AND key = ? AND state = ? AND attempt = ?",
                    (GateState.ENDED, words, gate.sweep, gate.key, gate.state, gate.attempt),
                ).rowcount
                == 1
            )

        return await self._db.write(write)

    async def gone(self, gates: tuple[OpenGate, ...]) -> None:
        """The jobs of these attempts are gone."""
        await self._db.write(
            lambda conn: conn.executemany(
                "UPDATE gates SET gone = 1 WHERE sweep = ? AND key = ? AND attempt = ?",
                [(gate.sweep, gate.key, gate.attempt) for gate in gates],
            )
        )


def _select(
    conn: sqlite3.Connection, where: str, values: tuple[object, ...], runners: Collection[str] | None
) -> tuple[OpenGate, ...]:
    if runners is not None:
        where, values = f"{where} AND gates.runner IN ({', '.join('?' * len(runners))})", (*values, *runners)
    rows = conn.execute(
        f"SELECT {_COLUMNS} FROM gates JOIN sweeps ON sweeps.id = gates.sweep {where}"
        " ORDER BY gates.sweep, gates.position",
        values,
    ).fetchall()
    return tuple(
        OpenGate(
            SweepId(sweep),
            GateKey(key),
            runner,
            GateState(state),
            attempt,
            PrRef(Repo(owner, repo), number),
            () if earlier == "[]" else _nodes(earlier),
            EPOCH if not not_before else datetime.fromtimestamp(not_before, UTC),
            bool(gone),
            bool(guarded),
            SweepId(job),
        )
        for owner, repo, number, sweep, key, runner, state, attempt, earlier, not_before, gone, guarded, job in rows
    )


def _nodes(earlier: str) -> tuple[str, ...]:
    said = [one.said for one in EARLIER.validate_json(earlier)]
    return tuple(dict.fromkeys(s.node for s in said if s.node and s.ending is Ending.INFRASTRUCTURE))
