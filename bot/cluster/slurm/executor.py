"""Fills the Executor protocol with jobs of a SLURM cluster: made once, ended for certain, fetched within bounds."""

import asyncio
import hashlib
import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.cluster.executor import JobStatus, Tidied
from bot.cluster.local.state import (
    JOB,
    JOB_BYTES,
    JOB_LOG,
    RESULT,
    RESULT_BYTES,
    SCRAPE_BYTES,
    SLICES_BYTES,
    TAIL_BYTES,
)
from bot.cluster.node_program import NodeProgram
from bot.cluster.slurm.files import ClusterLayout, Memory, RemoteFiles, SlurmPatience
from bot.cluster.slurm.programs import Programs
from bot.cluster.slurm.remote import Look, Remote, RunFolderSeen
from bot.cluster.slurm.watch import SMALL_FILE, Watch
from bot.cluster.ssh.client import Ssh
from bot.node.processes import mark_of
from gatekit.cluster.job import job_json, refuse_foreign
from gatekit.cluster.result import split_workers
from gatekit.cluster.slurm.ending import parse_end
from gatekit.cluster.slurm.script import Attempt, Request, avoid_option, job_script, sbatch_options
from gatekit.cluster.slurm.states import active_rows
from gatekit.domain.errors import BadInput
from gatekit.domain.ids import JobName
from gatekit.domain.job import Job, Material


class Cancel:
    def __init__(
        self, layout: ClusterLayout, files: RemoteFiles, remote: Remote, patience: SlurmPatience, memory: Memory
    ) -> None:
        self._layout = layout
        self._files = files
        self._remote = remote
        self._patience = patience
        self._memory = memory

    async def cancel(self, names: Collection[JobName]) -> frozenset[JobName]:
        """Those that are verified gone. The others are on their way: call again."""
        until = asyncio.get_running_loop().time() + self._patience.cancel
        gone: set[JobName] = set()
        pause = self._patience.between
        while True:
            look = await self._remote.cancel(name for name in names if name not in gone)
            ended = {seen.name for seen in look.seen if await self._is_gone(seen, look)}
            for name in ended:
                self._memory.forget(_silent(name))
                self._memory.forget(_over(name))
            gone |= ended
            if gone >= set(names) or asyncio.get_running_loop().time() > until:
                return frozenset(gone)
            await asyncio.sleep(pause)
            pause = min(2 * pause, 8 * self._patience.between)  # each look is a question to SLURM

    async def _is_gone(self, seen: RunFolderSeen, look: Look) -> bool:
        run = self._layout.run(seen.name)
        if seen.busy or active_rows(look.queue, seen.name, run):
            return False
        if seen.barred:
            return not seen.tried or seen.recorded is not None or self._silent(seen.name)
        end = parse_end(await self._files.read(f"{run}/slurm/end.json", SMALL_FILE), seen.name) if seen.end else None
        return end is not None or self._settled(seen.name)

    def _silent(self, name: JobName) -> bool:
        """sbatch was called and gave no answer: a job may still come up, though it could not run the attempt."""
        seconds, times = self._memory.again(_silent(name))
        return times >= self._patience.absent_looks and seconds >= self._patience.settle

    def _settled(self, name: JobName) -> bool:
        """The job had no say at its end: then its processes are SLURM's to end, with those of a node that failed."""
        seconds, _ = self._memory.again(_over(name))
        return seconds >= self._patience.settle


def _silent(name: JobName) -> str:
    return f"silent {name}"


def _over(name: JobName) -> str:
    return f"gone {name}"


@dataclass(frozen=True, slots=True)
class NodeSetup:
    """What a job finds on a compute node."""

    python: str  # 3.9 or later
    scratch: str  # folder in which it makes its own


@dataclass(frozen=True, slots=True)
class Submission:
    """Everything about a job but its name."""

    layout: ClusterLayout
    request: Request
    nodes: NodeSetup
    program: str  # path of the node program on the cluster
    pause: float  # seconds between two looks for a job whose submission got no answer

    def script(self, name: JobName) -> bytes:
        run = self.layout.run(name)
        mark = mark_of(PurePosixPath(run))
        return job_script(Attempt(name, run, self.program, self.nodes.python, self.nodes.scratch, mark)).encode()


async def submit(
    job: Job, submission: Submission, files: RemoteFiles, remote: Remote, avoid: Collection[str] = ()
) -> str:
    """What the login node answered. Raises ClusterUnreachable where the job may exist or not: submit again.

    Raises Refusal where the run folder is another bot's.
    """
    name = JobName(job.job)
    run = submission.layout.run(name)
    script = submission.script(name)
    if await files.size(f"{run}/{JOB}") is None:
        await files.make_folder(run)
        await files.place(f"{run}/{JOB}", job_json(job).encode())
    else:
        refuse_foreign(await files.read(f"{run}/{JOB}", JOB_BYTES) or "", job)
    options = (*avoid_option(submission.request, avoid), *sbatch_options(submission.request))
    words = (hashlib.sha256(script).hexdigest(), f"{submission.pause:g}", *options)
    return await remote.submit(name, script, words)


SCRIPT_LOG = "out.log"  # what the batch script and the node program say before there is a job.log


async def material(layout: ClusterLayout, files: RemoteFiles, name: JobName) -> Material:
    """Files that are missing, cut off by a bound, or no plain files are None; a judge names what it misses."""
    run = layout.run(name)
    return Material(
        result=await files.read(f"{run}/{RESULT}", RESULT_BYTES),
        before=await _scrapes(files, f"{run}/before.prom"),
        after=await _scrapes(files, f"{run}/after.prom"),
        slices=await files.read(f"{run}/slices.jsonl", SLICES_BYTES),
        engine_log=await files.tail(f"{run}/engine.log", TAIL_BYTES),
        job_log=await files.tail(f"{run}/{JOB_LOG}", TAIL_BYTES)
        or await files.tail(f"{layout.own(name)}/{SCRIPT_LOG}", TAIL_BYTES),
    )


async def _scrapes(files: RemoteFiles, path: str) -> Mapping[str, str]:
    """A file that is not in order gives no scrape at all: then counters are missing, and nobody judges."""
    try:
        return split_workers(await files.read(path, SCRAPE_BYTES) or "")
    except BadInput:
        return {}


log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ClusterSite:
    """What the operator says of a cluster."""

    layout: ClusterLayout
    request: Request
    nodes: NodeSetup


class SlurmExecutor:
    """One cluster. Everything that must outlast the bot lies in the run folders on the cluster."""

    def __init__(self, ssh: Ssh, site: ClusterSite, node: NodeProgram, patience: SlurmPatience | None = None) -> None:
        waits = patience or SlurmPatience()
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
