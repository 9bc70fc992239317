"""From waiting gates to jobs: who may start, whose turn it is, and the words to the cluster."""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from bot.cluster.executor import ClusterUnreachable, RunningCluster
from bot.scheduler.context import SchedulerContext
from bot.store.jobs import OpenGate
from gatekit.cluster.job import job_for
from gatekit.domain.errors import Refusal
from gatekit.domain.gates import Gate
from gatekit.domain.ids import GateKey, PrRef, SweepId
from gatekit.domain.job import Material
from gatekit.domain.sweep import ClusterReport, Ending, GateState
from gatekit.sweep.scheduling import in_turns, may_start

log = logging.getLogger(__name__)

AT_ONCE = 4  # submissions under way; an SSH server takes ten sessions of one connection


class Submitter:
    """Submits the gates of one cluster. Knows whose turn it was; a restart forgets that, and nobody starves of it."""

    def __init__(self, running: RunningCluster, bot: SchedulerContext) -> None:
        self._running = running
        self._bot = bot
        self._turns: dict[PrRef, int] = {}
        self._gates: dict[SweepId, dict[GateKey, Gate]] = {}  # of this round; a plan never changes

    async def submit(self, gates: Sequence[OpenGate], room: int, *, again: bool) -> None:
        """Hands over what waits, as far as there is room. `again`: first what got no answer, or a process died over.

        Raises ClusterUnreachable: the others wait for the next round.
        """
        lost = [gate for gate in gates if again and gate.state is GateState.SUBMITTING]
        turn = await self._turn(gates, room)
        self._gates = {sweep: await self._plan(sweep) for sweep in {gate.sweep for gate in (*lost, *turn)}}
        await self._side_by_side((*lost, *turn))

    async def _turn(self, gates: Sequence[OpenGate], room: int) -> tuple[OpenGate, ...]:
        now = self._bot.clock.now()
        waiting = [gate for gate in gates if gate.state is GateState.WAITING and due(gate, now)]
        if room <= 0 or not waiting:
            return ()
        guarded = {gate.sweep for gate in waiting if gate.guarded}
        free = {sweep: may_start(await self._bot.stores.sweeps.get(sweep), self._bot.clusters) for sweep in guarded}
        ready = [gate for gate in waiting if not gate.guarded or gate.key in free[gate.sweep]]
        served = in_turns([(gate.pr, gate) for gate in ready], self._turns)[:room]
        self._remember(served, {gate.pr for gate in gates})
        return served

    def _remember(self, served: Iterable[OpenGate], present: set[PrRef]) -> None:
        last = max(self._turns.values(), default=0)
        self._turns |= {gate.pr: last + n for n, gate in enumerate(served, 1)}
        self._turns = {pr: turn for pr, turn in self._turns.items() if pr in present}

    async def _plan(self, sweep: SweepId) -> dict[GateKey, Gate]:
        return {gate.key: gate for gate in (await self._bot.stores.sweeps.get(sweep)).plan.gates}

    async def _side_by_side(self, gates: Iterable[OpenGate]) -> None:
        """The first one alone: where it finds the cluster out of reach, no other is begun."""
        queue, failures = iter(gates), list[ClusterUnreachable]()
        for first in queue:
            await self._begin(first)
            break

        async def work() -> None:
            for gate in queue:
                if failures:
                    return
                try:
                    await self._begin(gate)
                except ClusterUnreachable as error:
                    failures.append(error)

        await asyncio.gather(*(work() for _ in range(AT_ONCE)))
        if failures:
            raise failures[0]

    async def _begin(self, gate: OpenGate) -> None:
        if gate.state is GateState.WAITING:
            if not await self._bot.stores.jobs.move(gate, GateState.SUBMITTING):
                return
            gate = replace(gate, state=GateState.SUBMITTING, attempt=gate.attempt + 1)
        await self._hand_over(gate)

    async def _hand_over(self, gate: OpenGate) -> None:
        """A gate that cannot be submitted does not hold up the others; where the cluster is out of reach, all wait."""
        planned = self._gates[gate.sweep][gate.key]
        names = {"pr": str(gate.pr), "gate": planned.title}
        try:
            job = job_for(planned, gate.job_sweep or gate.sweep, gate.attempt, self._running.cluster)
            submitter = await self._bot.stores.jobs.submitter()
            await self._running.executor.submit(replace(job, submitter=submitter), gate.nodes)
        except Refusal as no:
            log.warning("%s cannot be submitted: %s", gate.job, no, extra=names)
            await self._give_up(gate, no)
        except ClusterUnreachable:
            raise
        except Exception:  # the boundary: it is tried again in the next round
            log.exception("%s could not be submitted", gate.job, extra=names)
        else:
            await self._bot.stores.jobs.move(gate, GateState.RUNNING)
            self._bot.changed()
            log.info("submitted %s", gate.job, extra=names)

    async def _give_up(self, gate: OpenGate, no: Refusal) -> None:
        """The gate ends without a job; what it leaves behind is the reason."""
        material = Material(None, {}, {}, None, None, f"not submitted: {no}\n")
        await self._bot.stores.materials.put(gate.job, material)
        await self._bot.stores.jobs.ended(gate, ClusterReport(Ending.REFUSED, sentence=str(no)))


def due(gate: OpenGate, now: datetime) -> bool:
    """May it be submitted as far as its earlier attempts are concerned?"""
    if gate.attempt == 0:
        return True
    return gate.not_before <= now and gate.gone
