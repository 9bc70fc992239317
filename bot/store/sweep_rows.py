"""Sweeps and gates as rows, and back: how a new sweep comes into the store, and what is read of one."""

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from pydantic import TypeAdapter

from gatekit.domain.gates import Gate, GatePlan
from gatekit.domain.ids import GateKey, Login, PrRef, Repo, Sha, SweepId
from gatekit.domain.reuse import Adopt, Choice, Reuse, Start
from gatekit.domain.sweep import (
    Cause,
    ClusterReport,
    Earlier,
    GateRow,
    GateState,
    JobOrigin,
    JobSource,
    Past,
    Pause,
    Pausing,
    Sweep,
    SweepState,
)
from gatekit.domain.verdict import Verdict

FACTS = ("id", "owner", "repo", "number", "head", "label", "sender", "cause", "state", "because", "created")


def facts(of: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of SweepFacts, from the columns FACTS by name; more of them do no harm."""
    return {
        "id": SweepId(of["id"]),
        "pr": PrRef(Repo(of["owner"], of["repo"]), of["number"]),
        "head": Sha(of["head"]),
        "label": of["label"],
        "sender": Login(of["sender"]),
        "cause": Cause(of["cause"]),
        "state": SweepState(of["state"]),
        "ended_because": of["because"],
        "created": datetime.fromisoformat(of["created"]),
    }


PLAN: TypeAdapter[GatePlan] = TypeAdapter(GatePlan)
VERDICT: TypeAdapter[Verdict] = TypeAdapter(Verdict)
SAID: TypeAdapter[ClusterReport] = TypeAdapter(ClusterReport)
SOURCE: TypeAdapter[JobSource] = TypeAdapter(JobSource)
EARLIER: TypeAdapter[tuple[Earlier, ...]] = TypeAdapter(tuple[Earlier, ...])

Pasts: TypeAlias = Mapping[GateKey, tuple[Past, ...]]  # measurements by reuse key

OPEN = (GateState.WAITING, GateState.SUBMITTING, GateState.RUNNING, GateState.ENDED)
IN_OPEN = "IN (" + ", ".join(f"'{state}'" for state in OPEN) + ")"
SWEEP_COLUMNS = ", ".join((*FACTS, "announced", "enforce", "canary", "fail_fast", "changes", "plan", "retired"))


def plan_json(plan: GatePlan) -> str:
    return PLAN.dump_json(plan, fallback=dict, warnings=False).decode()  # pydantic does not know read-only mappings


def read_sweep(conn: sqlite3.Connection, row: Sequence[Any], pasts: Callable[[PrRef], Pasts]) -> Sweep:
    """A row of SWEEP_COLUMNS with its gates. `pasts`: what was measured for a pull request."""
    of: Mapping[str, Any] = dict(zip(SWEEP_COLUMNS.split(", "), row, strict=True))
    plan = PLAN.validate_json(of["plan"])
    known = facts(of)
    return Sweep(
        **known,
        announced=bool(of["announced"]),
        enforce=bool(of["enforce"]),
        plan=plan,
        rows=_gate_rows(conn, known["id"], plan, pasts(known["pr"])),
        canary=bool(of["canary"]),
        fail_fast=bool(of["fail_fast"]),
        pauses=_pauses(conn, of["id"]),
        changes=of["changes"],
        retired=bool(of["retired"]),
    )


def read_pauses(rows: Sequence[Sequence[Any]]) -> tuple[Pause, ...]:
    """Rows of cluster, why, since, said."""
    return tuple(
        Pause(cluster, Pausing(why), datetime.fromisoformat(since), said) for cluster, why, since, said in rows
    )


def _pauses(conn: sqlite3.Connection, sweep: int) -> tuple[Pause, ...]:
    rows = conn.execute(
        "SELECT DISTINCT cluster, why, since, said FROM pauses WHERE runner IN"
        f" (SELECT runner FROM gates WHERE sweep = ? AND state {IN_OPEN}) ORDER BY cluster, why",
        (sweep,),
    ).fetchall()
    return read_pauses(rows)


def _gate_rows(conn: sqlite3.Connection, sweep: int, plan: GatePlan, past: Pasts) -> tuple[GateRow, ...]:
    found = conn.execute(
        "SELECT key, state, attempt, verdict, log, earlier, said, source FROM gates WHERE sweep = ?", (sweep,)
    )
    stored = {GateKey(key): rest for key, *rest in found}
    rows = []
    for gate in plan.gates:
        state, attempt, verdict, log, earlier, said, source = stored[gate.key]
        rows.append(
            GateRow(
                gate,
                GateState(state),
                attempt,
                None if verdict is None else VERDICT.validate_json(verdict),
                tuple(json.loads(log)),
                EARLIER.validate_json(earlier),
                ClusterReport() if said is None else SAID.validate_json(said),
                SOURCE.validate_json(source),
                past.get(gate.key, ()),
            )
        )
    return tuple(rows)


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
            source = JobSource(JobOrigin.REUSED, sweep=measurement.sweep, head=head, measured=measurement.measured)
            verdict = VERDICT.dump_json(measurement.verdict).decode()
            rest = (measurement.attempt, verdict, "[]", None, 0, 1)
            _insert(conn, place, (GateState.JUDGED, measurement.sweep, _json(source), *rest))
        case Adopt() if standing is not None:
            state, job_sweep, attempt, earlier, said, not_before, gone = standing
            (head,) = conn.execute("SELECT head FROM sweeps WHERE id = ?", (job_sweep,)).fetchone()
            source = JobSource(JobOrigin.ADOPTED, sweep=SweepId(job_sweep), head=Sha(head))
            _insert(conn, place, (state, job_sweep, _json(source), *(attempt, None, earlier, said, not_before, gone)))
        case Adopt(sweep):
            _insert(conn, place, (GateState.WAITING, place[0], _json(JobSource(start=Start(sweep=sweep)))))
        case Start():
            _insert(conn, place, (GateState.WAITING, place[0], _json(JobSource(start=choice))))


def _insert(conn: sqlite3.Connection, place: tuple[SweepId, int, Gate], rest: tuple[object, ...]) -> None:
    """`rest`: values of the columns after the first four, as many as there are."""
    sweep, position, gate = place
    values = (sweep, gate.key, position, gate.cluster, *rest)
    names = _COLUMNS.split(", ")[: len(values)]
    conn.execute(f"INSERT INTO gates ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})", values)


def _json(source: JobSource) -> str:
    return SOURCE.dump_json(source).decode()
