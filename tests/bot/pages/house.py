"""The operator port on a real database, with sweeps at every stage and a hand on everything that it asks."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from aiohttp.test_utils import TestClient, TestServer
from prometheus_client import CollectorRegistry

from bot.cluster.executor import JobStatus
from bot.pages.app import operator_app
from bot.pages.readiness import OutOfReach, look
from bot.pages.sources import PageSources
from bot.store.audit import AuditStore
from bot.store.database import Database
from bot.store.deliveries import Arrival, Deliveries, DeliveryState, Route
from bot.store.jobs import JobStore
from bot.store.lease import Lease
from bot.store.signoffs import SignOffStore
from bot.store.sweep_list import SweepList
from bot.store.sweeps import SweepStore
from gatekit.comments.audit import gate_notes
from gatekit.domain.gates import Gate
from gatekit.domain.ids import DeliveryId, GateKey, JobName, PrRef, Repo, SweepId
from gatekit.domain.job import Material
from gatekit.domain.sweep import GateState, Sweep, SweepState
from gatekit.domain.verdict import Verdict
from handlers.ports.memory import NewSweep
from tests.worlds.bench.plans import wish
from tests.worlds.bot.hand_clock import HandClock
from tests.worlds.bot.stories import UNRESOLVED, WARNINGS

STEPS = (GateState.SUBMITTING, GateState.RUNNING, GateState.ENDED)


def pr(number: int) -> PrRef:
    return PrRef(Repo("acme", "bench"), number)


def with_leftovers(new: NewSweep) -> NewSweep:
    """Points without a gate, configurations without an entry, a warning."""
    left = replace(new.plan, unresolved=UNRESOLVED, uncovered=("tiny-new", "tiny-other"), warnings=WARNINGS)
    return replace(new, plan=replace(left, points=left.points + len(UNRESOLVED)))


@dataclass
class House:
    db: Database
    lease: Lease
    clock: HandClock
    _client: TestClient | None = None
    reach: dict[str, float] = field(default_factory=lambda: {"demo": 0.0})
    github_seconds: float = 0.0
    statuses: dict[JobName, JobStatus] = field(default_factory=dict)
    materials: dict[GateKey, Material] = field(default_factory=dict)
    silent: set[GateKey] = field(default_factory=set)  # their clusters never answer

    @property
    def client(self) -> TestClient:
        assert self._client is not None
        return self._client

    @property
    def sweeps(self) -> SweepStore:
        return SweepStore(self.db, self.clock)

    @property
    def sign_offs(self) -> SignOffStore:
        return SignOffStore(self.db, self.clock)

    @property
    def url(self) -> str:
        return str(self.client.make_url("")).rstrip("/")

    async def plan(self, *gates: Gate, number: int = 7, new: NewSweep | None = None) -> SweepId:
        sweep = await self.sweeps.create(new or wish(*gates, pr=pr(number)), gate_notes)
        await self.sweeps.announced(sweep.id)
        return sweep.id

    async def bring(self, sweep: SweepId, gate: Gate, to: GateState) -> None:
        """One gate step by step to this state."""
        jobs = JobStore(self.db)
        for step in STEPS[: STEPS.index(to) + 1]:
            (found,) = (one for one in await jobs.open() if (one.sweep, one.key) == (sweep, gate.key))
            assert await jobs.move(found, step)

    async def judge(self, sweep: SweepId, gate: Gate, verdict: Verdict, *tail: str) -> None:
        await self.bring(sweep, gate, GateState.ENDED)
        await self.sweeps.judged(sweep, gate.key, verdict, tail)

    async def end(self, sweep: SweepId, state: SweepState, because: str) -> None:
        await self.sweeps.end(sweep, state, because)

    async def delivery(self, name: str, state: DeliveryState) -> None:
        deliveries = Deliveries(self.db)
        signature = hashlib.sha256(name.encode()).hexdigest()
        await deliveries.store(Arrival(DeliveryId(name), "pull_request", Route(), b"{}", signature, self.clock.now()))
        (waiting,) = (one for one in await deliveries.waiting(0) if one.id == name)
        if state is not DeliveryState.WAITING:
            await deliveries.finish(waiting.seq, state, "", self.clock.now())

    async def get(self, path: str, status: int = 200) -> str:
        async with self.client.get(path) as answer:
            assert answer.status == status, (path, answer.status)
            return await answer.text()

    async def json(self, path: str, status: int = 200) -> object:
        async with self.client.get(path) as answer:
            assert answer.status == status, (path, answer.status)
            return await answer.json()


@asynccontextmanager
async def open_house(folder: Path, github_url: str | None = "https://github.example") -> AsyncIterator[House]:
    async with Database(folder / "gatekit.db") as db:
        clock = HandClock()
        lease = Lease(db, clock)
        await lease.take()
        house = House(db, lease, clock)

        async def material(sweep: Sweep, key: GateKey) -> Material | None:
            if key in house.silent:
                await asyncio.Event().wait()
            return house.materials.get(key)

        async def nothing_to_count() -> None:
            return

        sources = PageSources(
            sweeps=house.sweeps,
            listing=SweepList(db),
            signoffs=house.sign_offs,
            audit=AuditStore(db),
            material=material,
            statuses=lambda: house.statuses,
            readiness=lambda: look(db, lease, OutOfReach(house.github_seconds, house.reach)),
            registry=CollectorRegistry(),
            count=nothing_to_count,
            github_url=github_url,
            fetch_seconds=0.2,
        )
        async with TestClient(TestServer(operator_app(sources))) as client:
            house._client = client
            yield house
