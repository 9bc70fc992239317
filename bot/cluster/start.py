"""Executors for the clusters of the operator's file."""

from datetime import timedelta
from pathlib import Path

from bot.cluster.config import ClusterEntry, Local, Slurm
from bot.cluster.executor import Executor, RunningCluster
from bot.cluster.local.executor import LocalExecutor
from bot.cluster.node_program import NodeProgram
from bot.cluster.slurm.executor import ClusterSite, NodeSetup, SlurmExecutor
from bot.cluster.slurm.files import ClusterLayout
from bot.cluster.ssh.client import Ssh
from bot.cluster.ssh.connection import Address
from gatekit.cluster.slurm.script import Request


def start_clusters(
    entries: tuple[ClusterEntry, ...], node: NodeProgram, *, allow_local: bool
) -> tuple[RunningCluster, ...]:
    """Connects to nothing yet. Raises Refusal for a cluster that cannot be had."""
    return tuple(
        RunningCluster(
            entry.cluster,
            _executor(entry, node, allow_local=allow_local),
            entry.max_jobs,
            timedelta(days=entry.keep_days),
        )
        for entry in entries
    )


def _executor(entry: ClusterEntry, node: NodeProgram, *, allow_local: bool) -> Executor:
    match entry.reach:
        case Local():
            return LocalExecutor(Path(entry.root), node.path, allow_local=allow_local)
        case Slurm() as slurm:
            return slurm_executor(slurm, entry.root, node)


def slurm_executor(slurm: Slurm, root: str, node: NodeProgram) -> SlurmExecutor:
    """`root`: our folder on the cluster."""
    site = ClusterSite(ClusterLayout(root), request_of(slurm), NodeSetup(slurm.python, slurm.scratch))
    return SlurmExecutor(Ssh(address_of(slurm)), site, node)


def request_of(slurm: Slurm) -> Request:
    return Request(slurm.partition, slurm.account, slurm.time_limit_minutes, slurm.gpus_per_node, slurm.options)


def address_of(slurm: Slurm) -> Address:
    return Address(slurm.host, slurm.port, slurm.user, slurm.key_file, slurm.known_hosts_file, slurm.jump)
