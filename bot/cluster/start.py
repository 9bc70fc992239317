"""Executors for the clusters of the operator's file."""

from pathlib import Path

from bot.cluster.clusters import ClusterEntry, Local, Slurm
from bot.cluster.executor import Executor
from bot.cluster.local import LocalExecutor
from bot.cluster.zipapp import NodeProgram
from bot.scheduler import RunningCluster
from gatekit.refusal import Refusal


def start_clusters(
    entries: tuple[ClusterEntry, ...], node: NodeProgram, *, allow_local: bool
) -> tuple[RunningCluster, ...]:
    """Raises Refusal for a cluster that cannot be had."""
    return tuple(
        RunningCluster(entry.cluster, _executor(entry, node, allow_local=allow_local), entry.max_jobs)
        for entry in entries
    )


def _executor(entry: ClusterEntry, node: NodeProgram, *, allow_local: bool) -> Executor:
    match entry.reach:
        case Local():
            return LocalExecutor(Path(entry.root), node.path, allow_local=allow_local)
        case Slurm():
            raise Refusal(f"cluster {entry.cluster.name}: the executor slurm is not there yet; only local is")
