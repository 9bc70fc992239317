"""Config keys that a pull request changes without a changelog entry."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace

from gatekit.changelog import Entry, selected_keys
from gatekit.layout import Layout
from gatekit.matrix import Point, read_master
from gatekit.recipes import RecipeShelf
from gatekit.refusal import BadInput, Refusal
from gatekit.snapshot import Snapshot


def uncovered(fork_point: Snapshot, head: Snapshot, layout: Layout, entries: Iterable[Entry]) -> tuple[str, ...]:
    """Keys whose AgentX points or recipes differ between two commits and that none of the entries names, in file order.

    A config that only the old commit has is not listed: there is nothing left to run.
    """
    changed = changed_files(fork_point, head)
    if not changed:
        return ()
    new = read_master(head, layout)
    covered = _named(entries, new.entries)
    try:
        old = _by_key(read_master(fork_point, layout).points())
    except BadInput:  # no readable configs before: all of them are new
        old = {}
    shelves = RecipeShelf(fork_point, layout), RecipeShelf(head, layout)
    found = []
    for key, points in _by_key(new.points()).items():
        if key in covered:
            continue
        before = old.get(key, ())
        if before != points or _recipes_differ(shelves, points, changed):
            found.append(key)
    return tuple(found)


def changed_files(old: Snapshot, new: Snapshot) -> frozenset[str]:
    """Paths whose bytes differ, or that only one of the two has."""
    if old.files is new.files:
        return frozenset()
    return frozenset(path for path in old.files.keys() | new.files.keys() if old.files.get(path) != new.files.get(path))


def _named(entries: Iterable[Entry], known: Iterable[str]) -> Set[str]:
    """The keys that the entries name, also where they ask for evals only."""
    plain = [replace(entry, evals_only=False, all_evals=False, scenarios=None) for entry in entries]
    return selected_keys(plain, tuple(known))


def _by_key(points: Iterable[Point]) -> Mapping[str, tuple[Point, ...]]:
    found: dict[str, tuple[Point, ...]] = {}
    for point in points:
        found[point.config_key] = (*found.get(point.config_key, ()), point)
    return found


def _recipes_differ(shelves: tuple[RecipeShelf, RecipeShelf], points: Iterable[Point], changed: Set[str]) -> bool:
    for point in points:
        if point.recipe is None or not any(path.endswith(_file_name(point.recipe)) for path in changed):
            continue
        before, after = (_merged(shelf, point.recipe, point) for shelf in shelves)
        if before != after:
            return True
    return False


def _file_name(reference: str) -> str:
    return reference.split(":", 1)[0].rsplit("/", 1)[-1]


def _merged(shelf: RecipeShelf, reference: str, point: Point) -> object:
    try:
        return shelf.take(reference, point.concurrency, point).content
    except Refusal as error:
        return str(error)
