"""From the recipe that a point names to the one merged recipe that it launches from."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from gatekit.documents import Document, ReadYaml, read_yaml
from gatekit.layout import Layout
from gatekit.paths import is_inside
from gatekit.points import MULTI_NODE_RECIPES, Point
from gatekit.recipe_files import RecipeFile, RecipeMissing, RecipeUnreadable, Source, read_recipe, recipes_in
from gatekit.recipe_fit import fits, wanted
from gatekit.recipe_variants import Content, RecipeInvalid, Variant, is_bundle, named, variants
from gatekit.refusal import Refusal
from gatekit.shown import shown
from gatekit.snapshot import Snapshot

__all__ = ["Recipe", "RecipeInvalid", "RecipeMissing", "RecipeShelf", "RecipeUnreadable", "resolve"]


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

CONFIG, TYPED = "the config", "the command"  # where references are written


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe with its variant merged in. The content is shared with other recipes: read it, never change it."""

    path: str  # from the repository's root
    selector: str | None  # of the variant that was taken; None: a plain recipe
    content: Mapping[str, object]
    repeats: tuple[str, ...] = ()  # one sentence for each setting that its file has twice

    @property
    def reference(self) -> str:
        """path[:selector]"""
        return self.path if self.selector is None else f"{self.path}:{self.selector}"


def resolve(snapshot: Snapshot, layout: Layout, typed: str, concurrency: int | None) -> Recipe:
    """The recipe of `path[:selector]` as a person typed it; what stands in a config is read by a RecipeShelf.

    Raises RecipeMissing, RecipeInvalid, RecipeUnreadable.
    """
    return RecipeShelf(snapshot, layout, written_in=TYPED).take(typed, concurrency)


@dataclass(frozen=True, slots=True)
class _Picked:
    """What a selector leaves of a file's variants."""

    found: tuple[Variant, ...]
    by_concurrency: Mapping[str, tuple[Variant, ...]]  # by benchmark.env.CONC


class RecipeShelf:
    """The recipes of one snapshot. Each file is read once, and refused once, however many points name it."""

    def __init__(
        self, snapshot: Snapshot, layout: Layout, read: ReadYaml = read_yaml, written_in: str = CONFIG
    ) -> None:
        self._source = Source(snapshot, layout.at(snapshot), read, written_in)
        self._read: dict[str, RecipeFile | Refusal] = {}
        self._picked: dict[tuple[str, str | None], _Picked | Refusal] = {}
        self._merged: dict[tuple[str, str], Content | Refusal] = {}

    def take(self, reference: str, concurrency: int | None, point: Point | None = None) -> Recipe:
        """The merged recipe of `path[:selector]`.

        `recipes/…` stands for the layout's recipe folder; any other path is taken from the layout's root. Where the
        selector leaves several variants, the one whose `benchmark.env.CONC` is the concurrency is taken; where several
        have it and `point` is given, the one that serves with the point's GPUs and parallelism. A path that ends with
        `/` is a folder: of all its recipes one variant must serve the point.
        Without a concurrency, which only a command may leave out, the selector must leave one.
        Raises RecipeMissing, RecipeInvalid, RecipeUnreadable.
        """
        _, colon, selector = reference.partition(":")
        path = self.path_of(reference)
        if path.endswith("/"):
            return self._only_fit(path, concurrency, point)
        file = self._file(path)
        if not is_bundle(file.content):
            if colon:
                raise RecipeInvalid(
                    f"{path}: has no variants; take `:{shown(selector)}` out of {self._source.written_in}"
                )
            return Recipe(path, None, file.content, file.repeats)
        key = path, selector if colon else None
        picked = _once(self._picked, key, lambda: _pick(path, file.content, key[1]))
        chosen = self._choose(path, picked, concurrency, point)
        if len(chosen) != 1:
            raise RecipeInvalid(f"{path}: {self._undecided(chosen, picked.found, concurrency)}")
        return Recipe(path, chosen[0].selector, self._content(path, chosen[0]), file.repeats)

    def document_of(self, path: str) -> Document | None:
        """A file that was read before, with its lines; None where it was not, or could not be."""
        file = self._read.get(path)
        return file.document if isinstance(file, RecipeFile) else None

    def _undecided(self, chosen: tuple[Variant, ...], found: tuple[Variant, ...], concurrency: int | None) -> str:
        names = named([variant.selector for variant in chosen or found])
        if concurrency is None:
            return f"has {len(found)} variants; name one of {names} behind a colon, or give --concurrency"
        which = f"{len(chosen)} variants" if chosen else "no variant"
        return (
            f"has {which} with benchmark.env.CONC {concurrency}; give one of them this value, or name one "
            f"in {self._source.written_in}, of {names}"
        )

    def _file(self, path: str) -> RecipeFile:
        return _once(self._read, path, lambda: read_recipe(self._source, path))

    def _only_fit(self, folder: str, concurrency: int | None, point: Point | None) -> Recipe:
        """Of all variants of all recipes in a folder the one that serves the point."""
        paths = recipes_in(self._source.snapshot, folder)
        found = [recipe for path in paths for recipe in self._that_fit(path, concurrency, point)]
        if len(found) != 1:
            which = f"{len(found)} variants" if found else "no variant"
            fitting = [recipe.reference for recipe in found] or paths
            names = named([name.removeprefix(folder) for name in fitting])
            raise RecipeInvalid(
                f"{folder}: has {which} for such a point at concurrency {concurrency} in {names}; name one in "
                f"`srt-recipe` of {self._source.written_in}"
            )
        return found[0]

    def _that_fit(self, path: str, concurrency: int | None, point: Point | None) -> list[Recipe]:
        file = self._file(path)
        if not is_bundle(file.content):
            variants: tuple[Variant, ...] = (Variant("", file.content, {}),)
        else:
            variants = _once(self._picked, (path, None), lambda: _pick(path, file.content, None)).found
        at = None if concurrency is None else str(concurrency)
        return [
            Recipe(path, variant.selector or None, content, file.repeats)
            for variant in variants
            if _concurrency(variant) in (None, at)
            for content in (self._content(path, variant),)
            if point is None or fits(content, wanted(point))
        ]

    def path_of(self, reference: str) -> str:
        """Where the file of `path[:selector]` lies, from the repository's root. Raises RecipeInvalid."""
        written = reference.partition(":")[0]
        if not is_inside(written.removesuffix("/")) or not written.isprintable():
            raise RecipeInvalid(f"{written!r} is no path inside the repository; write it without `..` or a leading `/`")
        first, _, rest = written.partition("/")
        return (
            f"{self._source.layout.recipes}/{rest}"
            if first == MULTI_NODE_RECIPES and rest
            else self._source.layout.under(written)
        )

    def _choose(self, path: str, picked: _Picked, concurrency: int | None, point: Point | None) -> tuple[Variant, ...]:
        if len(picked.found) == 1:
            return picked.found
        same = () if concurrency is None else picked.by_concurrency.get(str(concurrency), ())
        if len(same) < 2 or point is None:
            return same
        row = wanted(point)
        return tuple(variant for variant in same if fits(self._content(path, variant), row)) or same

    def _content(self, path: str, variant: Variant) -> Content:
        return _once(self._merged, (path, variant.selector), variant.content)


def _once(kept: dict[K, V | Refusal], key: K, make: Callable[[], V]) -> V:
    """What was made for this key, or the refusal that came instead."""
    if key not in kept:
        try:
            kept[key] = make()
        except Refusal as no:
            kept[key] = no
    found = kept[key]
    if isinstance(found, Refusal):
        raise found.with_traceback(None)
    return found


def _pick(path: str, content: Content, selector: str | None) -> _Picked:
    try:
        found = variants(content, selector)
    except RecipeInvalid as error:
        raise RecipeInvalid(f"{path}: {error}") from None
    by_concurrency: dict[str, tuple[Variant, ...]] = {}
    for variant in found:
        stated = _concurrency(variant)
        if stated is not None:
            by_concurrency[stated] = (*by_concurrency.get(stated, ()), variant)
    return _Picked(found, by_concurrency)


def _concurrency(variant: Variant) -> str | None:
    benchmark = variant.part("benchmark")
    env = benchmark.get("env") if isinstance(benchmark, dict) else None
    value = env.get("CONC") if isinstance(env, dict) else None
    return None if value is None else str(value).strip()
