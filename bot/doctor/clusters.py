"""The clusters file, and each cluster in it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

from bot.cluster.config import ClusterEntry, Local, Slurm, read_clusters
from bot.doctor.finding import Finding, bad, fine, refused
from bot.doctor.local import check_local, check_policy
from bot.doctor.slurm.check import check_slurm
from gatekit.domain.errors import Refusal
from gatekit.domain.gates import EngineName
from gatekit.engines.registry import ENGINES

FILE = "clusters file"
_OWN_LOG = "Run one gate, and hold its AL against what the engine itself says in `engine.log` of the run folder."


def check_clusters(path: Path, only: str | None, *, allow_local: bool) -> Iterator[Finding]:
    """`only`: the one cluster to look at; None: all of them."""
    try:
        entries = read_clusters(path)
    except Refusal as no:
        yield refused(FILE, no, f"correct it in {path}")
        return
    names = ", ".join(entry.cluster.name for entry in entries)
    if only is not None and only not in {entry.cluster.name for entry in entries}:
        yield bad(FILE, f"{path} has no cluster {only}", f"name one of {names}")
        return
    yield fine(FILE, f"{path}: {names}")
    for entry in entries:
        if only in (None, entry.cluster.name):
            yield from _cluster(entry, allow_local=allow_local)


def _cluster(entry: ClusterEntry, *, allow_local: bool) -> Iterator[Finding]:
    yield check_policy(f"cluster {entry.cluster.name}: policy", entry.cluster)
    match entry.reach:
        case Local():
            yield from check_local(entry, allow_local=allow_local)
        case Slurm() as slurm:
            yield from asyncio.run(check_slurm(entry, slurm))
    yield from _unseen(entry)


def _unseen(entry: ClusterEntry) -> Iterator[Finding]:
    """No fault of the cluster's, and nothing to wait for: what its operator should try before relying on it."""
    for name in entry.cluster.engines:
        engine = ENGINES.by_name[EngineName(name)]
        if engine.unseen is not None:
            at = f"cluster {entry.cluster.name}: {name} in our tests"
            yield fine(at, f"never run. {engine.unseen} {_OWN_LOG}")
