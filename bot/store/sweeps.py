"""The bot's memory of sweeps: fills the Sweeps port, and tells the scheduler what the pull requests do not show yet."""

import sqlite3
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.store import sweep_steps as steps
from bot.store.audit import tell
from bot.store.database import Database
from bot.store.measurements import measured
from gatekit.domain.ids import GateKey, PrRef, Repo, Sha, SweepId
from gatekit.domain.reuse import Measurement
from gatekit.domain.sweep import Earlier, Sweep, SweepState
from gatekit.domain.verdict import NotMeasured, Verdict
from handlers.ports.bundle import Clock, NewSweep


@dataclass(frozen=True, slots=True)
class Unshown:
    """A sweep that does not stand on its pull request as it is stored."""

    sweep: SweepId
    pr: PrRef
    running: bool
    shown_at: datetime | None  # when it was shown last; None: never


class SweepStore:
    """Every write is one transaction and durable when it returns."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def create(self, new: NewSweep) -> Sweep:
        created = self._clock.now().isoformat()
        sweep, notes = await self._db.write(lambda conn: steps.create(conn, new, created))
        tell(new.pr, notes)
        return sweep

    async def answering(self, pr: PrRef, head: Sha) -> Sweep | None:
        return await self._db.read(lambda conn: steps.answering(conn, pr, head))

    async def retire(self, pr: PrRef) -> None:
        await self._db.write(
            lambda conn: conn.execute(
                "UPDATE sweeps SET retired = 1 WHERE owner = ? AND repo = ? AND number = ?", steps.of_pr(pr)
            )
        )

    async def get(self, sweep: SweepId) -> Sweep:
        return await self._db.read(lambda conn: steps.get(conn, sweep))

    async def find(self, number: int) -> Sweep | None:
        found = await self._db.read(lambda conn: steps.select(conn, "WHERE id = ?", (number,)))
        return found[0] if found else None

    async def newest(self, pr: PrRef) -> Sweep | None:
        found = await self._db.read(lambda conn: steps.newest(conn, pr))
        return found[0] if found else None

    async def history(self, pr: PrRef) -> tuple[Sweep, ...]:
        return await self._db.read(lambda conn: steps.history(conn, pr))

    async def measured(self, pr: PrRef, keys: Collection[GateKey]) -> tuple[Measurement, ...]:
        return await self._db.read(lambda conn: measured(conn, pr, keys))

    async def recent(self, limit: int) -> tuple[Sweep, ...]:
        """The newest sweeps of all pull requests."""
        return await self._db.read(lambda conn: steps.select(conn, "ORDER BY id DESC LIMIT ?", (limit,)))

    async def unshown(self, pr: PrRef) -> frozenset[SweepId]:
        return frozenset(one.sweep for one in await self.all_unshown() if one.pr == pr)

    async def all_unshown(self) -> tuple[Unshown, ...]:
        """Of any pull request, oldest first."""
        rows = await self._db.read(
            lambda conn: conn.execute(
                "SELECT id, owner, repo, number, state, shown_at FROM sweeps WHERE shown = 0 ORDER BY id"
            ).fetchall()
        )
        return tuple(
            Unshown(
                SweepId(number),
                PrRef(Repo(owner, repo), pr),
                state == SweepState.RUNNING,
                None if at is None else datetime.fromtimestamp(at, UTC),
            )
            for number, owner, repo, pr, state, at in rows
        )

    async def shown(self, sweep: SweepId, changes: int) -> None:
        now = self._clock.now().timestamp()
        await self._db.write(
            lambda conn: conn.execute(
                "UPDATE sweeps SET shown = (changes = ?), shown_at = ? WHERE id = ?", (changes, now, sweep)
            )
        )

    async def announced(self, sweep: SweepId) -> None:
        await self._db.write(lambda conn: conn.execute("UPDATE sweeps SET announced = 1 WHERE id = ?", (sweep,)))

    async def judged(self, sweep: SweepId, gate: GateKey, verdict: Verdict, log_tail: tuple[str, ...]) -> Sweep:
        found = steps.Verdicts(gate, verdict, log_tail, self._clock.now().isoformat())
        return await self._step(sweep, lambda conn: steps.judge(conn, sweep, found))

    async def retry(self, sweep: SweepId, gate: GateKey, earlier: tuple[Earlier, ...], not_before: datetime) -> Sweep:
        moment = not_before.timestamp()
        return await self._step(sweep, lambda conn: steps.retry(conn, sweep, gate, earlier, moment))

    async def passed_over(self, sweep: SweepId, verdicts: Mapping[GateKey, NotMeasured]) -> Sweep:
        return await self._step(sweep, lambda conn: steps.pass_over(conn, sweep, verdicts))

    async def end(self, sweep: SweepId, state: SweepState, because: str) -> Sweep:
        return await self._step(sweep, lambda conn: steps.end(conn, sweep, state, because))

    async def _step(self, sweep: SweepId, step: Callable[[sqlite3.Connection], None]) -> Sweep:
        def write(conn: sqlite3.Connection) -> Sweep:
            step(conn)
            return steps.get(conn, sweep)

        return await self._db.write(write)
