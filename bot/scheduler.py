"""Between gates and clusters: submits within each cluster's limit, watches, cancels. Decides nothing about verdicts."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.cluster.executor import ClusterUnreachable, Executor, JobState, JobStatus
from bot.metrics import Reach
from bot.store.jobs import JobStore, OpenGate
from bot.store.materials import MaterialStore
from bot.store.sweeps import SweepStore
from gatekit.ids import JobName, SweepId
from gatekit.job import Material
from gatekit.launch import job_for
from gatekit.policy import Cluster
from gatekit.refusal import Refusal
from gatekit.sweep import GateState, Sweep
from handlers.events import Event, GateEnded, SweepUnshown

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunningCluster:
    cluster: Cluster
    executor: Executor
    max_jobs: int  # submitted and not ended


@dataclass(frozen=True, slots=True)
class Stores:
    sweeps: SweepStore
    jobs: JobStore
    materials: MaterialStore


class GateScheduler:
    """One loop for all clusters. Each step is stored before the next: a new process goes on where this one died."""

    def __init__(
        self,
        stores: Stores,
        clusters: tuple[RunningCluster, ...],
        post: Callable[[Event], None],
        poll_seconds: float,
    ) -> None:
        self._stores = stores
        self._clusters = clusters
        self._post = post
        self._poll_seconds = poll_seconds
        self._woken = asyncio.Event()
        self._rounds = asyncio.Condition()
        self._ended = 0  # rounds of `run`
        self._read: dict[SweepId, Sweep] = {}  # in this round: of a sweep only its plan is asked, which never changes
        self.statuses: Mapping[JobName, JobStatus] = {}  # of the last look, for pages
        self._reach = {one.cluster.name: Reach() for one in clusters}

    def wake(self) -> None:
        self._woken.set()

    async def run(self) -> None:
        while True:
            self._woken.clear()
            try:
                await self.look()
            except Exception:  # the boundary: one bad round must not end the loop
                log.exception("a look at the gates failed")
            async with self._rounds:
                self._ended += 1
                self._rounds.notify_all()
            try:
                await asyncio.wait_for(self._woken.wait(), self._poll_seconds)
            except TimeoutError:
                continue

    async def looked(self) -> None:
        """Until a round that began after this call has ended. Only while `run` runs."""
        async with self._rounds:
            wanted = self._ended + 2  # one may be under way
            while self._ended < wanted:
                self.wake()
                await self._rounds.wait()

    async def look(self) -> None:
        """One round over every cluster. A cluster out of reach is left as it is until the next one."""
        self._read = {}
        for pr in dict.fromkeys(pr for _, pr in await self._stores.sweeps.all_unshown()):
            self._post(SweepUnshown(pr))
        statuses: dict[JobName, JobStatus] = {}
        for running in self._clusters:
            try:
                await self._cancel(running)
                statuses |= await self._watch(running)
                await self._submit(running)
                self._reach[running.cluster.name].answered()
            except ClusterUnreachable as error:
                self._reach[running.cluster.name].failed()
                log.warning("cluster out of reach: %s", error, extra={"cluster": running.cluster.name})
            except Exception:  # the boundary: the other clusters go on
                log.exception("a look at a cluster failed", extra={"cluster": running.cluster.name})
        self.statuses = statuses

    def out_of_reach_seconds(self) -> dict[str, float]:
        """By cluster; 0: it answered when it was last asked."""
        return {name: reach.seconds for name, reach in self._reach.items()}

    async def _cancel(self, running: RunningCluster) -> None:
        gates = {gate.job: gate for gate in self._of(running, await self._stores.jobs.to_cancel())}
        if gates:
            gone = await running.executor.cancel(tuple(gates))
            await self._stores.jobs.gone(tuple(gates[name] for name in gone))

    async def _watch(self, running: RunningCluster) -> Mapping[JobName, JobStatus]:
        gates = {gate.job: gate for gate in await self._in(running, GateState.RUNNING)}
        statuses = await running.executor.states(tuple(gates)) if gates else {}
        for name, status in statuses.items():
            if status.state in (JobState.ENDED, JobState.ABSENT):
                await self._stores.jobs.move(gates[name], GateState.ENDED)
        await self._tell(running)
        return statuses

    async def _tell(self, running: RunningCluster) -> None:
        for gate in await self._in(running, GateState.ENDED):
            sweep = await self._sweep(gate.sweep)
            self._post(GateEnded(sweep.pr, gate.sweep, gate.key, gate.attempt))

    async def _submit(self, running: RunningCluster) -> None:
        for gate in await self._in(running, GateState.SUBMITTING):  # a process died here: the answer was lost
            await self._hand_over(running, gate)
        taken = len(await self._in(running, GateState.RUNNING, GateState.SUBMITTING))
        room = running.max_jobs - taken - await self._stores.jobs.lingering(running.cluster.serves)
        for gate in (await self._in(running, GateState.WAITING))[: max(room, 0)]:
            if await self._stores.jobs.move(gate, GateState.SUBMITTING):
                begun = OpenGate(gate.sweep, gate.key, gate.runner, GateState.SUBMITTING, gate.attempt + 1)
                await self._hand_over(running, begun)

    async def _hand_over(self, running: RunningCluster, gate: OpenGate) -> None:
        """A gate that cannot be submitted does not hold up the others; where the cluster is out of reach, all wait."""
        sweep = await self._sweep(gate.sweep)
        planned = next(row.gate for row in sweep.rows if row.gate.key == gate.key)
        names = {"pr": str(sweep.pr), "gate": planned.title}
        try:
            await running.executor.submit(job_for(planned, gate.sweep, gate.attempt, running.cluster))
        except Refusal as no:
            log.warning("%s cannot be submitted: %s", gate.job, no, extra=names)
            await self._give_up(gate, no)
        except ClusterUnreachable:
            raise
        except Exception:  # the boundary: it is tried again in the next round
            log.exception("%s could not be submitted", gate.job, extra=names)
        else:
            await self._stores.jobs.move(gate, GateState.RUNNING)
            log.info("submitted %s", gate.job, extra=names)

    async def _give_up(self, gate: OpenGate, no: Refusal) -> None:
        """The gate ends without a job; what it leaves behind is the reason."""
        await self._stores.materials.put(gate.job, Material(None, {}, {}, None, None, f"not submitted: {no}\n"))
        if await self._stores.jobs.move(gate, GateState.ENDED):
            self.wake()

    async def _sweep(self, sweep: SweepId) -> Sweep:
        if sweep not in self._read:
            self._read[sweep] = await self._stores.sweeps.get(sweep)
        return self._read[sweep]

    async def _in(self, running: RunningCluster, *states: GateState) -> tuple[OpenGate, ...]:
        return tuple(gate for gate in self._of(running, await self._stores.jobs.open()) if gate.state in states)

    @staticmethod
    def _of(running: RunningCluster, gates: tuple[OpenGate, ...]) -> tuple[OpenGate, ...]:
        return tuple(gate for gate in gates if gate.runner in running.cluster.serves)
