"""The raw material of an attempt from its run folder on the cluster; bounds as for a folder on this machine."""

from collections.abc import Mapping

from bot.cluster.local.run_folder import JOB_LOG, RESULT, RESULT_BYTES, SCRAPE_BYTES, SLICES_BYTES, TAIL_BYTES
from bot.cluster.slurm.files import RemoteFiles
from bot.cluster.slurm.layout import Layout
from gatekit.cluster.result import split_workers
from gatekit.domain.errors import BadInput
from gatekit.domain.ids import JobName
from gatekit.domain.job import Material

SCRIPT_LOG = "out.log"  # what the batch script and the node program say before there is a job.log


async def material(layout: Layout, files: RemoteFiles, name: JobName) -> Material:
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
