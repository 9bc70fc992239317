"""The runners file: what a node of a cluster has."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from gatekit.bench.repo.layout import Layout
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.formats.documents import ReadYaml, read_yaml
from gatekit.formats.fields import Fields, top_fields

CLUSTER = "cluster:"
FABRIC = ("slurm", "srt-slurm", "fabric")  # of a cluster's record: what its network is called on its hosts


@dataclass(frozen=True, slots=True)
class Node:
    """None: the file does not say. `fabric`: None where it says nothing of the network at all."""

    gpus: int | None = None
    dram_mib: int | None = None  # of the host, for benchmark jobs
    fabric: Mapping[str, str] | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class Runners:
    """Nodes by runner, e.g. cluster:gb200-nv. `clusters`: the file has a record for each cluster, as later trees do."""

    nodes: Mapping[str, Node] = field(default_factory=lambda: MappingProxyType({}))
    clusters: bool = False

    def node(self, runner: str) -> Node:
        return self.nodes.get(runner, Node())


def read_runners(snapshot: Snapshot, layout: Layout, read: ReadYaml = read_yaml) -> Runners:
    """What the runners file of a snapshot says; no file: nothing. Raises BadInput.

    Both layouts of the file are read: `hardware` by runner, and `clusters` by the name behind "cluster:".
    """
    path = layout.at(snapshot).runners
    data = snapshot.files.get(path)
    if data is None:
        return Runners()
    top = top_fields(read(path, data))
    return Runners(
        MappingProxyType(_nodes(top.inner("hardware"), "") | _nodes(top.inner("clusters"), CLUSTER)),
        clusters=top.has("clusters"),
    )


def _nodes(records: Fields | None, prefix: str) -> dict[str, Node]:
    found = {}
    for name in map(str, records.names() if records else ()):
        record = records.inner(name) if records else None
        if record is not None:
            node = Node(record.count("gpus-per-node"), record.count("available-cpu-dram-mib"), _fabric(record))
            found[name if name.startswith(prefix) else prefix + name] = node
    return found


def _fabric(record: Fields) -> Mapping[str, str] | None:
    """Each entry as recipes take it: numbers as text, lists with commas."""
    place: Fields | None = record
    for step in FABRIC:
        place = place.inner(step) if place else None
    if place is None:
        return None
    return MappingProxyType({name: _rendered(place, name) for name in map(str, place.names()) if place.has(name)})


def _rendered(fabric: Fields, name: str) -> str:
    value = fabric.value(name)
    if isinstance(value, list):
        return ",".join(fabric.texts(name) or ())
    return str(fabric.count(name, least=0)) if isinstance(value, int) else fabric.text(name)
