"""The parts of a snapshot that planning reads, each read once."""

from dataclasses import dataclass

from gatekit.bench.matrix.master import Master, read_master
from gatekit.bench.matrix.runners import Runners
from gatekit.bench.recipes.shelf import Parallelism, RecipeShelf
from gatekit.bench.repo.layout import Layout
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.formats.yaml_document import ReadYaml, read_yaml


@dataclass(frozen=True, slots=True)
class Tree:
    snapshot: Snapshot
    layout: Layout  # as this snapshot has it
    master: Master
    shelf: RecipeShelf
    read: ReadYaml  # what it was read with


def read_tree(
    snapshot: Snapshot, layout: Layout, runners: Runners, parallelism: Parallelism, read: ReadYaml = read_yaml
) -> Tree:
    """`layout` as the settings write it; `runners`: what nodes have, which no pull request can change.

    `parallelism`: as the recipes write it.

    Raises BadInput where a master config cannot be read.
    """
    placed = layout.at(snapshot)
    master = read_master(snapshot, placed, runners, read)
    return Tree(snapshot, placed, master, RecipeShelf(snapshot, placed, parallelism, read), read)
