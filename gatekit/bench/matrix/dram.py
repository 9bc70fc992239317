"""How much of a host's memory a point may offload its KV cache to."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from gatekit.bench.matrix.rows import Offloading, Worker
from gatekit.bench.matrix.runners import Node
from gatekit.formats.fields import Fields

BYTES_PER_MIB = 1024 * 1024
BYTES_PER_GB = 1_000_000_000
MOST_MIB = 2_861_022  # of a node that count: 3 TB


@dataclass(frozen=True, slots=True)
class Dram:
    """What one server gets on one node."""

    gb: int  # of 10^9 bytes, rounded down
    gpus: int  # of the node that it serves on


def read_dram(row: Fields, workers: Sequence[Worker], utilization: float | None, node: Node) -> Dram | None:
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
