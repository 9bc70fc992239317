"""The JSON of the pages. Its keys are documented in docs/operating.md: add to them, never rename one."""

from pydantic import TypeAdapter

from bot.cluster.executor import JobStatus
from bot.pages.views import counted, counted_rows
from bot.store.sweep_list import Listing, SweepLine
from gatekit.ids import short
from gatekit.sweep import GateRow, Sweep, job_of

_SWEEP: TypeAdapter[Sweep] = TypeAdapter(Sweep)
_ROW: TypeAdapter[GateRow] = TypeAdapter(GateRow)


def sweep_lines(listing: Listing) -> list[dict[str, object]]:
    """Open sweeps first, then recent ones; without their plans."""
    return [_line(line) for line in (*listing.open, *listing.recent)]


def sweep_json(sweep: Sweep) -> dict[str, object]:
    """Everything that is stored of a sweep, and the gates counted by where they stand."""
    whole: dict[str, object] = _SWEEP.dump_python(sweep, mode="json", fallback=dict, warnings=False)
    return {**whole, "standing": counted_rows(sweep.rows)}


def gate_json(sweep: Sweep, row: GateRow, status: JobStatus | None, texts: dict[str, str]) -> dict[str, object]:
    """One gate with what its attempt left behind."""
    whole: dict[str, object] = _ROW.dump_python(row, mode="json", fallback=dict, warnings=False)
    said = None if status is None else {"state": status.state.value, "detail": status.detail}
    return {
        "sweep": sweep.id,
        "short": short(row.gate.key),
        "job": job_of(sweep, row),
        "status": said,
        **whole,
        "texts": texts,
    }


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
