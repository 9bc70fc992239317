"""Ends the jobs of one cluster that nobody needs any more, and gives up on those that cannot be ended."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.cluster.executor import ClusterUnreachable, JobStatus, RunningCluster
from bot.scheduler.context import SchedulerContext
from bot.store.jobs import OpenGate
from gatekit.domain.ids import JobName

GIVEN_UP = timedelta(minutes=10)  # of a cluster that answers


@dataclass(frozen=True, slots=True)
class EndedAttempts:
    """Attempts that are not asked about any more: those that are gone, and those that could not be ended."""

    gone: Mapping[JobName, OpenGate]
    stuck: Mapping[JobName, OpenGate]

    @property
    def all(self) -> Mapping[JobName, OpenGate]:
        return {**self.gone, **self.stuck}

    def stuck_jobs(self, found: Mapping[JobName, JobStatus]) -> list[str]:
        """What an operator should end by hand; `found`: what the cluster says of them."""
        return [_words(name, found[name]) for name in self.stuck]


class Endings:
    """Remembers since when a job has been asked to end; a restart begins anew."""

    def __init__(self, running: RunningCluster, bot: SchedulerContext) -> None:
        self._running = running
        self._bot = bot
        self._since: dict[JobName, datetime] = {}

    async def ask(self, *, again: bool) -> EndedAttempts:
        """`again`: also for those that were asked for before. Nothing is stored: what they left is looked at first."""
        gates = {gate.job: gate for gate in await self._bot.stores.jobs.to_cancel(self._running.cluster.serves)}
        asked = tuple(name for name in gates if again or name not in self._since)
        gone = await self._cancel(asked) if asked else frozenset[JobName]()
        now = self._bot.clock.now()
        self._since = {name: self._since.get(name, now) for name in gates if name not in gone}
        late = {name for name, since in self._since.items() if now - since >= GIVEN_UP}
        return EndedAttempts(
            {name: gates[name] for name in gates if name in gone}, {name: gates[name] for name in sorted(late)}
        )

    async def _cancel(self, names: tuple[JobName, ...]) -> frozenset[JobName]:
        try:
            return await self._running.executor.cancel(names)
        except ClusterUnreachable:
            self._since.clear()
            raise


def _words(name: JobName, status: JobStatus) -> str:
    said = f"{status.state.value}: {status.detail}" if status.detail else status.state.value
    minutes = GIVEN_UP // timedelta(minutes=1)
    return f"{name}: it could not be ended within {minutes} minutes; the cluster says {said}"
