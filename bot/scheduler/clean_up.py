"""Removes from a cluster what its jobs wrote, once that is stored and old: a few folders at a time, never in haste."""

import logging
from datetime import datetime, timedelta

from bot.cluster.executor import ClusterUnreachable, RunningCluster, Tidied
from bot.scheduler.context import SchedulerContext

log = logging.getLogger(__name__)

AT_ONCE = 10  # folders
EVERY = timedelta(minutes=10)


class Tidying:
    def __init__(self, running: RunningCluster, bot: SchedulerContext) -> None:
        self._running = running
        self._bot = bot
        self._next: datetime | None = None

    async def look(self) -> None:
        """Where it is time to. A cluster that does not let us is left as it is: this can wait."""
        now = self._bot.clock.now()
        if self._next is not None and now < self._next:
            return
        self._next = now + EVERY
        try:
            await self._remove(now)
        except ClusterUnreachable as error:
            log.warning("run folders could not be removed: %s", error, extra={"cluster": self._running.cluster.name})

    async def _remove(self, now: datetime) -> None:
        folders, serves = self._bot.stores.folders, self._running.cluster.serves
        await folders.over(serves, now)
        due = await folders.due(serves, now - self._running.keep, AT_ONCE)
        if not due:
            return
        found = await self._running.executor.tidy(due, await self._bot.stores.jobs.submitter())
        kept = [name for name in due if found.get(name, Tidied.KEPT) is Tidied.KEPT]
        await folders.forget([name for name in due if name not in kept])
        await folders.put_off(kept, now)
        if kept:
            names = {"cluster": self._running.cluster.name}
            log.warning("run folders that could not be removed, and are tried again later: %s", kept, extra=names)
