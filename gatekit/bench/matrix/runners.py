"""The runners file: what a node of a cluster has, and how much of its memory a point's KV cache may take."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType

from gatekit.bench.matrix.rows import Offloading, RoleEngines
from gatekit.bench.repo.layout import Layout
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.formats.fields import Fields, top_fields
from gatekit.formats.yaml_document import ReadYaml, read_yaml

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


BYTES_PER_MIB = 1024 * 1024
BYTES_PER_GB = 1_000_000_000
MOST_MIB = 2_861_022  # of a node that count: 3 TB


@dataclass(frozen=True, slots=True)
class Dram:
    """What one server gets on one node."""

    gb: int  # of 10^9 bytes, rounded down
    gpus: int  # of the node that it serves on


def read_dram(row: Fields, workers: Sequence[RoleEngines], utilization: float | None, node: Node) -> Dram | None:
    """The node's memory, times `utilization`, times the share of its GPUs; None: nothing is offloaded to it.

    Of several roles the first one counts: only prefill offloads. Also None where `node` does not say what it has:
    `lacking` tells which. Raises BadInput where the GPUs of a server do not fit whole nodes.
    """
    if row.value("kv-offloading") != Offloading.DRAM or utilization is None:
        return None
    if node.gpus is None or node.dram_mib is None:
        return None
    first = workers[0]
    gpus = min(first.gpus, node.gpus)
    if first.gpus > node.gpus and (not first.role or first.gpus % node.gpus):
        raise row.bad(f"serves with {first.gpus} GPUs, and a node of its runner has {node.gpus}: fill whole nodes")
    if first.role and node.gpus % gpus:
        raise row.bad(f"serves with {first.gpus} GPUs, which do not share the {node.gpus} of a node evenly")
    memory = min(node.dram_mib, MOST_MIB) * BYTES_PER_MIB
    return Dram(int(memory * Fraction(str(utilization)) * gpus / node.gpus / BYTES_PER_GB), gpus)


def lacking(node: Node) -> str | None:
    """What the runners file must say of a runner whose points offload; None: it says all."""
    names = [
        name for name, value in (("gpus-per-node", node.gpus), ("available-cpu-dram-mib", node.dram_mib)) if not value
    ]
    return " and ".join(f"`{name}`" for name in names) or None
