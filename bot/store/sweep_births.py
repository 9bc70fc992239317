"""How the gates of a new sweep come into the store: with a job of their own, with one that runs, or measured."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from bot.store.sweep_rows import IN_OPEN, SOURCE, VERDICT
from gatekit.domain.gates import Gate
from gatekit.domain.ids import GateKey, Sha, SweepId
from gatekit.domain.reuse import Adopt, Choice, Reuse, Start
from gatekit.domain.sweep import GateState, Origin, Source

_COLUMNS = "sweep, key, position, runner, state, job_sweep, source, attempt, verdict, earlier, said, not_before, gone"

Standing: TypeAlias = Sequence[Any]  # of a job that runs: state, job_sweep, attempt, earlier, said, not_before, gone


def take(conn: sqlite3.Connection, choices: Mapping[GateKey, Choice]) -> dict[GateKey, Standing]:
    """Takes the gates that are adopted from their sweep, as they stand now: the cluster may have moved them on since.

    What is over by now is left out.
    """
    found = {}
    for key, choice in choices.items():
        if not isinstance(choice, Adopt):
            continue
        standing = conn.execute(
            "SELECT state, job_sweep, attempt, earlier, said, not_before, gone FROM gates"
            f" WHERE sweep = ? AND key = ? AND attempt > 0 AND state {IN_OPEN}",
            (choice.sweep, key),
        ).fetchone()
        if standing is not None:
            found[key] = standing
            conn.execute(
                "UPDATE gates SET state = ?, gone = 1 WHERE sweep = ? AND key = ?",
                (GateState.HANDED_ON, choice.sweep, key),
            )
    return found


def bear(conn: sqlite3.Connection, place: tuple[SweepId, int, Gate], choice: Choice, standing: Standing | None) -> None:
    """`place`: sweep, position and gate. `standing`: of the job that is adopted; None: there is none."""
    match choice:
        case Reuse(measurement, head):
            source = Source(Origin.REUSED, sweep=measurement.sweep, head=head, measured=measurement.measured)
            verdict = VERDICT.dump_json(measurement.verdict).decode()
            rest = (measurement.attempt, verdict, "[]", None, 0, 1)
            _insert(conn, place, (GateState.JUDGED, measurement.sweep, _json(source), *rest))
        case Adopt() if standing is not None:
            state, job_sweep, attempt, earlier, said, not_before, gone = standing
            (head,) = conn.execute("SELECT head FROM sweeps WHERE id = ?", (job_sweep,)).fetchone()
            source = Source(Origin.ADOPTED, sweep=SweepId(job_sweep), head=Sha(head))
            _insert(conn, place, (state, job_sweep, _json(source), *(attempt, None, earlier, said, not_before, gone)))
        case Adopt(sweep):
            _insert(conn, place, (GateState.WAITING, place[0], _json(Source(start=Start(sweep=sweep)))))
        case Start():
            _insert(conn, place, (GateState.WAITING, place[0], _json(Source(start=choice))))


def _insert(conn: sqlite3.Connection, place: tuple[SweepId, int, Gate], rest: tuple[object, ...]) -> None:
    """`rest`: values of the columns after the first four, as many as there are."""
    sweep, position, gate = place
    values = (sweep, gate.key, position, gate.cluster, *rest)
    names = _COLUMNS.split(", ")[: len(values)]
    conn.execute(f"INSERT INTO gates ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})", values)


def _json(source: Source) -> str:
    return SOURCE.dump_json(source).decode()
