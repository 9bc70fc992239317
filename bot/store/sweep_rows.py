"""Sweeps and gates as rows, and back."""

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from pydantic import TypeAdapter

from bot.store.origins import ORIGIN, origin
from gatekit.domain.gates import GatePlan
from gatekit.domain.ids import GateKey, PrRef
from gatekit.domain.sweep import Earlier, GateRow, GateState, Past, Pause, Pausing, Said, Source, Sweep
from gatekit.domain.verdict import Verdict

PLAN: TypeAdapter[GatePlan] = TypeAdapter(GatePlan)
VERDICT: TypeAdapter[Verdict] = TypeAdapter(Verdict)
SAID: TypeAdapter[Said] = TypeAdapter(Said)
SOURCE: TypeAdapter[Source] = TypeAdapter(Source)
EARLIER: TypeAdapter[tuple[Earlier, ...]] = TypeAdapter(tuple[Earlier, ...])

Pasts: TypeAlias = Mapping[GateKey, tuple[Past, ...]]  # measurements by reuse key

OPEN = (GateState.WAITING, GateState.SUBMITTING, GateState.RUNNING, GateState.ENDED)
IN_OPEN = "IN (" + ", ".join(f"'{state}'" for state in OPEN) + ")"
SWEEP_COLUMNS = ", ".join((*ORIGIN, "announced", "enforce", "canary", "fail_fast", "changes", "plan", "retired"))


def plan_json(plan: GatePlan) -> str:
    return PLAN.dump_json(plan, fallback=dict, warnings=False).decode()  # pydantic does not know read-only mappings


def read_sweep(conn: sqlite3.Connection, row: Sequence[Any], pasts: Callable[[PrRef], Pasts]) -> Sweep:
    """A row of SWEEP_COLUMNS with its gates. `pasts`: what was measured for a pull request."""
    of: Mapping[str, Any] = dict(zip(SWEEP_COLUMNS.split(", "), row, strict=True))
    plan = PLAN.validate_json(of["plan"])
    known = origin(of)
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
                Said() if said is None else SAID.validate_json(said),
                SOURCE.validate_json(source),
                past.get(gate.key, ()),
            )
        )
    return tuple(rows)
