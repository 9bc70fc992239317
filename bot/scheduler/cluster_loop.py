"""One look at one cluster: what nobody needs is ended, what runs is watched, what waits is submitted."""

import logging
from collections import deque
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from bot.cluster.executor import ClusterUnreachable, JobState, JobStatus, RunningCluster
from bot.metrics import ReachMeter
from bot.scheduler.cancel import EndedAttempts, Endings
from bot.scheduler.clean_up import Tidying
from bot.scheduler.context import SchedulerContext
from bot.scheduler.submit import Submitter, due
from bot.store.jobs import EPOCH, OpenGate
from gatekit.domain.ids import JobName
from gatekit.domain.sweep import ClusterReport, GateState, Pausing
from gatekit.sweep.scheduling import Watched, pause
from handlers.events import GateEnded

log = logging.getLogger(__name__)

SILENCE = timedelta(minutes=1)  # after which pull requests are told that a cluster is out of reach
REMEMBERED = 20  # jobs whose time tells when the next ones should end


class ClusterLoop:
    """Remembers only what makes looks rarer or turns fairer: a restart loses nothing."""

    def __init__(self, running: RunningCluster, bot: SchedulerContext, poll_seconds: float) -> None:
        self._running = running
        self._bot = bot
        self._hands = Submitter(running, bot)
        self._endings = Endings(running, bot)
        self._tidying = Tidying(running, bot)
        self._shortest = poll_seconds
        self._silent_since: datetime | None = None
        self._wanted = False
        self._ask_at = EPOCH  # when the cluster is to be asked for its jobs again
        self._seen_running: dict[JobName, datetime] = {}
        self._ran: deque[float] = deque(maxlen=REMEMBERED)  # seconds
        self.name = running.cluster.name
        self.reach = ReachMeter()
        self.statuses: Mapping[JobName, JobStatus] = {}

    def want(self) -> None:
        """The next look asks the cluster, however short ago it was asked."""
        self._wanted = True

    async def look(self) -> float:
        """Seconds until the next look. A cluster out of reach is left as it is until then.

        A look that comes early starts what waits and ends what nobody needs; it asks about nothing that was asked about
        already. So many who wake us cost the cluster nothing.
        """
        due_again = self._bot.clock.now() >= self._ask_at or self._silent_since is not None
        whole, self._wanted = self._wanted or due_again, False
        try:
            await self._round(whole)
            await self._answered()
            if whole:
                await self._tidying.look()
        except ClusterUnreachable as error:
            await self._silent(error)
            return self._shortest
        except Exception:  # the boundary: the other clusters go on
            log.exception("a look at a cluster failed", extra={"cluster": self.name})
            return self._shortest
        return self._pause(await self._open(), whole)

    async def _round(self, whole: bool) -> None:
        await self._watch(await self._endings.ask(again=whole), whole)
        paused = await self._paused(Pausing.LEFTOVERS)
        gates = await self._open()
        for gate in gates:
            if gate.state is GateState.ENDED:
                self._bot.post(GateEnded(gate.pr, gate.sweep, gate.key, gate.attempt))
        taken = sum(gate.state in (GateState.RUNNING, GateState.SUBMITTING) for gate in gates)
        lingering = len(await self._bot.stores.jobs.to_cancel(self._running.cluster.serves))
        room = 0 if paused else self._running.max_jobs - taken - lingering
        await self._hands.submit(gates, room, again=whole)

    async def _open(self) -> tuple[OpenGate, ...]:
        return await self._bot.stores.jobs.open(self._running.cluster.serves)

    async def _watch(self, over: EndedAttempts, whole: bool) -> None:
        """`whole`: with what runs; else only what was cancelled."""
        gates = {gate.job: gate for gate in await self._open() if whole and gate.state is GateState.RUNNING}
        names = (*gates, *over.all)
        found = await self._running.executor.states(names) if names else {}
        left = [f"{name}: {status.leftovers}" for name, status in found.items() if status.leftovers]
        await self._leftovers((*left, *over.stuck_jobs(found)))
        await self._bot.stores.jobs.gone(tuple(over.all.values()))
        if whole:
            await self._watched({name: found[name] for name in gates}, gates)

    async def _watched(self, statuses: Mapping[JobName, JobStatus], gates: Mapping[JobName, OpenGate]) -> None:
        self.statuses = statuses
        for name, status in statuses.items():
            if status.state in (JobState.ENDED, JobState.ABSENT):
                await self._bot.stores.jobs.ended(gates[name], said_of(status))
        self._time(statuses)

    async def _leftovers(self, left: Sequence[str]) -> None:
        if left:
            said = "; ".join(left)
            log.error("jobs left what they could not remove: %s", said, extra={"cluster": self.name})
            now = self._bot.clock.now()
            await self._bot.stores.pauses.begin(self._running.cluster, Pausing.LEFTOVERS, now, said)
            self._bot.changed()

    def _time(self, statuses: Mapping[JobName, JobStatus]) -> None:
        now = self._bot.clock.now()
        before, self._seen_running = self._seen_running, {}
        for name, status in statuses.items():
            if status.state is JobState.RUNNING:
                self._seen_running[name] = before.get(name, now)
            elif status.state is JobState.ENDED and name in before:
                self._ran.append((now - before[name]).total_seconds())

    def _pause(self, gates: Sequence[OpenGate], whole: bool) -> float:
        """Seconds until something of what is open can have changed."""
        now = self._bot.clock.now()
        jobs = [self._age(gate.job, now) for gate in gates if gate.state is GateState.RUNNING]
        jobs += [Watched(None, sure=False) for gate in gates if gate.state in (GateState.SUBMITTING, GateState.ENDED)]
        ask_at = now + timedelta(seconds=pause(jobs, self._ran, self._shortest))
        self._ask_at = ask_at if whole else min(self._ask_at, ask_at)
        seconds = [(self._ask_at - now).total_seconds()]
        seconds += [self._until(gate, now) for gate in gates if gate.state is GateState.WAITING and gate.attempt]
        return max(0.0, min(seconds))

    def _age(self, name: JobName, now: datetime) -> Watched:
        status, since = self.statuses.get(name), self._seen_running.get(name)
        if since is not None:
            return Watched((now - since).total_seconds())
        return Watched(None, sure=status is not None and status.state is JobState.PENDING)

    def _until(self, gate: OpenGate, now: datetime) -> float:
        """A gate that may go already waits for room, which a job that ends makes, or for an older job to be gone."""
        seconds = (gate.not_before - now).total_seconds()
        if seconds > 0 or not due(gate, now):
            return max(seconds, self._shortest)
        return pause((), (), self._shortest)

    async def _paused(self, why: Pausing) -> bool:
        return any(one.cluster == self.name and one.why is why for one in await self._bot.stores.pauses.standing())

    async def _silent(self, error: ClusterUnreachable) -> None:
        self.reach.failed()
        log.warning("cluster out of reach: %s", error, extra={"cluster": self.name})
        now = self._bot.clock.now()
        self._silent_since = self._silent_since or now
        if now - self._silent_since >= SILENCE:
            begin = self._bot.stores.pauses.begin
            if await begin(self._running.cluster, Pausing.OUT_OF_REACH, self._silent_since, str(error)):
                self._bot.changed()

    async def _answered(self) -> None:
        self.reach.answered()
        self._silent_since = None
        if await self._paused(Pausing.OUT_OF_REACH):
            await self._bot.stores.pauses.end(self.name, Pausing.OUT_OF_REACH)
            self._bot.changed()


def said_of(status: JobStatus) -> ClusterReport:
    return ClusterReport(status.ending, status.state is JobState.ABSENT, status.detail, status.node)
