"""Config keys that a pull request changes without a changelog entry."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace

from gatekit.changelog import Entry, selected_keys
from gatekit.layout import Layout
from gatekit.matrix import Point
from gatekit.recipes import RecipeShelf
from gatekit.refusal import BadInput, Refusal
from gatekit.snapshot import Snapshot
from gatekit.tree import Tree, read_tree


def uncovered(fork_point: Snapshot, head: Tree, layout: Layout, entries: Iterable[Entry]) -> tuple[str, ...]:
    """Keys whose AgentX points or recipes differ between two commits and that none of the entries names, in file order.

    `layout` as the settings write it: each commit has its own root. A config that only the old commit has is not
    listed: there is nothing left to run.
    """
    changed = changed_files(fork_point, head.snapshot)
    if not changed:
        return ()
    covered = _named(entries, head.master.entries)
    now = _by_key(point for point in head.master.points() if point.config_key not in covered)
    old_place = layout.at(fork_point)
    configs = {*head.layout.configs, head.layout.runners, *old_place.configs, old_place.runners}
    before = _points_before(fork_point, layout, head) if changed & configs else now
    shelves = RecipeShelf(fork_point, layout, head.read), head.shelf
    names = frozenset(path.rsplit("/", 1)[-1] for path in changed)
    return tuple(
        key
        for key, points in now.items()
        if before.get(key) != points or any(_recipe_differs(shelves, point, names) for point in points)
    )


def changed_files(old: Snapshot, new: Snapshot) -> frozenset[str]:
    """Paths whose bytes differ, or that only one of the two has."""
    paths = old.files.keys() | new.files.keys()
    return frozenset(path for path in paths if old.files.get(path) != new.files.get(path))


def _points_before(fork_point: Snapshot, layout: Layout, head: Tree) -> Mapping[str, tuple[Point, ...]]:
    try:
        return _by_key(read_tree(fork_point, layout, head.master.gpus_per_node, head.read).master.points())
    except BadInput:  # there were no configs that can be read: all of them are new
        return {}


def _named(entries: Iterable[Entry], known: Iterable[str]) -> Set[str]:
    """The keys that the entries name, also where they ask for evals only."""
    plain = [replace(entry, evals_only=False, all_evals=False, scenarios=None) for entry in entries]
    return selected_keys(plain, tuple(known))


def _by_key(points: Iterable[Point]) -> Mapping[str, tuple[Point, ...]]:
    found: dict[str, list[Point]] = {}
    for point in points:
        found.setdefault(point.config_key, []).append(point)
    return {key: tuple(same) for key, same in found.items()}


def _recipe_differs(shelves: tuple[RecipeShelf, RecipeShelf], point: Point, changed_names: Set[str]) -> bool:
    if point.recipe is None or point.recipe.split(":", 1)[0].rsplit("/", 1)[-1] not in changed_names:
        return False
    before, after = (_merged(shelf, point.recipe, point) for shelf in shelves)
    return before != after


def _merged(shelf: RecipeShelf, reference: str, point: Point) -> object:
    """The merged recipe, or the sentence that says why there is none."""
    try:
        return shelf.take(reference, point.concurrency, point).content
    except Refusal as error:
        return str(error)
