"""Sweeps and gates as rows, and back."""

import json
import sqlite3
from datetime import datetime

from pydantic import TypeAdapter

from gatekit.gates import GatePlan
from gatekit.ids import GateKey, Login, PrRef, Repo, Sha, SweepId
from gatekit.sweep import Cause, GateRow, GateState, Sweep, SweepState
from gatekit.verdict import Verdict

PLAN: TypeAdapter[GatePlan] = TypeAdapter(GatePlan)
VERDICT: TypeAdapter[Verdict] = TypeAdapter(Verdict)

SWEEP_COLUMNS = "id, owner, repo, number, head, label, sender, cause, state, because, announced, enforce, created, plan"


def plan_json(plan: GatePlan) -> str:
    return PLAN.dump_json(plan, fallback=dict, warnings=False).decode()  # pydantic does not know read-only mappings


def read_sweep(conn: sqlite3.Connection, row: sqlite3.Row | tuple[object, ...]) -> Sweep:
    """A row of SWEEP_COLUMNS with its gates."""
    number, owner, repo, pr, head, label, sender, cause, state, because, announced, enforce, created, plan_json = row
    plan = PLAN.validate_json(str(plan_json))
    return Sweep(
        id=SweepId(int(str(number))),
        pr=PrRef(Repo(str(owner), str(repo)), int(str(pr))),
        head=Sha(str(head)),
        label=str(label),
        sender=Login(str(sender)),
        cause=Cause(str(cause)),
        state=SweepState(str(state)),
        ended_because=None if because is None else str(because),
        announced=bool(announced),
        enforce=bool(enforce),
        created=datetime.fromisoformat(str(created)),
        plan=plan,
        rows=_gate_rows(conn, int(str(number)), plan),
    )


def _gate_rows(conn: sqlite3.Connection, sweep: int, plan: GatePlan) -> tuple[GateRow, ...]:
    stored = {
        GateKey(key): (state, attempt, verdict, log)
        for key, state, attempt, verdict, log in conn.execute(
            "SELECT key, state, attempt, verdict, log FROM gates WHERE sweep = ?", (sweep,)
        )
    }
    rows = []
    for gate in plan.gates:
        state, attempt, verdict, log = stored[gate.key]
        rows.append(
            GateRow(
                gate,
                GateState(state),
                attempt,
                None if verdict is None else VERDICT.validate_json(verdict),
                tuple(json.loads(log)),
            )
        )
    return tuple(rows)
