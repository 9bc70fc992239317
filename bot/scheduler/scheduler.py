"""Between gates and clusters: one loop per cluster, and one that has pull requests brought up to date."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.cluster.executor import JobStatus, RunningCluster
from bot.scheduler.cluster_loop import ClusterLoop
from bot.scheduler.context import SchedulerContext, Stores
from bot.scheduler.loop import Loop
from bot.store.sweeps import Unshown
from gatekit.domain.ids import JobName
from gatekit.sweep.scheduling import CALM
from handlers.events import Event, SweepUnshown
from handlers.ports.bundle import Clock


@dataclass(frozen=True, slots=True)
class Rhythm:
    """`poll_seconds`: the shortest pause between two looks at a cluster. `show_seconds`: between two writes of what a
    running sweep came to, on one pull request.
    """

    clock: Clock
    poll_seconds: float
    show_seconds: float = 10.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class GateScheduler:
    """Each step is stored before the next: a new process goes on where this one died. It decides no verdict."""

    def __init__(
        self, stores: Stores, clusters: tuple[RunningCluster, ...], post: Callable[[Event], None], rhythm: Rhythm
    ) -> None:
        self._sweeps = stores.sweeps
        self._post = post
        self._rhythm = rhythm
        self._showing = Loop(self._show, rhythm.sleep, rhythm.poll_seconds)
        names = {runner: one.cluster.name for one in clusters for runner in one.cluster.serves}
        bot = SchedulerContext(stores, names, post, self._showing.wake, rhythm.clock)
        self._clusters = tuple(ClusterLoop(one, bot, rhythm.poll_seconds) for one in clusters)
        self._loops = tuple(Loop(one.look, rhythm.sleep, rhythm.poll_seconds) for one in self._clusters)

    @property
    def statuses(self) -> Mapping[JobName, JobStatus]:
        """What clusters said of their jobs at the last look, for pages."""
        return {name: status for one in self._clusters for name, status in one.statuses.items()}

    def out_of_reach_seconds(self) -> dict[str, float]:
        """By cluster; 0: it answered when it was last asked."""
        return {one.name: one.reach.seconds for one in self._clusters}

    def wake(self) -> None:
        for loop in (*self._loops, self._showing):
            loop.wake()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            for loop in (*self._loops, self._showing):
                group.create_task(loop.run())

    async def looked(self) -> None:
        """Until a round over everything that began after this call has ended. Only while `run` runs."""
        self._want()
        await asyncio.gather(*(loop.looked() for loop in self._loops))
        await self._showing.looked()

    async def look(self) -> None:
        """One round over everything. A cluster out of reach is left as it is until the next one."""
        await self._show()
        self._want()
        await asyncio.gather(*(one.look() for one in self._clusters))

    def _want(self) -> None:
        for one in self._clusters:
            one.want()

    async def _show(self) -> float:
        """Tells what the pull requests do not show yet, where it is time to; seconds until the next look."""
        now = self._rhythm.clock.now()
        unshown = [(self._due(one, now), one.pr) for one in await self._sweeps.all_unshown()]
        for pr in dict.fromkeys(pr for due, pr in unshown if due <= now):
            self._post(SweepUnshown(pr))
        later = [(due - now).total_seconds() for due, _ in unshown if due > now]
        return min(later, default=self._rhythm.poll_seconds * (1 if unshown else CALM))

    def _due(self, one: Unshown, now: datetime) -> datetime:
        """The end of a sweep, and its first showing, do not wait."""
        if one.shown_at is None or not one.running:
            return now
        return one.shown_at + timedelta(seconds=self._rhythm.show_seconds)
