"""Makes a job exist exactly once: the run folder with its job.json first, then one word to the login node."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.cluster.local.run_folder import JOB, JOB_BYTES
from bot.cluster.slurm.files import RemoteFiles
from bot.cluster.slurm.layout import Layout
from bot.cluster.slurm.remote import Remote
from bot.node.processes import mark_of
from gatekit.cluster.job import job_json, refuse_foreign
from gatekit.cluster.slurm.script import Attempt, Request, avoid_option, job_script, sbatch_options
from gatekit.domain.ids import JobName
from gatekit.domain.job import Job


@dataclass(frozen=True, slots=True)
class Nodes:
    """What a job finds on a compute node."""

    python: str  # 3.9 or later
    scratch: str  # folder in which it makes its own


@dataclass(frozen=True, slots=True)
class Submission:
    """Everything about a job but its name."""

    layout: Layout
    request: Request
    nodes: Nodes
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
