"""One job through an executor, from its submission to what it left behind."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from bot.cluster.executor import ClusterUnreachable, Executor, JobState, JobStatus
from gatekit.domain.ids import JobName
from gatekit.domain.job import Job, Material
from gatekit.domain.sweep import Ending

PATIENCE = 20  # times in a row that a cluster may not answer
GONE_SECONDS = 180.0  # from the first wish that a job ends; its script may take two thirds of the cluster's KillWait
GONE_PAUSE = 5.0  # at most, between two such wishes

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ran:
    """How a job ended, and what it left behind."""

    status: JobStatus
    material: Material


@dataclass(frozen=True, slots=True)
class Runs:
    """Jobs, one after another. `stuck`: those that could not be seen to end."""

    executor: Executor
    poll_seconds: float
    say: Callable[[str], None]  # a line for the person who waits
    gone_seconds: float = GONE_SECONDS
    stuck: list[JobName] = field(default_factory=list)

    async def ran(self, job: Job) -> Ran:
        """However this is left, cancelled too, the job is gone, or `say` is told that it may not be.

        Raises ClusterUnreachable: at once where the cluster cannot be asked before anything was submitted, else after
        PATIENCE.
        """
        name, refused = JobName(job.job), False
        await self.executor.states((name,))
        try:
            await self._patiently(name, lambda: self.executor.submit(job))
            status = await self._until_ended(name)
            refused = status.ending is Ending.REFUSED
            material = await self._patiently(name, lambda: self.executor.material(name))
        finally:
            if not refused:  # else there never was a job
                await self._end(name)
        if status.leftovers:
            self.say(f"{name} left behind: {status.leftovers}; remove that")
        return Ran(status, material)

    async def _until_ended(self, name: JobName) -> JobStatus:
        last = None
        while True:
            status = (await self._patiently(name, lambda: self.executor.states((name,))))[name]
            if status.state is not last:
                self.say(f"{name}: {status.state}{f' ({status.detail})' if status.detail else ''}")
                last = status.state
            if status.state in (JobState.ENDED, JobState.ABSENT):
                return status
            await asyncio.sleep(self.poll_seconds)

    async def _patiently(self, name: JobName, ask: Callable[[], Awaitable[T]]) -> T:
        """Asks again while the cluster is silent, and says so the first time."""
        for turn in range(1, PATIENCE):
            try:
                return await ask()
            except ClusterUnreachable as error:
                if turn == 1:
                    self.say(f"{name}: the cluster does not answer ({error}); it is asked again")
            await asyncio.sleep(self.poll_seconds)
        return await ask()

    async def _end(self, name: JobName) -> None:
        """Asks for the job's end until it is seen to be gone."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self.gone_seconds
        while True:
            try:
                if name in await self.executor.cancel((name,)):
                    return
                problem = "it runs on"
            except ClusterUnreachable as error:
                problem = str(error)
            if loop.time() >= until:
                self.stuck.append(name)
                self.say(f"{name} could not be seen to end ({problem}): end it by hand")
                return
            await asyncio.sleep(min(self.poll_seconds, GONE_PAUSE))
