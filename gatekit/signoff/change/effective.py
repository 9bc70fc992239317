"""Everything that a config starts from, with every setting in it and where it stands."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gatekit.bench.matrix.points import Point
from gatekit.bench.recipes.book import Recipe
from gatekit.bench.recipes.shelf import Tree
from gatekit.domain.gates import Reason, Unusable
from gatekit.signoff.change.configs import Config, Setup
from gatekit.signoff.change.knobs import Knob, plain, recipe_knobs, script_knobs
from gatekit.signoff.change.scripts import live_lines, named_file, scripts_of, sourced

SETUP_SCRIPT = "setup_script"
_SETUP_FOLDER = "configs"  # beside the recipes
_COMMAND = "command"
_SCRIPT = re.compile(r"(?:^|[\s/\"'])(benchmarks/[\w./-]+\.sh)\b")
_NAME = re.compile(r"[A-Za-z_][\w-]*")


@dataclass(frozen=True, slots=True)
class Setting:
    knob: Knob
    where: str  # path:line, or the path alone


@dataclass(frozen=True, slots=True)
class Effective:
    config: Config
    settings: tuple[Setting, ...]
    files: tuple[str, ...]  # recipes and scripts of its own, set-up scripts too, each once
    helpers: tuple[str, ...]  # what those source, and what drives the traffic
    unread: tuple[str, ...]  # what could not be, one sentence each

    def named(self, *names: str) -> Iterator[Setting]:
        """The settings of these names (with underscores), in any case."""
        wanted = {name.casefold() for name in names}
        return (setting for setting in self.settings if setting.knob.name.casefold() in wanted)


def effective(config: Config, tree: Tree, points: Sequence[Point]) -> Effective:
    """Of every row of the config, each variant that it starts from once; `points`: its AgentX points."""
    settings: dict[Setting, None] = {}
    files: dict[str, None] = {}
    unread: dict[str, None] = {}
    for setup in config.setups:
        for found in _recipes(setup, tree, points):
            if isinstance(found, str):
                unread[found] = None
            else:
                files[found.path] = None
                settings |= dict.fromkeys(_of_recipe(found, tree))
        for pair in setup.settings:
            settings[Setting(Knob(pair[0], pair[1], "additional-settings", None), setup.where)] = None
    helpers: dict[str, None] = {}
    for path, own in _scripts(config, tree, tuple(settings), unread):
        (files if own else helpers)[path] = None
        settings |= dict.fromkeys(_of_script(path, tree))
    if not files and not unread:
        unread[f"{config.key}: no recipe and no script of it is in the repository"] = None
    return Effective(config, tuple(settings), tuple(files), tuple(helpers), tuple(unread))


def _recipes(setup: Setup, tree: Tree, points: Sequence[Point]) -> Iterator[Recipe | str]:
    if setup.recipe is None:
        return
    seen: set[tuple[str, str | None]] = set()
    by_concurrency = {point.concurrency: point for point in points if point.recipe == setup.recipe}
    for concurrency in setup.concurrencies:
        try:
            recipe = tree.shelf.take(setup.recipe, concurrency, by_concurrency.get(concurrency))
        except Unusable as no:
            if no.reason is Reason.RECIPE_UNREADABLE:
                return  # a script: it is among those that are followed
            yield str(no)
            continue
        if (recipe.path, recipe.selector) not in seen:
            seen.add((recipe.path, recipe.selector))
            yield recipe


def _of_recipe(recipe: Recipe, tree: Tree) -> Iterator[Setting]:
    lines = _Lines(tree.snapshot.files.get(recipe.path, b""))
    for knob in recipe_knobs(recipe.content):
        number = lines.of(knob)
        yield Setting(knob, recipe.path if number is None else f"{recipe.path}:{number}")


class _Lines:
    """Where the names of a file stand."""

    def __init__(self, data: bytes) -> None:
        self._by_name: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for number, line in live_lines(data):
            for name in set(_NAME.findall(line)):
                self._by_name[plain(name)].append((number, line))

    def of(self, knob: Knob) -> int | None:
        """The first line with the name and the value, else the first with the name."""
        named = self._by_name.get(knob.name, [])
        both = [number for number, line in named if knob.value and knob.value in line]
        return next(iter(both or [number for number, _ in named]), None)


def _scripts(
    config: Config, tree: Tree, settings: Iterable[Setting], unread: dict[str, None]
) -> Iterator[tuple[str, bool]]:
    """Each script once, its own before what only helps: sourced by another, or driving the traffic."""
    own = dict.fromkeys(_own_scripts(config, tree, settings))
    found: dict[str, None] = {}
    for path in own:
        if path in tree.snapshot.files:
            found[path] = None
            yield path, True
        else:
            unread[f"{path}: is not in the repository"] = None
    waiting = [*found, *_harness(tree, settings)]
    while waiting:
        path = waiting.pop(0)
        if path not in found:
            found[path] = None
            yield path, False
        waiting += [each for each in sourced(path, tree.snapshot.files[path], tree.snapshot) if each not in found]


def _own_scripts(config: Config, tree: Tree, settings: Iterable[Setting]) -> Iterator[str]:
    for setup in config.setups:
        yield from scripts_of(config, setup, tree.snapshot, tree.layout)
        if (path := named_file(setup.recipe, tree.layout)) is not None and path.endswith(".sh"):
            yield path
    for setting in settings:
        if setting.knob.name == SETUP_SCRIPT and setting.knob.enabled:
            yield f"{tree.layout.recipes}/{_SETUP_FOLDER}/{setting.knob.value}"


def _harness(tree: Tree, settings: Iterable[Setting]) -> Iterator[str]:
    """Scripts of the repository that a recipe's benchmark runs."""
    for setting in settings:
        if setting.knob.name == _COMMAND:
            for name in _SCRIPT.findall(setting.knob.value):
                path = tree.layout.under(name)
                if path in tree.snapshot.files:
                    yield path


def _of_script(path: str, tree: Tree) -> Iterator[Setting]:
    for number, knob in script_knobs(live_lines(tree.snapshot.files[path])):
        yield Setting(knob, f"{path}:{number}")
