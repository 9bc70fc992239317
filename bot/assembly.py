"""The composition root: every part of the bot is made and wired here, and nowhere else."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from bot.cluster.executor import ClusterUnreachable, RunningCluster
from bot.cluster.node_program import NodeProgram
from bot.deliveries.attempts import Options, Parked
from bot.deliveries.dispatcher import Dispatcher
from bot.files import SystemClock
from bot.github.cache import ParsedFiles
from bot.github.checks import GitHubChecks
from bot.github.client import GitHubApp
from bot.github.comments import GitHubComments
from bot.github.conversation import GitHubTalk
from bot.github.limits import GitHubLimits
from bot.github.pulls import GitHubPulls
from bot.github.recipe_pages import Pages
from bot.github.signoffs import GitHubSignOffs
from bot.github.workflow_runs import GitHubRuns
from bot.logs import redactor
from bot.metrics import Metrics, ReachMeter
from bot.pages.readiness import OutOfReach, Readiness, free_disk, look
from bot.scheduler.context import Stores
from bot.scheduler.results import ClusterResults
from bot.scheduler.scheduler import GateScheduler, Rhythm
from bot.settings import AppCredentials, Settings
from bot.store.comments import ReactionStore, SlotStore
from bot.store.database import Database
from bot.store.deliveries import Deliveries, count_states
from bot.store.jobs import FolderStore, JobStore
from bot.store.lease import Lease
from bot.store.measurements import MaterialStore
from bot.store.pauses import PauseStore
from bot.store.signoffs import SignOffStore
from bot.store.sweeps import SweepStore
from bot.store.uses import UseStore
from gatekit.comments import replies
from gatekit.comments.slots import Slot
from gatekit.domain.ids import GateKey
from gatekit.domain.job import Material
from gatekit.domain.sweep import GateState, Sweep, job_of
from gatekit.goldens.curve import Curve
from handlers.events import Event
from handlers.ports.bundle import Clock, Ports, Site
from handlers.routes import handle
from handlers.signoff.posts import on_given_up


@dataclass(frozen=True, slots=True)
class Parts:
    """Read from the operator's settings, or brought by a world to test in."""

    settings: Settings
    identity: AppCredentials
    clusters: tuple[RunningCluster, ...]
    curves: Mapping[str, Curve]
    node: NodeProgram
    limits: GitHubLimits = field(default_factory=GitHubLimits)
    wrap: Callable[[Ports], Ports] = lambda ports: ports  # a world may stand between handlers and the outside
    lease_seconds: float = 15.0
    clock: Clock = field(default_factory=SystemClock)  # of sweeps and gates
    show_seconds: float = 10.0  # between two writes of what a running sweep came to, on one pull request
    retry_delays: tuple[float, ...] = Options().delays
    recipe_pages: str | None = None  # a server that stands in for the sites of published recipes


GRACE_SECONDS = 10.0  # for running handlers, at the end


class Assembly:
    """Every part of one bot, wired; `activate` and `deactivate` follow the lease."""

    def __init__(self, parts: Parts, db: Database, github: GitHubApp, metrics: Metrics) -> None:
        self.parts, self.db, self.github, self.metrics = parts, db, github, metrics
        self.clock = SystemClock()
        self.lease = Lease(db, self.clock, parts.lease_seconds)
        self.deliveries = Deliveries(db)
        self.sweeps = SweepStore(db, parts.clock)
        self.materials = MaterialStore(db)
        self.uses = UseStore(db, parts.clock)
        self.sign_offs = SignOffStore(db, parts.clock)
        self.pauses = PauseStore(db)
        self.executors = {runner: one.executor for one in parts.clusters for runner in one.cluster.serves}
        self.scheduler = GateScheduler(
            Stores(self.sweeps, JobStore(db), self.materials, self.pauses, FolderStore(db)),
            parts.clusters,
            self._post,
            Rhythm(parts.clock, parts.settings.poll_seconds, parts.show_seconds),
        )
        self.ports = parts.wrap(self._ports())
        self.dispatcher = Dispatcher(self.deliveries, self._handle, self.clock, self._dispatch_options())
        self._scheduling: asyncio.Task[None] | None = None

    def _ports(self) -> Ports:
        return Ports(
            pulls=GitHubPulls(self.github),
            comments=GitHubComments(self.github, SlotStore(self.db)),
            conversation=GitHubTalk(self.github, ReactionStore(self.db)),
            signoff=GitHubSignOffs(self.github, Pages(self.parts.recipe_pages)),
            runs=GitHubRuns(self.github),
            checks=GitHubChecks(self.github),
            sweeps=self.sweeps,
            uses=self.uses,
            sign_offs=self.sign_offs,
            scheduler=self.scheduler,
            results=ClusterResults(self.executors, self.materials),
            clock=self.parts.clock,
            site=Site(
                clusters={runner: one.cluster for one in self.parts.clusters for runner in one.cluster.serves},
                curves=self.parts.curves,
                node_digest=self.parts.node.digest,
                public_url=self.parts.settings.public_url,
                read=ParsedFiles(),
            ),
        )

    def _dispatch_options(self) -> Options:
        return Options(
            on_parked=self._apologise,
            may_run=lambda: self.lease.held,
            redact=redactor(self.parts.identity.secrets),
            delays=self.parts.retry_delays,
        )

    async def _handle(self, event: Event) -> None:
        await handle(event, self.ports)

    def _post(self, event: Event) -> None:
        self.dispatcher.post(event)

    async def _apologise(self, parked: Parked) -> None:
        if parked.event is not None and not await on_given_up(parked.event, _why(parked), self.ports):
            await self.ports.comments.upsert(parked.event.pr, Slot.REPLY, replies.set_aside(parked.delivery))

    async def activate(self) -> None:
        await self.dispatcher.start()
        self._scheduling = asyncio.create_task(self.scheduler.run(), name="scheduler")

    async def stop_at_once(self) -> None:
        """The lease is another process's now: what runs here must not go on."""
        await self.deactivate(grace_seconds=0)

    async def deactivate(self, grace_seconds: float = GRACE_SECONDS) -> None:
        await self.dispatcher.stop(grace_seconds)
        if self._scheduling is not None:
            self._scheduling.cancel()
            with suppress(asyncio.CancelledError):
                await self._scheduling
            self._scheduling = None

    async def idle(self) -> None:
        """Until nothing waits or runs, and a look at the clusters brought nothing new. At once where we only wait."""
        while self._scheduling is not None:
            await self.dispatcher.idle()
            await self.scheduler.looked()
            if not self.dispatcher.backlog:
                return

    async def material(self, sweep: Sweep, key: GateKey) -> Material | None:
        """What there is of a gate by now: kept material, else what its cluster has."""
        row = next(row for row in sweep.rows if row.gate.key == key)
        name = job_of(sweep, row)
        if name is None:
            return None
        kept = await self.materials.get(name)
        executor = self.executors.get(row.gate.cluster)
        if kept is not None or executor is None or row.state not in (GateState.RUNNING, GateState.ENDED):
            return kept
        try:
            return await executor.material(name)
        except ClusterUnreachable:
            return None

    async def readiness(self, reach: ReachMeter) -> Readiness:
        return await look(self.db, self.lease, OutOfReach(reach.seconds, self.scheduler.out_of_reach_seconds()))

    async def count(self, reach: ReachMeter) -> None:
        self.metrics.stored(*await count_states(self.db))
        self.metrics.process(self.dispatcher.backlog, self.lease.held)
        clusters = self.scheduler.out_of_reach_seconds()
        self.metrics.outside(reach.seconds, clusters, free_disk(self.db))
        self.metrics.paused(clusters, await self.pauses.standing())


def _why(parked: Parked) -> str:
    """One clause for people."""
    return parked.error.partition(": ")[2] if parked.outside else "something went wrong on our side"
