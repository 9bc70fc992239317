"""A gate ended: judge what it left behind and say so."""

import asyncio

from gatekit.comments import replies
from gatekit.engines import ENGINES
from gatekit.gates import Gate
from gatekit.ids import JobName, job_name
from gatekit.job import Material
from gatekit.judge import judge
from gatekit.redact import log_tail
from gatekit.sweep import GateRow, GateState, Sweep, SweepState
from gatekit.verdict import NotMeasured, Verdict
from handlers.events import GateEnded
from handlers.ports import Ports
from handlers.show import show

LOG_LINES = 20


async def on_gate_ended(event: GateEnded, do: Ports) -> None:
    """Judges an ended gate from its raw material. One that was judged or cancelled meanwhile stays as it is."""
    sweep = await do.sweeps.get(event.sweep)
    row = _row(sweep, event)
    if row.state is GateState.ENDED:
        material = await do.results.material(sweep, event.gate, event.attempt)
        job = job_name(sweep.id, event.gate, event.attempt)
        verdict, tail = await asyncio.to_thread(_judged, row.gate, job, material)
        sweep = await do.sweeps.judged(sweep.id, event.gate, verdict, tail)
    if sweep.finished and sweep.state is SweepState.RUNNING:
        await do.sweeps.end(sweep.id, SweepState.DONE, replies.all_gates_ended())
    await show(event.pr, do)
    do.scheduler.wake()


def _judged(gate: Gate, job: JobName, material: Material) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict, and the last log lines of a gate that could not be measured."""
    verdict = judge(gate, job, material, ENGINES[gate.launch.engine].counters)
    log = material.engine_log or material.job_log or ""
    return verdict, log_tail(log, LOG_LINES) if isinstance(verdict, NotMeasured) else ()


def _row(sweep: Sweep, event: GateEnded) -> GateRow:
    return next(row for row in sweep.rows if row.gate.key == event.gate)
