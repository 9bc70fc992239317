"""A curve, K by K: each is launched, replayed, computed and written before the next one starts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bot.cluster.executor import ClusterUnreachable, JobState
from bot.collect.files import write_curve_file
from bot.collect.runs import Ran, Runs
from gatekit.cluster.job import job_for
from gatekit.cluster.policy import Cluster
from gatekit.cluster.result import parse_result
from gatekit.domain.errors import Refusal
from gatekit.domain.gates import Gate
from gatekit.domain.ids import JobName, SweepId
from gatekit.domain.job import Job, Material, Result
from gatekit.domain.sweep import ClusterReport
from gatekit.domain.verdict import Judged, NotMeasured, Unmeasured, Verdict
from gatekit.engines.registry import ENGINES
from gatekit.goldens.curve import Curve
from gatekit.goldens.update import (
    Cell,
    Provenance,
    new_curve,
    refuse_mixture,
    refuse_other_drafts,
    rendered_so_far,
    server_of,
    with_cell,
)
from gatekit.measure.judge import judge
from gatekit.plan.collect import Sitting, gate_of
from gatekit.sweep.retry import AttemptEnd, final


class ClusterRefuses(Refusal):
    """The cluster takes no job such as the operator's file asks for: no other K would fare better."""


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
    """Where a collection runs. `run` and `submitter` tell its jobs from those of every bot and of other collections."""

    cluster: Cluster
    runs: Runs
    node_digest: str
    run: SweepId
    submitter: str
    say: Callable[[str], None]  # a line for the person who waits


@dataclass(frozen=True, slots=True)
class _Planned:
    gate: Gate
    job: Job


async def collect(order: Order, place: Place) -> tuple[int, ...]:
    """Measures every K and writes each that could be measured; the Ks that could not. Their reasons are said."""
    plan, missing = _plan(order, place)
    curve, ks = order.header if order.own else None, tuple(plan)
    for number, k in enumerate(ks):
        try:
            curve = await _collected(order, place, curve, plan[k])
        except (ClusterUnreachable, ClusterRefuses) as no:
            place.say(f"{_named(ks[number:])} not measured: {no}")
            missing += ks[number:]
            break
        except Refusal as no:
            place.say(f"{_named((k,))} not measured: {no}")
            missing.append(k)
    return tuple(sorted(missing))


def _plan(order: Order, place: Place) -> tuple[Mapping[int, _Planned], list[int]]:
    """What is run for each K, and the Ks that cannot be run at all; said before anything costs time."""
    plan, refused = dict[int, _Planned](), dict[str, list[int]]()
    for k in order.ks:
        try:
            plan[k] = _planned(order, place, k)
        except Refusal as no:
            refused.setdefault(str(no), []).append(k)
    for reason, ks in refused.items():
        place.say(f"{_named(ks)} not measured: {reason}")
    return plan, [k for ks in refused.values() for k in ks]


def _planned(order: Order, place: Place, k: int) -> _Planned:
    gate = gate_of(order.what, k, place.node_digest)
    base = order.header if order.own else new_curve(order.header, gate)
    refuse_other_drafts(base, gate)
    refuse_mixture(base, _expected(order, gate), order.cells)
    return _Planned(gate, replace(job_for(gate, place.run, 1, place.cluster), submitter=place.submitter))


async def _collected(order: Order, place: Place, curve: Curve | None, planned: _Planned) -> Curve:
    """The curve with this K, in the file too. Raises Refusal, also for what was replayed and must not be judged."""
    gate, k = planned.gate, planned.gate.drafting.k
    ran = await place.runs.ran(planned.job)
    verdict = _verdict(planned, ran)
    if isinstance(verdict, NotMeasured):
        raise ClusterRefuses(verdict.reason) if verdict.why is Unmeasured.REFUSED else Refusal(verdict.reason)
    base, cell = curve or new_curve(order.header, gate), (order.what.thinking, k)
    grown = with_cell(base, cell, verdict.realized.al, _found(order, gate, ran.material), order.cells)
    write_curve_file(order.out, grown)
    for line in _said(k, verdict):
        place.say(line)
    return grown


def _verdict(planned: _Planned, ran: Ran) -> Verdict:
    """What the cluster says of the job's end, where the job itself says too little."""
    status, counters = ran.status, ENGINES.by_name[planned.gate.launch.engine].counters
    verdict = judge(planned.gate, JobName(planned.job.job), ran.material, counters)
    said = ClusterReport(status.ending, status.state is JobState.ABSENT, status.detail, status.node)
    return final(AttemptEnd(1, verdict, said))


def _named(ks: Sequence[int]) -> str:
    return f"K={', '.join(map(str, ks))}"


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
