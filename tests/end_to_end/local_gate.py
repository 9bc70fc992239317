"""A gate from its plan to its verdict through the local executor: real node program, real aiperf, a real engine."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bot.cluster.executor import JobState
from bot.cluster.local import processes
from bot.cluster.local.executor import LocalExecutor, LocalPatience
from bot.cluster.local.processes import Process
from bot.cluster.local.state import RunFolder
from bot.cluster.node_program import build_node
from bot.demo import prompts
from gatekit.cluster.job import job_for
from gatekit.cluster.policy import Cluster, Policy
from gatekit.domain.gates import EngineName, Gate
from gatekit.domain.ids import JobName, SweepId
from gatekit.domain.job import Job, Material
from gatekit.domain.verdict import Verdict
from gatekit.engines.registry import ENGINES
from gatekit.measure.judge import judge
from tests.worlds.bench import plans
from tests.worlds.bot.until import PATIENCE, WHOLE_GATE, until
from tests.worlds.engine import llama

SWEEP = SweepId(12)


@dataclass(frozen=True)
class LocalGate:
    """One attempt of one gate in the folder of a test."""

    gate: Gate
    job: Job
    executor: LocalExecutor
    runs: Path

    @property
    def name(self) -> JobName:
        return JobName(self.job.job)

    @property
    def folder(self) -> Path:
        return self.runs / self.name

    def family(self) -> frozenset[Process]:
        mark = RunFolder(self.folder).mark
        return processes.families([mark])[mark]

    async def finished(self) -> Material:
        await self.executor.submit(self.job)
        await until(lambda: (self.folder / "result.json").exists(), WHOLE_GATE)
        assert (await self.executor.states([self.name]))[self.name].state is JobState.ENDED
        return await self.executor.material(self.name)

    def verdict(self, material: Material) -> Verdict:
        return judge(self.gate, self.name, material, ENGINES.by_name[self.gate.launch.engine].counters)


def gate(name: str, **changes: object) -> Gate:
    """One that replays the demo's prompts."""
    collection = replace(plans.COLLECTION, prompts=prompts.COUNT, prompts_sha256=prompts.SHA256)
    return plans.gate(name, collection=collection, **changes)


@asynccontextmanager
async def local_gate(root: Path, gate: Gate, engine: tuple[str, ...], tokenizer: str) -> AsyncIterator[LocalGate]:
    cluster = Cluster(
        name="here",
        serves=(gate.cluster,),
        policy=Policy((), ()),
        engines={gate.launch.engine: engine},
        aiperf=(str(llama.AIPERF),),
        prompts=str(prompts.FILE),
        tokenizer=tokenizer,
        container="",
        start_minutes=10,
        replay_minutes=10,
    )
    job = job_for(gate, SWEEP, 1, cluster)
    if gate.launch.engine == EngineName("vllm"):  # the toy's counters are never late
        job = replace(job, engine=replace(job.engine, settle_seconds=0.2), slice_seconds=0.2)
    async with attempt(root, gate, job) as world:
        yield world


@asynccontextmanager
async def attempt(root: Path, gate: Gate, job: Job) -> AsyncIterator[LocalGate]:
    """Nothing of it is left when the block ends."""
    patience = LocalPatience(term=PATIENCE, kill=PATIENCE)
    executor = LocalExecutor(root, build_node(root / "node").path, allow_local=True, patience=patience)
    world = LocalGate(gate, job, executor, root / "runs")
    try:
        yield world
    finally:
        assert await executor.cancel([world.name]) == {world.name}
        await executor.close()


def program(world: str, *words: str) -> tuple[str, ...]:
    """The command line of one of tests/worlds/engine."""
    return (sys.executable, str(llama.RUN), world, *words)
