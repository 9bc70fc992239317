"""The JSON of the pages. Its keys are documented in docs/operating.md: add to them, never rename one."""

from pydantic import TypeAdapter

from bot.cluster.executor import JobStatus
from bot.pages.sweeps import counted, counted_rows
from bot.store.audit import AuditLine
from bot.store.sweep_list import Listing, SweepLine
from gatekit.comments.tally import because
from gatekit.domain.ids import short
from gatekit.domain.sweep import GateRow, Sweep, job_of
from gatekit.domain.verdict import Verdict

_SWEEP: TypeAdapter[Sweep] = TypeAdapter(Sweep)
_ROW: TypeAdapter[GateRow] = TypeAdapter(GateRow)
_VERDICT: TypeAdapter[Verdict] = TypeAdapter(Verdict)


def sweep_lines(listing: Listing) -> list[dict[str, object]]:
    """Open sweeps first, then recent ones; without their plans."""
    return [_line(line) for line in (*listing.open, *listing.recent)]


def sweep_json(sweep: Sweep) -> dict[str, object]:
    """Everything that is stored of a sweep, and the gates counted by where they stand."""
    whole: dict[str, object] = _SWEEP.dump_python(sweep, mode="json", fallback=dict, warnings=False)
    return {**whole, "rows": [_row(row) for row in sweep.rows], "standing": counted_rows(sweep.rows)}


def gate_json(sweep: Sweep, row: GateRow, status: JobStatus | None, texts: dict[str, str]) -> dict[str, object]:
    """One gate with what its attempt left behind."""
    said = None if status is None else {"state": status.state.value, "detail": status.detail}
    return {
        "sweep": sweep.id,
        "short": short(row.gate.key),
        "job": job_of(sweep, row),
        "status": said,
        **_row(row),
        "texts": texts,
    }


def audit_json(line: AuditLine) -> dict[str, object]:
    note = line.note
    return {
        "at": line.at.isoformat(),
        "subject": note.subject.value,
        "actor": note.actor,
        "command": note.command,
        "run": note.run,
        "head": note.head,
        "outcome": note.outcome,
        "reason": note.reason,
        "sweep": note.sweep,
        "gate": note.key,
        "parts": list(note.parts),
    }


def _row(row: GateRow) -> dict[str, object]:
    """Its verdict with the sentence that a person reads."""
    whole: dict[str, object] = _ROW.dump_python(row, mode="json", fallback=dict, warnings=False)
    if row.verdict is None:
        return whole
    verdict = _VERDICT.dump_python(row.verdict, mode="json")
    return {**whole, "verdict": {**verdict, "reason": because(row.verdict)}}


def _line(line: SweepLine) -> dict[str, object]:
    return {
        "id": line.id,
        "pr": {"repo": {"owner": line.pr.repo.owner, "name": line.pr.repo.name}, "number": line.pr.number},
        "head": line.head,
        "label": line.label,
        "sender": line.sender,
        "cause": line.cause.value,
        "state": line.state.value,
        "ended_because": line.ended_because,
        "created": line.created.isoformat(),
        "gates": sum(line.gates.values()),
        "standing": counted(line.gates),
    }
