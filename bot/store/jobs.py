"""Gates as the scheduler sees them: what is to be submitted, watched, cancelled."""

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass

from bot.store.database import Database
from gatekit.ids import GateKey, JobName, SweepId, job_name
from gatekit.sweep import GateState, SweepState


@dataclass(frozen=True, slots=True)
class OpenGate:
    sweep: SweepId
    key: GateKey
    runner: str
    state: GateState
    attempt: int

    @property
    def job(self) -> JobName:
        return job_name(self.sweep, self.key, self.attempt)


class JobStore:
    """The states between a plan and a verdict, one durable step at a time."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def open(self) -> tuple[OpenGate, ...]:
        """Gates of running, announced sweeps that are not judged, oldest sweep first, in the order of the plan."""
        return await self._db.read(
            lambda conn: _select(
                conn,
                "WHERE sweeps.state = ? AND sweeps.announced = 1 AND gates.state IN (?, ?, ?, ?)",
                (
                    SweepState.RUNNING,
                    GateState.WAITING,
                    GateState.SUBMITTING,
                    GateState.RUNNING,
                    GateState.ENDED,
                ),
            )
        )

    async def to_cancel(self) -> tuple[OpenGate, ...]:
        """Cancelled gates whose job is not verified gone."""
        return await self._db.read(
            lambda conn: _select(
                conn, "WHERE gates.state = ? AND gates.attempt > 0 AND gates.gone = 0", (GateState.CANCELLED,)
            )
        )

    async def move(self, gate: OpenGate, to: GateState) -> bool:
        """One step of the gate's life; False where it was cancelled or moved on meanwhile.

        A step to SUBMITTING from WAITING begins the next attempt.
        """
        begins = gate.state is GateState.WAITING and to is GateState.SUBMITTING

        def write(conn: sqlite3.Connection) -> bool:
            return (
                conn.execute(
                    "UPDATE gates SET state = ?, attempt = attempt + ? WHERE sweep = ? AND key = ? AND state = ?",
                    (to, int(begins), gate.sweep, gate.key, gate.state),
                ).rowcount
                == 1
            )

        return await self._db.write(write)

    async def lingering(self, runners: Collection[str]) -> int:
        """Cancelled gates of these runners whose job still takes its place on the cluster."""
        return sum(gate.runner in runners for gate in await self.to_cancel())

    async def gone(self, gates: tuple[OpenGate, ...]) -> None:
        await self._db.write(
            lambda conn: conn.executemany(
                "UPDATE gates SET gone = 1 WHERE sweep = ? AND key = ?", [(gate.sweep, gate.key) for gate in gates]
            )
        )


def _select(conn: sqlite3.Connection, where: str, values: tuple[object, ...]) -> tuple[OpenGate, ...]:
    rows = conn.execute(
        "SELECT gates.sweep, gates.key, gates.runner, gates.state, gates.attempt"
        f" FROM gates JOIN sweeps ON sweeps.id = gates.sweep {where} ORDER BY gates.sweep, gates.position",
        values,
    ).fetchall()
    return tuple(OpenGate(SweepId(s), GateKey(k), runner, GateState(state), n) for s, k, runner, state, n in rows)
