"""From the recipe that a point names to the one merged recipe that it launches from."""

from collections.abc import Mapping
from dataclasses import dataclass

from gatekit.documents import Limits, ReadYaml, read_yaml
from gatekit.layout import Layout
from gatekit.paths import folders, is_inside
from gatekit.points import MULTI_NODE_RECIPES, Point
from gatekit.recipe_fit import fits
from gatekit.recipe_variants import Content, RecipeInvalid, Variant, is_bundle, named, variants
from gatekit.refusal import BadInput, Refusal
from gatekit.shown import shown
from gatekit.snapshot import Snapshot

__all__ = ["Recipe", "RecipeInvalid", "RecipeMissing", "RecipeShelf", "RecipeUnreadable", "resolve"]


RECIPE_LIMITS = Limits(bytes=1024 * 1024, nodes=20_000)


class RecipeMissing(Refusal):
    """The snapshot has no such file."""


class RecipeUnreadable(Refusal):
    """The file is a program, such as a shell script: what it would launch cannot be read from it."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe with its variant merged in. The content is shared with other recipes: read it, never change it."""

    path: str  # from the repository's root
    selector: str | None  # of the variant that was taken; None: a plain recipe
    content: Mapping[str, object]


def resolve(snapshot: Snapshot, layout: Layout, reference: str, concurrency: int) -> Recipe:
    """The recipe of `path[:selector]` for one concurrency. For many points use one RecipeShelf, which reads files once.

    Raises RecipeMissing, RecipeInvalid, RecipeUnreadable.
    """
    return RecipeShelf(snapshot, layout).take(reference, concurrency)


class RecipeShelf:
    """The recipes of one snapshot, each file read once."""

    def __init__(self, snapshot: Snapshot, layout: Layout, read: ReadYaml = read_yaml) -> None:
        self._snapshot = snapshot
        self._reader = read
        self._layout = layout.at(snapshot)
        self._read: dict[str, Content] = {}
        self._variants: dict[tuple[str, str | None], tuple[Variant, ...]] = {}
        self._contents: dict[tuple[str, str], Content] = {}

    def take(self, reference: str, concurrency: int, point: Point | None = None) -> Recipe:
        """The merged recipe of `path[:selector]`.

        `recipes/…` stands for the layout's recipe folder; any other path is taken from the layout's root. Where the
        selector leaves several variants, the one whose `benchmark.env.CONC` is the concurrency is taken; where several
        have it and `point` is given, the one that serves with the point's GPUs and parallelism.
        Raises RecipeMissing, RecipeInvalid, RecipeUnreadable.
        """
        written, colon, selector = reference.partition(":")
        path = self._path(written)
        content = self._content(path)
        if not is_bundle(content):
            if colon:
                raise RecipeInvalid(f"{path}: has no variants; take `:{shown(selector)}` out of the config")
            return Recipe(path, None, content)
        found = self._of(path, content, selector if colon else None)
        chosen = _choose(found, concurrency, point)
        if len(chosen) != 1:
            which = f"{len(chosen)} variants" if chosen else "no variant"
            raise RecipeInvalid(
                f"{path}: has {which} with benchmark.env.CONC {concurrency}; give one of them this value, or name one "
                f"in the config, of {named([variant.selector for variant in chosen or found])}"
            )
        return Recipe(path, chosen[0].selector, self._merged(path, chosen[0]))

    def _path(self, written: str) -> str:
        if not is_inside(written) or not written.isprintable():
            raise RecipeInvalid(f"{written!r} is no path inside the repository; write it without `..` or a leading `/`")
        first, _, rest = written.partition("/")
        return f"{self._layout.recipes}/{rest}" if first == MULTI_NODE_RECIPES and rest else self._layout.under(written)

    def _content(self, path: str) -> Content:
        if path not in self._read:
            self._read[path] = _read(self._snapshot, path, self._reader)
        return self._read[path]

    def _of(self, path: str, content: Content, selector: str | None) -> tuple[Variant, ...]:
        if (path, selector) not in self._variants:
            try:
                self._variants[path, selector] = variants(content, selector)
            except RecipeInvalid as error:
                raise RecipeInvalid(f"{path}: {error}") from None
        return self._variants[path, selector]

    def _merged(self, path: str, variant: Variant) -> Content:
        if (path, variant.selector) not in self._contents:
            self._contents[path, variant.selector] = variant.content()
        return self._contents[path, variant.selector]


def _read(snapshot: Snapshot, path: str, read: ReadYaml) -> Content:
    for place in (*folders(path), path):
        if place in snapshot.links:
            raise RecipeInvalid(f"{path}: {place} is a link; put the file itself there")
        if place in snapshot.gitlinks:
            raise RecipeMissing(
                f"{path}: {place} is a submodule, which is not read; put the recipe into the repository"
            )
    data = snapshot.files.get(path)
    if data is None:
        raise RecipeMissing(f"{path}: no such file; add it, or correct the path in the config")
    if path.endswith(".sh") or data.startswith(b"#!"):
        raise RecipeUnreadable(f"{path}: is a script, from which drafting cannot be read; name a recipe in YAML")
    try:
        content = read(path, data, RECIPE_LIMITS).data
    except BadInput as error:
        raise RecipeInvalid(str(error)) from None
    if not isinstance(content, dict):
        raise RecipeInvalid(f"{path}: needs a mapping at the top level")
    return content


def _choose(found: tuple[Variant, ...], concurrency: int, point: Point | None) -> tuple[Variant, ...]:
    if len(found) == 1:
        return found
    same = tuple(variant for variant in found if _concurrency(variant) == str(concurrency))
    if len(same) > 1 and point is not None:
        return tuple(variant for variant in same if fits(variant.content(), point)) or same
    return same


def _concurrency(variant: Variant) -> str | None:
    benchmark = variant.part("benchmark")
    env = benchmark.get("env") if isinstance(benchmark, dict) else None
    value = env.get("CONC") if isinstance(env, dict) else None
    return None if value is None else str(value).strip()
