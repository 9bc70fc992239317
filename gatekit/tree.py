"""The parts of a snapshot that planning reads, each read once."""

from collections.abc import Mapping
from dataclasses import dataclass

from gatekit.documents import ReadYaml, read_yaml
from gatekit.layout import Layout
from gatekit.matrix import Master, read_master
from gatekit.recipes import RecipeShelf
from gatekit.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Tree:
    snapshot: Snapshot
    layout: Layout  # as this snapshot has it
    master: Master
    shelf: RecipeShelf
    read: ReadYaml  # what it was read with


def read_tree(snapshot: Snapshot, layout: Layout, nodes: Mapping[str, int], read: ReadYaml = read_yaml) -> Tree:
    """`layout` as the settings write it; `nodes`: GPUs per node by runner, which no pull request can change.

    Raises BadInput where a master config cannot be read.
    """
    placed = layout.at(snapshot)
    master = read_master(snapshot, placed, nodes, read)
    return Tree(snapshot, placed, master, RecipeShelf(snapshot, placed, read), read)
