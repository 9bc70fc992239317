"""The clusters file, and each cluster in it."""

from collections.abc import Iterator
from pathlib import Path

from bot.cluster.clusters import ClusterEntry, Local, read_clusters
from bot.doctor.finding import Finding, bad, fine, refused
from bot.doctor.local import check_local
from gatekit.refusal import Refusal

FILE = "clusters file"


def check_clusters(path: Path, only: str | None, *, allow_local: bool) -> Iterator[Finding]:
    """`only`: the one cluster to look at; None: all of them."""
    try:
        entries = read_clusters(path)
    except Refusal as no:
        yield refused(FILE, no)
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
    if isinstance(entry.reach, Local):
        yield from check_local(entry, allow_local=allow_local)
        return
    check = f"cluster {entry.cluster.name}: executor"
    yield bad(check, "slurm is not there yet", "take the cluster out of the clusters file, or make it local")
