"""What an attempt left behind: fetched from its cluster once, then kept with the gate."""

from collections.abc import Mapping

from bot.cluster.executor import ClusterUnreachable, Executor
from bot.store.measurements import MaterialStore
from gatekit.domain.ids import GateKey, job_name
from gatekit.domain.job import Material
from gatekit.domain.sweep import Sweep
from handlers.errors import LookupFailed


class ClusterResults:
    """Fills the Results port. Raw scrapes stay in our database: a measurement is worth nothing without them."""

    def __init__(self, executors: Mapping[str, Executor], kept: MaterialStore) -> None:
        self._executors = executors  # by runner
        self._kept = kept

    async def material(self, sweep: Sweep, gate: GateKey, attempt: int) -> Material:
        row = next(row for row in sweep.rows if row.gate.key == gate)
        name = job_name(row.source.sweep or sweep.id, gate, attempt)
        kept = await self._kept.get(name)
        if kept is not None:
            return kept
        runner = row.gate.cluster
        executor = self._executors.get(runner)
        if executor is None:
            raise LookupFailed(f"no cluster serves {runner} any more: put it back into the clusters file")
        try:
            material = await executor.material(name)
        except ClusterUnreachable as error:
            raise LookupFailed(f"the result of {name} could not be fetched: {error}") from error
        await self._kept.put(name, material)
        return material
