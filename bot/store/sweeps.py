"""The bot's memory of sweeps, each step one transaction: fills the Sweeps port."""

import json
import sqlite3
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial

from bot.store.audit import add, tell
from bot.store.database import Database
from bot.store.measurements import NewMeasurement, keep, measured, pasts
from bot.store.sweep_rows import EARLIER, IN_OPEN, SWEEP_COLUMNS, VERDICT, bear, plan_json, read_sweep, take
from gatekit.domain.audit import Note
from gatekit.domain.ids import GateKey, PrRef, Repo, Sha, SweepId, job_name
from gatekit.domain.reuse import Measurement, Start
from gatekit.domain.sweep import Earlier, GateState, Sweep, SweepState
from gatekit.domain.verdict import Judged, NotMeasured, Verdict
from handlers.ports.bundle import Clock
from handlers.ports.memory import NewSweep, SweepNotes


def of_pr(pr: PrRef) -> tuple[str, str, int]:
    return (pr.repo.owner, pr.repo.name, pr.number)


def select(conn: sqlite3.Connection, where: str, values: tuple[object, ...]) -> tuple[Sweep, ...]:
    rows = conn.execute(f"SELECT {SWEEP_COLUMNS} FROM sweeps {where}", values).fetchall()
    past = cache(partial(pasts, conn))
    return tuple(read_sweep(conn, row, past) for row in rows)


def get(conn: sqlite3.Connection, sweep: SweepId) -> Sweep:
    found = select(conn, "WHERE id = ?", (sweep,))
    if not found:
        raise KeyError(f"no sweep {sweep}")
    return found[0]


_OF_PR = "WHERE owner = ? AND repo = ? AND number = ? ORDER BY id DESC"


def newest(conn: sqlite3.Connection, pr: PrRef) -> tuple[Sweep, ...]:
    """One, or none."""
    return select(conn, f"{_OF_PR} LIMIT 1", of_pr(pr))


def history(conn: sqlite3.Connection, pr: PrRef) -> tuple[Sweep, ...]:
    return select(conn, _OF_PR, of_pr(pr))


def answering(conn: sqlite3.Connection, pr: PrRef, head: Sha) -> Sweep | None:
    found = select(
        conn,
        "WHERE owner = ? AND repo = ? AND number = ? AND head = ? AND retired = 0 AND state IN (?, ?)"
        " AND id = (SELECT max(id) FROM sweeps AS all_of WHERE all_of.owner = sweeps.owner"
        " AND all_of.repo = sweeps.repo AND all_of.number = sweeps.number)",
        (*of_pr(pr), head, SweepState.RUNNING, SweepState.DONE),
    )
    return found[0] if found else None


def create(conn: sqlite3.Connection, new: NewSweep, created: str) -> Sweep:
    """`created`: ISO 8601."""
    taken = take(conn, new.choices)
    running = "SELECT id FROM sweeps WHERE owner = ? AND repo = ? AND number = ? AND state = ?"
    for (older,) in conn.execute(running, (*of_pr(new.pr), SweepState.RUNNING)).fetchall():
        end(conn, older, SweepState.SUPERSEDED, new.supersedes)
    values = {
        **dict(zip(("owner", "repo", "number"), of_pr(new.pr), strict=True)),
        **{name: getattr(new, name) for name in ("head", "label", "sender", "cause", "enforce", "canary", "fail_fast")},
        "state": SweepState.RUNNING,
        "created": created,
        "plan": plan_json(new.plan),
    }
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    row = conn.execute(f"INSERT INTO sweeps ({names}) VALUES ({marks}) RETURNING id", tuple(values.values())).fetchone()
    sweep = SweepId(row[0])
    for position, gate in enumerate(new.plan.gates):
        bear(conn, (sweep, position, gate), new.choices.get(gate.key, Start()), taken.get(gate.key))
    return get(conn, sweep)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What was found of a gate that has ended, and when (ISO 8601)."""

    gate: GateKey
    verdict: Verdict
    log: tuple[str, ...]
    at: str


def judge(conn: sqlite3.Connection, sweep: SweepId, found: Verdicts) -> None:
    """Of a gate that has ended. What was measured is kept beside it."""
    row = conn.execute(
        "UPDATE gates SET state = ?, verdict = ?, log = ? WHERE sweep = ? AND key = ? AND state = ?"
        " RETURNING job_sweep, attempt",
        (GateState.JUDGED, _json(found.verdict), json.dumps(found.log), sweep, found.gate, GateState.ENDED),
    ).fetchone()
    if row is None:
        return
    touch(conn, sweep)
    if isinstance(found.verdict, Judged):
        job_sweep, attempt = SweepId(row[0]), int(row[1])
        whose = conn.execute("SELECT owner, repo, number, head FROM sweeps WHERE id = ?", (job_sweep,)).fetchone()
        owner, repo, number, head = whose
        new = NewMeasurement(
            pr=PrRef(Repo(owner, repo), number),
            key=found.gate,
            sweep=job_sweep,
            attempt=attempt,
            head=Sha(head),
            job=job_name(job_sweep, found.gate, attempt),
            at=found.at,
            verdict=found.verdict,
        )
        keep(conn, new)


def retry(
    conn: sqlite3.Connection, sweep: SweepId, gate: GateKey, earlier: tuple[Earlier, ...], not_before: float
) -> None:
    """A gate that has ended waits again. `not_before`: seconds since 1970."""
    changed = conn.execute(
        "UPDATE gates SET state = ?, earlier = ?, not_before = ?, said = NULL, gone = 0"
        " WHERE sweep = ? AND key = ? AND state = ?",
        (GateState.WAITING, EARLIER.dump_json(earlier).decode(), not_before, sweep, gate, GateState.ENDED),
    ).rowcount
    if changed:
        touch(conn, sweep)


def pass_over(conn: sqlite3.Connection, sweep: SweepId, verdicts: Mapping[GateKey, NotMeasured]) -> None:
    """Of gates that were never started."""
    changed = conn.executemany(
        "UPDATE gates SET state = ?, verdict = ? WHERE sweep = ? AND key = ? AND state = ? AND attempt = 0",
        [(GateState.JUDGED, _json(verdict), sweep, key, GateState.WAITING) for key, verdict in verdicts.items()],
    ).rowcount
    if changed:
        touch(conn, sweep)


def touch(conn: sqlite3.Connection, sweep: SweepId) -> None:
    """It changed: what stands on the pull request is out of date."""
    conn.execute("UPDATE sweeps SET shown = 0, changes = changes + 1 WHERE id = ?", (sweep,))


def end(conn: sqlite3.Connection, sweep: SweepId, state: SweepState, because: str) -> None:
    changed = conn.execute(
        "UPDATE sweeps SET state = ?, because = ? WHERE id = ? AND state = ?",
        (state, because, sweep, SweepState.RUNNING),
    ).rowcount
    if changed:
        conn.execute(f"UPDATE gates SET state = ? WHERE sweep = ? AND state {IN_OPEN}", (GateState.CANCELLED, sweep))
        touch(conn, sweep)


def _json(verdict: Verdict) -> str:
    return VERDICT.dump_json(verdict).decode()


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

    async def create(self, new: NewSweep, notes: SweepNotes) -> Sweep:
        created = self._clock.now().isoformat()

        def write(conn: sqlite3.Connection) -> tuple[Sweep, tuple[Note, ...]]:
            standing = answering(conn, new.pr, new.head)
            if standing is not None:
                return standing, ()
            sweep = create(conn, new, created)
            news = notes(sweep)
            add(conn, created, new.pr, news)
            return sweep, news

        sweep, news = await self._db.write(write)
        tell(new.pr, news)
        return sweep

    async def answering(self, pr: PrRef, head: Sha) -> Sweep | None:
        return await self._db.read(lambda conn: answering(conn, pr, head))

    async def retire(self, pr: PrRef) -> None:
        await self._db.write(
            lambda conn: conn.execute(
                "UPDATE sweeps SET retired = 1 WHERE owner = ? AND repo = ? AND number = ?", of_pr(pr)
            )
        )

    async def get(self, sweep: SweepId) -> Sweep:
        return await self._db.read(lambda conn: get(conn, sweep))

    async def find(self, number: int) -> Sweep | None:
        found = await self._db.read(lambda conn: select(conn, "WHERE id = ?", (number,)))
        return found[0] if found else None

    async def newest(self, pr: PrRef) -> Sweep | None:
        found = await self._db.read(lambda conn: newest(conn, pr))
        return found[0] if found else None

    async def history(self, pr: PrRef) -> tuple[Sweep, ...]:
        return await self._db.read(lambda conn: history(conn, pr))

    async def measured(self, pr: PrRef, keys: Collection[GateKey]) -> tuple[Measurement, ...]:
        return await self._db.read(lambda conn: measured(conn, pr, keys))

    async def recent(self, limit: int) -> tuple[Sweep, ...]:
        """The newest sweeps of all pull requests."""
        return await self._db.read(lambda conn: select(conn, "ORDER BY id DESC LIMIT ?", (limit,)))

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
        found = Verdicts(gate, verdict, log_tail, self._clock.now().isoformat())
        return await self._step(sweep, lambda conn: judge(conn, sweep, found))

    async def retry(self, sweep: SweepId, gate: GateKey, earlier: tuple[Earlier, ...], not_before: datetime) -> Sweep:
        moment = not_before.timestamp()
        return await self._step(sweep, lambda conn: retry(conn, sweep, gate, earlier, moment))

    async def passed_over(self, sweep: SweepId, verdicts: Mapping[GateKey, NotMeasured]) -> Sweep:
        return await self._step(sweep, lambda conn: pass_over(conn, sweep, verdicts))

    async def end(self, sweep: SweepId, state: SweepState, because: str) -> Sweep:
        return await self._step(sweep, lambda conn: end(conn, sweep, state, because))

    async def _step(self, sweep: SweepId, step: Callable[[sqlite3.Connection], None]) -> Sweep:
        def write(conn: sqlite3.Connection) -> Sweep:
            step(conn)
            return get(conn, sweep)

        return await self._db.write(write)
