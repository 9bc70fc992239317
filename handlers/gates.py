"""A gate ended: judge what it left behind, or let it try again. A sweep that its PR does not show yet: show it."""

import asyncio

from gatekit.comments import replies
from gatekit.domain.gates import Gate
from gatekit.domain.ids import JobName, job_name
from gatekit.domain.job import Material
from gatekit.domain.sweep import GateRow, GateState, Sweep, SweepState
from gatekit.domain.verdict import NotMeasured, Verdict
from gatekit.engines.registry import ENGINES
from gatekit.formats.redact import log_tail
from gatekit.measure.judge import judge
from gatekit.sweep.retry import AttemptEnd, End, Retry, decide
from handlers.events import GateEnded, SweepUnshown
from handlers.ports.bundle import Ports
from handlers.show import show
from handlers.start import go_on, pass_over

LOG_LINES = 20


async def on_gate_ended(event: GateEnded, do: Ports) -> None:
    """Settles an attempt that is over. A gate that was judged or cancelled meanwhile stays as it is.

    What the pull request shows follows at the next look, so that many gates at once do not write many comments; the end
    of the sweep is shown here.
    """
    sweep = await do.sweeps.get(event.sweep)
    row = _row(sweep, event)
    if row.state is GateState.ENDED and row.attempt == event.attempt:
        sweep = await _settle(sweep, row, do)
    sweep = await pass_over(sweep, do)
    if sweep.finished and sweep.state is SweepState.RUNNING:
        await do.sweeps.end(sweep.id, SweepState.DONE, replies.all_gates_ended())
        await show(event.pr, do)
    do.scheduler.wake()


async def _settle(sweep: Sweep, row: GateRow, do: Ports) -> Sweep:
    key = row.gate.key
    material = await do.results.material(sweep, key, row.attempt)
    job = job_name(row.source.sweep or sweep.id, key, row.attempt)
    verdict, tail = await asyncio.to_thread(_judged, row.gate, job, material)
    match decide(AttemptEnd(row.attempt, verdict, row.said, row.earlier)):
        case Retry(after, earlier):
            return await do.sweeps.retry(sweep.id, key, earlier, do.clock.now() + after)
        case End(final):
            return await do.sweeps.judged(sweep.id, key, final, tail)


def _judged(gate: Gate, job: JobName, material: Material) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict of the raw material, and the last log lines of a gate that could not be measured."""
    verdict = judge(gate, job, material, ENGINES.by_name[gate.launch.engine].counters)
    log = material.engine_log or material.job_log or ""
    return verdict, log_tail(log, LOG_LINES) if isinstance(verdict, NotMeasured) else ()


def _row(sweep: Sweep, event: GateEnded) -> GateRow:
    return next(row for row in sweep.rows if row.gate.key == event.gate)


async def on_sweep_unshown(event: SweepUnshown, do: Ports) -> None:
    """Goes on where a process died, or where GitHub could not be reached. Often that was done meanwhile."""
    newest = await do.sweeps.newest(event.pr)
    if newest is not None and await do.sweeps.unshown(event.pr):
        await go_on(newest, do)
