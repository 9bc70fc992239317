"""Fills the Executor protocol with jobs of a SLURM cluster."""

import asyncio
import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from bot.cluster.executor import JobStatus, Tidied
from bot.cluster.node_program import NodeProgram
from bot.cluster.slurm.cancel import Cancel
from bot.cluster.slurm.fetch import material
from bot.cluster.slurm.files import RemoteFiles
from bot.cluster.slurm.layout import Layout
from bot.cluster.slurm.patience import Memory, Patience
from bot.cluster.slurm.programs import Programs
from bot.cluster.slurm.remote import Remote
from bot.cluster.slurm.submit import Nodes, Submission, submit
from bot.cluster.slurm.watch import Watch
from bot.cluster.ssh.client import Ssh
from gatekit.cluster.slurm.script import Request
from gatekit.domain.ids import JobName
from gatekit.domain.job import Job, Material

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Site:
    """What the operator says of a cluster."""

    layout: Layout
    request: Request
    nodes: Nodes


class SlurmExecutor:
    """One cluster. Everything that must outlast the bot lies in the run folders on the cluster."""

    def __init__(self, ssh: Ssh, site: Site, node: NodeProgram, patience: Patience | None = None) -> None:
        waits = patience or Patience()
        memory = Memory(lambda: asyncio.get_running_loop().time())
        self._ssh = ssh
        self._layout = site.layout
        self._files = RemoteFiles(ssh)
        self._programs = Programs(site.layout, self._files, node)
        self._remote = Remote(ssh, self._programs, site.layout)
        self._submission = Submission(site.layout, site.request, site.nodes, self._programs.node, waits.resubmit)
        self._watch = Watch(site.layout, self._files, self._remote, waits, memory)
        self._cancel = Cancel(site.layout, self._files, self._remote, waits, memory)

    async def put_programs(self) -> None:
        """Makes our folders on the cluster, and puts into them what jobs need."""
        await self._programs.put()

    async def submit(self, job: Job, avoid: Collection[str] = ()) -> None:
        """A job that SLURM refuses for good is a job that has ended: its state says so, with SLURM's words."""
        answer = await submit(job, self._submission, self._files, self._remote, avoid)
        log.info("%s: %s", job.job, answer, extra={"job": job.job})

    async def states(self, names: Collection[JobName]) -> Mapping[JobName, JobStatus]:
        return await self._watch.states(names) if names else {}

    async def material(self, name: JobName) -> Material:
        return await material(self._layout, self._files, name)

    async def cancel(self, names: Collection[JobName]) -> frozenset[JobName]:
        return await self._cancel.cancel(names) if names else frozenset()

    async def tidy(self, names: Collection[JobName], submitter: str) -> Mapping[JobName, Tidied]:
        return await self._remote.tidy(names, submitter) if names else {}

    async def close(self) -> None:
        """Jobs go on."""
        await self._ssh.close()
