"""The parts of a snapshot that planning reads, each read once."""

from dataclasses import dataclass

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


def read_tree(snapshot: Snapshot, layout: Layout) -> Tree:
    """`layout` as the settings write it. Raises BadInput where a master config cannot be read."""
    placed = layout.at(snapshot)
    return Tree(snapshot, placed, read_master(snapshot, placed), RecipeShelf(snapshot, placed))
