"""What a pull request changes, as the checks see it: which configs, and what they start from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from gatekit.bench.matrix.changelog import Entry, new_entries
from gatekit.bench.matrix.runners import read_runners
from gatekit.bench.recipes.shelf import Tree, read_tree
from gatekit.domain.errors import BadInput, Refusal, Unknown
from gatekit.plan.compare import ComparedTrees, compare
from gatekit.plan.plan import PlanSources, changelog_of
from gatekit.plan.selection import Selected, select
from gatekit.signoff.change.configs import Config, Setup, read_configs
from gatekit.signoff.change.effective import Effective, effective
from gatekit.signoff.change.scripts import named_file, scripts_of

_CODE = ("benchmarks/", "runners/", "utils/", "infx/")
_ARCHIVED = "/deprecated/"


class Touched(StrEnum):
    """Why a config counts as affected."""

    ADDED = "added"
    CHANGED = "changed"
    STARTS_FROM = "what it starts from changed"
    NAMED = "named by a new changelog entry"


@dataclass(frozen=True, slots=True)
class Affected:
    config: Config
    touched: Touched
    before: Config | None


@dataclass(frozen=True)  # without slots: what several checks look at is made once and kept
class Change:
    tree: Tree  # the head
    both: ComparedTrees
    configs: Mapping[str, Config]  # of the head
    affected: tuple[Affected, ...]  # in file order
    removed: tuple[str, ...]  # keys that the head has not
    selected: tuple[Selected, ...] | Unknown  # new changelog entries with the configs that they name
    shared: tuple[str, ...]  # changed code that belongs to no single config

    @cached_property
    def effective(self) -> Mapping[str, Effective]:
        """What each affected config starts from, by its key."""
        points = self.both.points
        return {
            each.config.key: effective(each.config, self.tree, points.get(each.config.key, ()))
            for each in self.affected
        }

    @property
    def setups(self) -> Iterator[tuple[Config, Setup]]:
        for each in self.affected:
            for setup in each.config.setups:
                yield each.config, setup

    @property
    def speculative(self) -> tuple[Config, ...]:
        return tuple(each.config for each in self.affected if any(setup.speculative for setup in each.config.setups))


def read_change(sources: PlanSources) -> Change:
    """Everything is read from the two trees. Raises BadInput where a master config of the head cannot be read."""
    layout, read = sources.settings.layout, sources.read
    head = read_tree(sources.head, layout, read_runners(sources.base, layout, read), sources.engines.parallelism, read)
    both = compare(sources.fork_point or sources.base, head, layout)
    configs = read_configs(head.master)
    before = _before(both)
    selected = _selected(sources, head)
    named = {key for one in selected for key in one.keys} if isinstance(selected, tuple) else set()
    own = {key: frozenset(_paths(config, head)) for key, config in configs.items()}
    affected = []
    for key, config in configs.items():
        touched = _touched(key, both, own[key])
        if touched is None and key in named:
            touched = Touched.NAMED
        if touched is not None:
            affected.append(Affected(config, touched, before.get(key)))
    return Change(
        tree=head,
        both=both,
        configs=configs,
        affected=tuple(affected),
        removed=tuple(key for key in before if key not in configs),
        selected=selected,
        shared=_shared(both, frozenset(path for paths in own.values() for path in paths), head),
    )


def _before(both: ComparedTrees) -> Mapping[str, Config]:
    """Nothing where the old configs cannot be read: then every config is new."""
    try:
        return {} if both.before is None else read_configs(both.before.master)
    except BadInput:
        return {}


def _selected(sources: PlanSources, head: Tree) -> tuple[Selected, ...] | Unknown:
    try:
        log = changelog_of(sources)
        entries: tuple[Entry, ...] = new_entries(log.before, log.now, log.path)
        return select(entries, head.master.entries)
    except Refusal as no:
        return Unknown("; ".join(no.sentences))


def _touched(key: str, both: ComparedTrees, own: frozenset[str]) -> Touched | None:
    if both.before is None or key not in both.before.master.entries:
        return Touched.ADDED
    if not both.same_configs and both.before.master.entries[key].data != both.head.master.entries[key].data:
        return Touched.CHANGED
    return Touched.STARTS_FROM if own & both.changed or both.differs(key) else None


def _paths(config: Config, head: Tree) -> Iterator[str]:
    """The files that a config alone starts from: recipes and scripts."""
    for setup in config.setups:
        for reference in (setup.recipe, setup.eval_recipe):
            if (path := named_file(reference, head.layout)) is not None:
                yield path
        yield from scripts_of(config, setup, head.snapshot, head.layout)


def _shared(both: ComparedTrees, own: frozenset[str], head: Tree) -> tuple[str, ...]:
    root = head.layout.under("")
    code = (path for path in both.changed if path.removeprefix(root).startswith(_CODE))
    recipes = f"{head.layout.recipes}/"
    return tuple(
        sorted(
            path
            for path in code
            if path not in own and _ARCHIVED not in path and not _is_test(path) and not _is_recipe(path, recipes)
        )
    )


def _is_test(path: str) -> bool:
    return path.rsplit("/", 1)[-1].startswith("test_") or "/tests/" in path


def _is_recipe(path: str, folder: str) -> bool:
    """A recipe that no config starts from."""
    return path.startswith(folder) and path.endswith((".yaml", ".yml"))
