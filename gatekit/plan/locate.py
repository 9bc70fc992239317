"""Where in its file stands what is wrong with a recipe: refusals speak of places in the merged recipe."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice

from gatekit.bench.matrix.points import Point
from gatekit.bench.recipes.book import Recipe
from gatekit.bench.recipes.files import recipe_path
from gatekit.bench.recipes.shelf import Tree
from gatekit.bench.recipes.variants import BASE
from gatekit.domain.errors import Refusal
from gatekit.domain.gates import LONGEST, Reason, Unusable
from gatekit.domain.text import shown, slip
from gatekit.formats.yaml_document import Document
from gatekit.formats.yaml_reader import Key
from gatekit.serving.drafts import named_recipe

# What a sentence is about that names no place, or one that is not there.
PARTS: tuple[tuple[Key, ...], ...] = (("roles",), ("backend",))
ENGINES: tuple[tuple[Key, ...], ...] = (("engine",), (BASE, "engine"), ("backend", "type"))

MOST_KEYS = 200  # of a file that are looked at for slips
_PLACE = re.compile(r"[A-Za-z_][\w-]*(?:\.[\w-]+)*")
_NAME = re.compile(r"`([^`]+)`")
# What a recipe is made of: a slip in one of these names leaves the recipe without the part.
_PARTS = ("base", "benchmark", "backend", "decode", "engine", "prefill", "resources", "roles")


class RecipeLines:
    """The lines of one tree's recipes."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._said: dict[tuple[str, str | None, str], str] = {}
        self._hints: dict[str, str] = {}

    def said(self, no: Unusable, point: Point) -> str:
        """Why a point cannot be gated; what is wrong with its recipe has the file and, where it is known, the line."""
        if no.reason not in (Reason.RECIPE_INVALID, Reason.NOT_DRAFTING):
            return no.detail
        try:
            reference = named_recipe(point, self._tree.layout)
            path = recipe_path(reference, self._tree.layout)
        except Refusal:
            return no.detail
        recipe: Recipe | None = None
        with suppress(Refusal):
            recipe = self._tree.shelf.take(reference, point.concurrency, point)
            path = recipe.path
        key = path, None if recipe is None else recipe.selector, no.detail
        if key not in self._said:
            self._said[key] = shown(self._located(path, recipe, no.detail), LONGEST)
        return self._said[key]

    def _located(self, path: str, recipe: Recipe | None, said: str) -> str:
        """`recipe`: the merged one, where it came so far."""
        if said.startswith(f"{path}:") and not said.startswith(f"{path}: "):
            return said  # it has its line
        document = self._tree.shelf.document_of(path)
        if document is None:
            return said
        said = said.removeprefix(path).removeprefix(":").lstrip()
        where = document.where(*self._place(document, recipe, said))
        if path not in self._hints:
            self._hints[path] = _hint(document)
        return f"{where}: {said}{self._hints[path]}"

    def _place(self, document: Document, recipe: Recipe | None, said: str) -> tuple[Key, ...]:
        """The deepest place in the file of what the sentence begins with, or of what it names first."""
        begun, named = _PLACE.match(said), _NAME.search(said)
        steps = tuple(begun[0].split(".")) if begun else ()
        places = [_deepest(document.data, (*root, *steps)) for root in _roots(recipe)]
        if named is not None:
            places.append(_deepest(document.data, (named[1],)))
        best = max(places, key=len)
        if best not in ((), *_roots(recipe)):
            return best
        usual = ENGINES if said.startswith("is one of") else PARTS
        return next((found for place in usual if len(found := _deepest(document.data, place)) == len(place)), ())


def _roots(recipe: Recipe | None) -> tuple[tuple[Key, ...], ...]:
    """Where the parts of a merged recipe stand in its file, the ones that count most first."""
    if recipe is None or recipe.selector is None:
        return ((),)
    return ((recipe.selector.partition("[")[0],), (BASE,))


def _deepest(data: object, place: tuple[Key, ...]) -> tuple[Key, ...]:
    """As many steps of the place as the data have."""
    found: list[Key] = []
    for step in place:
        if not isinstance(data, Mapping) or step not in data:
            break
        data = data[step]
        found.append(step)
    return tuple(found)


def _hint(document: Document) -> str:
    """Which key of the upper levels may be a slip of a part's name."""
    for place in islice(_upper(document.data, 2), MOST_KEYS):
        key = str(place[-1])
        part = next((part for part in _PARTS if part != key and slip(part, key)), None)
        if part is not None and key not in _PARTS:
            line = document.where(*place).rpartition(":")[2]
            return f" (is `{key}` in line {line} meant to be `{part}`?)"
    return ""


def _upper(data: object, levels: int, at: tuple[Key, ...] = ()) -> Iterator[tuple[Key, ...]]:
    if levels and isinstance(data, Mapping):
        for key, value in data.items():
            yield (*at, key)
            yield from _upper(value, levels - 1, (*at, key))
