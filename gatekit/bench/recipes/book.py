"""One recipe file: its variants, each merged once, and what others make of them."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from gatekit.bench.recipes.files import RecipeFile
from gatekit.bench.recipes.variants import Content, Variant, is_bundle, variants
from gatekit.domain.errors import Refusal
from gatekit.domain.gates import Unusable
from gatekit.formats.yaml_document import Document

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

PLAIN = ""  # selector of the one variant of a file without variants


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe with its variant merged in. The content is shared with other recipes: read it, never change it."""

    path: str  # from the repository's root
    selector: str | None  # of the variant that was taken; None: a plain recipe
    content: Mapping[str, object]
    repeats: tuple[str, ...] = ()  # one sentence for each setting that its file has twice
    made: dict[Hashable, object] = field(default_factory=dict, repr=False, compare=False)  # what others make of it

    @property
    def reference(self) -> str:
        """path[:selector]"""
        return self.path if self.selector is None else f"{self.path}:{self.selector}"


@dataclass(frozen=True, slots=True)
class Picked:
    """What a selector leaves of a file's variants."""

    found: tuple[Variant, ...]
    by_concurrency: Mapping[str, tuple[Variant, ...]]  # by benchmark.env.CONC


class Book:
    """Kept as long as the bytes of its file stay: a second plan finds what the first one made."""

    def __init__(self, path: str, file: RecipeFile) -> None:
        self._path = path
        self._file = file
        self._picked: dict[str | None, Picked | Refusal] = {}
        self._recipes: dict[str, Recipe | Refusal] = {}

    @property
    def document(self) -> Document:
        """The file itself, with its lines."""
        return self._file.document

    @property
    def plain(self) -> bool:
        """Whether the file is one recipe, and not a base with variants."""
        return not is_bundle(self._file.content)

    def pick(self, selector: str | None) -> Picked:
        """The variants that a selector leaves; None: all. Raises Unusable."""
        return once(self._picked, selector, lambda: _pick(self._path, self._file.content, selector))

    def recipe(self, variant: Variant) -> Recipe:
        """Merged."""
        return once(self._recipes, variant.selector, lambda: self._merged(variant))

    def whole(self) -> Recipe:
        """Of a plain file."""
        return self.recipe(self.variants()[0])

    def variants(self) -> tuple[Variant, ...]:
        """All, without the base where there are others. Raises Unusable."""
        return (Variant(PLAIN, self._file.content, {}),) if self.plain else self.pick(None).found

    def _merged(self, variant: Variant) -> Recipe:
        return Recipe(self._path, variant.selector or None, variant.content(), self._file.repeats)


def once(kept: dict[K, V | Refusal], key: K, make: Callable[[], V]) -> V:
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


def stated_concurrency(variant: Variant) -> str | None:
    """`benchmark.env.CONC` of a variant."""
    benchmark = variant.part("benchmark")
    env = benchmark.get("env") if isinstance(benchmark, dict) else None
    value = env.get("CONC") if isinstance(env, dict) else None
    return None if value is None else str(value).strip()


def _pick(path: str, content: Content, selector: str | None) -> Picked:
    try:
        found = variants(content, selector)
    except Unusable as no:
        raise Unusable(no.reason, f"{path}: {no.detail}") from None
    by_concurrency: dict[str, tuple[Variant, ...]] = {}
    for variant in found:
        stated = stated_concurrency(variant)
        if stated is not None:
            by_concurrency[stated] = (*by_concurrency.get(stated, ()), variant)
    return Picked(found, by_concurrency)
