"""Two commits of a repository, config by config: where do they ask for different things."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from gatekit.bench.matrix.master import AGENTIC
from gatekit.bench.matrix.points import Point
from gatekit.bench.recipes import variants
from gatekit.bench.recipes.book import Recipe
from gatekit.bench.recipes.shelf import RecipeShelf, Tree, read_tree
from gatekit.bench.repo.layout import Layout
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.errors import BadInput, Refusal
from gatekit.domain.gates import Unusable
from gatekit.domain.text import first_change
from gatekit.serving.drafts import named_recipe

SCENARIOS = "scenarios"


@dataclass(frozen=True)  # without slots: what is asked for twice is made once
class ComparedTrees:
    """A head beside the commit where it left its base."""

    head: Tree
    before: Tree | None  # None: its configs cannot be read
    changed: frozenset[str]  # paths whose bytes differ, or that one of the two lacks
    points: Mapping[str, tuple[Point, ...]]  # the head's AgentX points, by config key
    points_before: Mapping[str, tuple[Point, ...]]

    @property
    def same_configs(self) -> bool:
        return self.before is not None and self.before.master is self.head.master

    def differs(self, key: str) -> bool:
        """Whether a config of the head is new, or asks for anything else than it did before."""
        if not self.same_configs:
            before = None if self.before is None else self.before.master.entries.get(key)
            if before is None or beside_agentic(before.data) != beside_agentic(self.head.master.entries[key].data):
                return True
            if self.points_before.get(key) != self.points.get(key):
                return True
        return any(self.recipe_change(point) is not None for point in self.points.get(key, ()))

    def recipe_change(self, point: Point) -> str | None:
        """`path:line` from where on the recipe that serves a point is another; None: it is the same."""
        reference = _reference(point, self.head.layout)
        if self.before is None or reference is None:
            return None
        named = reference.split(":", 1)[0].rstrip("/").rsplit("/", 1)[-1]
        if self._changed_names.isdisjoint({named, *variants.NAMES}):
            return None
        old, new = (_merged(tree.shelf, reference, point) for tree in (self.before, self.head))
        if _content(old) == _content(new):
            return None
        path = next((one.path for one in (new, old) if isinstance(one, Recipe)), reference)
        return next(
            (self._change(one) for one in (path, variants.block_of(path, self.head.layout)) if one in self.changed),
            path,
        )

    def _change(self, path: str) -> str:
        """`path:line` where a file changed; without a line where one commit has no such file."""
        trees = (self.before, self.head)
        before, now = (None if tree is None else tree.snapshot.files.get(path) for tree in trees)
        return path if before is None or now is None else f"{path}:{first_change(before, now)}"

    @cached_property
    def _changed_names(self) -> frozenset[str]:
        """Every file and folder name on the way to a changed file."""
        return frozenset(step for path in self.changed for step in path.split("/"))


def compare(fork_point: Snapshot, head: Tree, layout: Layout) -> ComparedTrees:
    """`layout` as the settings write it: each commit has its own root. Raises BadInput for a wrong row of the head."""
    changed = changed_files(fork_point, head.snapshot)
    old_place = layout.at(fork_point)
    points = by_key(head.master.points())
    if changed & {*head.layout.configs, head.layout.runners, *old_place.configs, old_place.runners}:
        try:
            before = read_tree(fork_point, layout, head.master.runners, head.shelf.parallelism, head.read)
            return ComparedTrees(head, before, changed, points, by_key(before.master.points()))
        except BadInput:
            return ComparedTrees(head, None, changed, points, {})
    shelf = RecipeShelf(fork_point, layout, head.shelf.parallelism, head.read)
    return ComparedTrees(head, Tree(fork_point, old_place, head.master, shelf, head.read), changed, points, points)


def changed_files(old: Snapshot, new: Snapshot) -> frozenset[str]:
    """Paths whose bytes differ, or that only one of the two has."""
    paths = old.files.keys() | new.files.keys()
    return frozenset(path for path in paths if old.files.get(path) != new.files.get(path))


def by_key(points: Iterable[Point]) -> Mapping[str, tuple[Point, ...]]:
    found: dict[str, list[Point]] = {}
    for point in points:
        found.setdefault(point.config_key, []).append(point)
    return {key: tuple(same) for key, same in found.items()}


def beside_agentic(config: Mapping[str | int, object]) -> Mapping[str | int, object]:
    """What a config says of everything but its AgentX points."""
    scenarios = config.get(SCENARIOS)
    if not isinstance(scenarios, dict):
        return config
    return {**config, SCENARIOS: {name: value for name, value in scenarios.items() if name != AGENTIC}}


def _reference(point: Point, layout: Layout) -> str | None:
    """The recipe that the row or the settings name."""
    try:
        return named_recipe(point, layout)
    except Unusable:
        return None


def _merged(shelf: RecipeShelf, reference: str, point: Point) -> Recipe | str:
    """The merged recipe, or the sentence that says why there is none."""
    try:
        return shelf.take(reference, point.concurrency, point)
    except Refusal as error:
        return str(error)


def _content(merged: Recipe | str) -> object:
    return merged.content if isinstance(merged, Recipe) else merged
