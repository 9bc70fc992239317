"""The scheduler alone, between two scripted clusters and a clock that is moved by hand."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from bot.cluster.executor import RunningCluster
from bot.scheduler.context import Stores
from bot.scheduler.scheduler import GateScheduler, Rhythm
from bot.store.database import Database
from bot.store.jobs import FolderStore, JobStore
from bot.store.measurements import MaterialStore
from bot.store.pauses import PauseStore
from bot.store.sweeps import SweepStore
from gatekit.comments.audit import gate_notes
from gatekit.domain.ids import JobName, SweepId, job_name
from gatekit.domain.sweep import ClusterReport, Earlier, Ending, Sweep
from gatekit.domain.verdict import Verdict
from handlers.events import Event
from tests.worlds.bench import plans
from tests.worlds.bench.plans import gate, wish
from tests.worlds.bot.bot_world import CLUSTER
from tests.worlds.bot.hand_clock import HandClock
from tests.worlds.bot.until import until
from tests.worlds.cluster.scripted_cluster import ScriptedCluster

HERE = replace(plans.LAUNCH, args=(("model-draft", "gatekit-demo/draft-near.gguf"), ("draft-max", 4)))
NEAR, FAR, LAST = (gate(name, launch=HERE) for name in ("near", "far", "last"))
AWAY = gate("away", launch=HERE, cluster="cluster:away")
DIED = ClusterReport(Ending.INFRASTRUCTURE, sentence="a node of the job failed", node="node7")
MANY = tuple(gate(f"many-{n}", launch=HERE) for n in range(238))
NOWHERE = gate("nowhere", launch=HERE, cluster="cluster:nowhere")


@dataclass
class Yard:
    """Two clusters: `here` takes two jobs at once, if not told otherwise, `away` one."""

    here: ScriptedCluster
    away: ScriptedCluster
    stores: Stores
    scheduler: GateScheduler
    posted: list[Event]
    clock: HandClock

    async def sweep(self, *gates: plans.Gate, **changes: object) -> Sweep:
        """Planned and shown. `changes`: of what a handler stores."""
        new = await self.stores.sweeps.create(replace(wish(*gates), **changes), gate_notes)  # type: ignore[arg-type]
        await self.stores.sweeps.announced(new.id)
        await self.stores.sweeps.shown(new.id, new.changes)
        return new

    async def judge(self, one: plans.Gate, verdict: Verdict, sweep: int = 1) -> None:
        """Of a gate that has ended."""
        await self.stores.sweeps.judged(SweepId(sweep), one.key, verdict, ())

    async def again(self, one: plans.Gate, seconds: float = 30, said: ClusterReport = DIED) -> None:
        """A gate that has ended is to be tried again."""
        earlier = (Earlier(1, said),)
        await self.stores.sweeps.retry(SweepId(1), one.key, earlier, self.clock.now() + timedelta(seconds=seconds))

    async def states(self, sweep: int = 1) -> list[str]:
        return [row.state.value for row in (await self.stores.sweeps.get(SweepId(sweep))).rows]

    async def asleep(self, *seconds: float) -> None:
        """Until both clusters' loops and the one that shows wait, and have so long to wait; the shortest first."""
        await until(lambda: self.clock.waits == seconds)

    def name(self, one: plans.Gate, sweep: int = 1, attempt: int = 1) -> JobName:
        return job_name(SweepId(sweep), one.key, attempt)


def stores_in(db: Database, clock: HandClock) -> Stores:
    return Stores(SweepStore(db, clock), JobStore(db), MaterialStore(db), PauseStore(db), FolderStore(db))


def yard_in(folder: Path, db: Database, max_jobs: int = 2) -> Yard:
    clock = HandClock()
    here, away = ScriptedCluster(folder / "here"), ScriptedCluster(folder / "away")
    stores = stores_in(db, clock)
    posted: list[Event] = []
    clusters = (
        RunningCluster(CLUSTER, here, max_jobs),
        RunningCluster(replace(CLUSTER, name="away", serves=("cluster:away",)), away, 1),
    )
    return Yard(
        here,
        away,
        stores,
        GateScheduler(stores, clusters, posted.append, Rhythm(clock, 60, sleep=clock.sleep)),
        posted,
        clock,
    )


@asynccontextmanager
async def opened(folder: Path, max_jobs: int = 2) -> AsyncIterator[Yard]:
    async with Database(folder / "gatekit.db") as db:
        yield yard_in(folder, db, max_jobs)


@asynccontextmanager
async def in_rounds(yard: Yard) -> AsyncIterator[None]:
    """The scheduler runs by itself; its shortest pause is 60 s of the clock that is moved by hand."""
    running = asyncio.create_task(yard.scheduler.run())
    try:
        yield
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


async def ended_badly(yard: Yard) -> None:
    """NEAR runs, and its node dies."""
    await yard.sweep(NEAR)
    await yard.scheduler.look()
    yard.here.fail_it(yard.name(NEAR), Ending.INFRASTRUCTURE)
    await yard.scheduler.look()
