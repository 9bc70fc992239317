"""One job through an executor, from its submission to what it left behind."""

import asyncio
from collections.abc import Callable

from bot.cluster.executor import ClusterUnreachable, Executor, JobState, JobStatus
from gatekit.ids import JobName
from gatekit.job import Job, Material

PATIENCE = 20  # looks in a row at a cluster that does not answer


async def ran(executor: Executor, job: Job, poll_seconds: float, say: Callable[[str], None]) -> Material:
    """What the job left behind. However this is left, cancelled too, the job is gone, or `say` is told that it is not.

    Raises ClusterUnreachable where the cluster stays out of reach.
    """
    name = JobName(job.job)
    try:
        await executor.submit(job)
        await _until_ended(executor, name, poll_seconds, say)
        return await executor.material(name)
    finally:
        if name not in await executor.cancel((name,)):
            say(f"processes of {name} could not be ended: end them by hand")


async def _until_ended(executor: Executor, name: JobName, poll_seconds: float, say: Callable[[str], None]) -> None:
    silent, last = 0, None
    while True:
        try:
            status: JobStatus = (await executor.states((name,)))[name]
            silent = 0
        except ClusterUnreachable as error:
            silent += 1
            if silent >= PATIENCE:
                raise
            status = JobStatus(JobState.UNKNOWN, str(error))
        if status.state is not last:
            say(f"{name}: {status.state}{f' ({status.detail})' if status.detail else ''}")
            last = status.state
        if status.state in (JobState.ENDED, JobState.ABSENT):
            return
        await asyncio.sleep(poll_seconds)
