"""A gate ended: judge what it left behind and say so."""

from gatekit.comments import replies
from gatekit.engines import ENGINES
from gatekit.ids import job_name
from gatekit.judge import judge
from gatekit.redact import log_tail
from gatekit.sweep import GateRow, GateState, Sweep, SweepState
from gatekit.verdict import NotMeasured
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
        verdict = judge(row.gate, job, material, ENGINES[row.gate.launch.engine].counters)
        log = material.engine_log or material.job_log or ""
        tail = log_tail(log, LOG_LINES) if isinstance(verdict, NotMeasured) else ()
        sweep = await do.sweeps.judged(sweep.id, event.gate, verdict, tail)
    if sweep.finished and sweep.state is SweepState.RUNNING:
        await do.sweeps.end(sweep.id, SweepState.DONE, replies.all_gates_ended())
    await show(event.pr, do)
    do.scheduler.wake()


def _row(sweep: Sweep, event: GateEnded) -> GateRow:
    return next(row for row in sweep.rows if row.gate.key == event.gate)
