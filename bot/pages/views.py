"""Stored values as a page needs them."""

from dataclasses import dataclass

from gatekit.ids import JobName, job_name, short
from gatekit.job import Material
from gatekit.redact import redact
from gatekit.sweep import GateRow, Sweep
from gatekit.verdict import Judged, NotMeasured, Realized

LOG_CHARACTERS = 64 * 1024  # of each log, from its end


@dataclass(frozen=True, slots=True)
class GateView:
    row: GateRow
    short: str
    job: JobName | None
    word: str  # the verdict, or where the gate stands
    reason: str
    realized: Realized | None
    logs: tuple[tuple[str, str], ...]  # name and redacted text


def gate_view(sweep: Sweep, row: GateRow, material: Material | None) -> GateView:
    job = job_name(sweep.id, row.gate.key, row.attempt) if row.attempt else None
    word, reason, realized = _standing(row)
    return GateView(row, short(row.gate.key), job, word, reason, realized, _logs(material))


def _standing(row: GateRow) -> tuple[str, str, Realized | None]:
    match row.verdict:
        case Judged(outcome=outcome, realized=realized, reason=reason):
            return outcome.value, reason, realized
        case NotMeasured(reason=reason):
            return "not measured", reason, None
        case None:
            return row.state.value, "no verdict yet", None


def _logs(material: Material | None) -> tuple[tuple[str, str], ...]:
    if material is None:
        return ()
    texts = [
        ("result.json", material.result),
        ("engine.log", material.engine_log),
        ("job.log", material.job_log),
        *((f"before: {worker}", text) for worker, text in material.before.items()),
        *((f"after: {worker}", text) for worker, text in material.after.items()),
    ]
    return tuple((name, redact(text[-LOG_CHARACTERS:])) for name, text in texts if text)
