"""A curve, K by K: each is launched, replayed, computed and written before the next one starts."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bot.cluster.executor import ClusterUnreachable
from bot.collect.files import write_curve_file
from bot.collect.runs import ran
from bot.scheduler import RunningCluster
from gatekit.collected import (
    Cell,
    Provenance,
    new_curve,
    refuse_mixture,
    refuse_other_drafts,
    rendered_so_far,
    server_of,
    with_cell,
)
from gatekit.collecting import Sitting, gate_of
from gatekit.curve_file import Curve
from gatekit.engines import ENGINES
from gatekit.gates import Gate
from gatekit.ids import JobName, SweepId
from gatekit.job import Material, Result
from gatekit.judge import judge
from gatekit.launch import job_for
from gatekit.refusal import Refusal
from gatekit.result import parse_result
from gatekit.verdict import Judged, NotMeasured


@dataclass(frozen=True, slots=True)
class Order:
    """What to measure and where to write it."""

    what: Sitting
    ks: tuple[int, ...]
    header: Curve  # the settings to collect with, and what stands in the file already
    own: bool  # the header is the file's own; else only its settings are taken
    out: Path
    hardware: str
    source: str

    @property
    def cells(self) -> frozenset[Cell]:
        return frozenset((self.what.thinking, k) for k in self.ks)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a collection runs. `run` names its jobs apart from those of every sweep and of other collections."""

    cluster: RunningCluster
    node_digest: str
    run: SweepId
    poll_seconds: float
    say: Callable[[str], None]  # a line for the person who waits


async def collect(order: Order, place: Place) -> tuple[int, ...]:
    """Measures every K and writes each that could be measured; the Ks that could not. Their reasons are said."""
    curve, missing = order.header if order.own else None, []
    for k in order.ks:
        try:
            curve = await _collected(order, place, curve, k)
        except (Refusal, ClusterUnreachable) as no:
            place.say(f"K={k} not measured: {no}")
            missing.append(k)
    return tuple(missing)


async def _collected(order: Order, place: Place, curve: Curve | None, k: int) -> Curve:
    """The curve with this K, in the file too. Raises Refusal, also for what was replayed and must not be judged."""
    gate = gate_of(order.what, k, place.node_digest)
    base = curve or new_curve(order.header, gate)
    refuse_other_drafts(base, gate)
    refuse_mixture(base, _expected(order, gate), order.cells)  # before it costs anything
    job = job_for(gate, place.run, 1, place.cluster.cluster)
    material = await ran(place.cluster.executor, job, place.poll_seconds, place.say)
    verdict = judge(gate, JobName(job.job), material, ENGINES[gate.launch.engine].counters)
    if isinstance(verdict, NotMeasured):
        raise Refusal(verdict.reason)
    found = _found(order, gate, material)
    grown = with_cell(base, (order.what.thinking, k), verdict.realized.al, found, order.cells)
    write_curve_file(order.out, grown)
    for line in _said(k, verdict):
        place.say(line)
    return grown


def _expected(order: Order, gate: Gate) -> Provenance:
    """What will be recorded where all is as it was."""
    block = gate.collection
    rendered = rendered_so_far(block, order.what.thinking)
    return Provenance(block.engine, order.hardware, server_of(gate), block.prompts_sha256, rendered, order.source)


def _found(order: Order, gate: Gate, material: Material) -> Provenance:
    """What the node says that it ran."""
    ran: Result = parse_result(material.result or "")
    engine = f"{gate.launch.engine}{f' {ran.engine_version}' if ran.engine_version else ''}"
    return Provenance(engine, order.hardware, server_of(gate), ran.prompts_sha256, ran.rendered_sha256, order.source)


def _said(k: int, verdict: Judged) -> tuple[str, ...]:
    found = verdict.realized
    line = f"K={k} AL {found.al:.2f} (95 % interval {found.low:.3f} to {found.high:.3f}, {found.drafts:,} drafts)"
    return (line, *(f"K={k} {warning}" for warning in verdict.warnings))
