"""From the recipe that a point names to the one merged recipe that it launches from: the variant that fits."""

from collections.abc import Mapping
from dataclasses import dataclass

from gatekit.bench.matrix.master import Master, read_master
from gatekit.bench.matrix.points import Point
from gatekit.bench.matrix.runners import Runners
from gatekit.bench.recipes.book import Book, Picked, Recipe, once, stated_concurrency
from gatekit.bench.recipes.files import (
    RecipeSource,
    block_under,
    on_block,
    read_own,
    recipe_path,
    recipes_in,
)
from gatekit.bench.recipes.variants import Variant, named
from gatekit.bench.repo.layout import Layout
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.errors import Refusal
from gatekit.domain.gates import Reason, Unusable
from gatekit.domain.text import shown
from gatekit.formats.yaml_document import Document, ReadYaml, read_yaml


@dataclass(frozen=True, slots=True)
class Parallelism:
    """How recipes write expert parallelism and data-parallel attention: arguments with a size above 1, or a switch."""

    experts: tuple[str, ...] = ()
    attention_data: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WantedVariant:
    """What of a point tells apart the variants that may serve it."""

    gpus: int
    experts: bool
    attention_data: bool
    offloading: object


def wanted(point: Point) -> WantedVariant:
    row = dict(point.shape)
    ep = row.get("ep")
    return WantedVariant(point.gpus, isinstance(ep, int) and ep > 1, bool(row.get("dp-attn")), row.get("kv-offloading"))


def fits(content: Mapping[str, object], row: WantedVariant, written: Parallelism) -> bool:
    """Whether a merged single-node recipe (`roles.agg`) serves such a row.

    Only what the recipe states counts against it: GPUs of the role, expert parallelism on or off, data-parallel
    attention on or off, and `benchmark.env.KV_OFFLOADING`.
    """
    role = _inner(content, "roles", "agg")
    args = _inner(role, "args")
    offloading = _inner(content, "benchmark", "env").get("KV_OFFLOADING")
    gpus = role.get("gpus")
    return (
        (gpus is None or gpus == row.gpus)
        and (not args or _on(args, written.experts) == row.experts)
        and (not args or _on(args, written.attention_data) == row.attention_data)
        and (offloading is None or offloading == row.offloading)
    )


def _inner(content: Mapping[str, object], *place: str) -> Mapping[str, object]:
    for step in place:
        value = content.get(step)
        content = value if isinstance(value, dict) else {}
    return content


def _on(args: Mapping[str, object], names: tuple[str, ...]) -> bool:
    return any(_is_on(args.get(name)) for name in names)


def _is_on(value: object) -> bool:
    return value if isinstance(value, bool) else isinstance(value, int) and value > 1


CONFIG, TYPED = "the config", "the command"  # where references are written


def resolve(snapshot: Snapshot, layout: Layout, typed: str, concurrency: int | None) -> Recipe:
    """The recipe of `path[:selector]` as a person typed it; what stands in a config is read by a RecipeShelf.

    Raises Unusable.
    """
    return RecipeShelf(snapshot, layout, Parallelism(), written_in=TYPED).take(typed, concurrency)


class RecipeShelf:
    """The recipes of one snapshot. Each file is read once, and refused once, however many points name it."""

    def __init__(
        self,
        snapshot: Snapshot,
        layout: Layout,
        parallelism: Parallelism,
        read: ReadYaml = read_yaml,
        written_in: str = CONFIG,
    ) -> None:
        self.parallelism = parallelism
        self._source = RecipeSource(snapshot, layout.at(snapshot), read, written_in)
        self._books: dict[str, Book | Refusal] = {}

    def take(self, reference: str, concurrency: int | None, point: Point | None = None) -> Recipe:
        """The merged recipe of `path[:selector]`.

        Where the selector leaves several variants, the one whose `benchmark.env.CONC` is the concurrency is taken;
        where several have it and `point` is given, the one that serves with the point's GPUs and parallelism. A path
        that ends with `/` is a folder: of all its recipes one variant must serve the point.
        Without a concurrency, which only a command may leave out, the selector must leave one.
        Raises Unusable.
        """
        _, colon, selector = reference.partition(":")
        path = recipe_path(reference, self._source.layout)
        if path.endswith("/"):
            return self._only_fit(path, concurrency, point)
        book = self._book(path)
        if book.plain:
            if colon:
                raise Unusable(
                    Reason.RECIPE_INVALID,
                    f"{path}: has no variants; take `:{shown(selector)}` out of {self._source.written_in}",
                )
            return book.whole()
        picked = book.pick(selector if colon else None)
        chosen = self._choose(book, picked, concurrency, point)
        if len(chosen) != 1:
            raise Unusable(Reason.RECIPE_INVALID, f"{path}: {self._undecided(chosen, picked.found, concurrency)}")
        return book.recipe(chosen[0])

    def document_of(self, path: str) -> Document | None:
        """A file that was read before, with its lines; None where it was not, or could not be."""
        book = self._books.get(path)
        return book.document if isinstance(book, Book) else None

    def _undecided(self, chosen: tuple[Variant, ...], found: tuple[Variant, ...], concurrency: int | None) -> str:
        names = named([variant.selector for variant in chosen or found])
        if concurrency is None:
            return f"has {len(found)} variants; name one of {names} behind a colon, or give --concurrency"
        which = f"{len(chosen)} variants" if chosen else "no variant"
        return (
            f"has {which} with benchmark.env.CONC {concurrency}; give one of them this value, or name one "
            f"in {self._source.written_in}, of {names}"
        )

    def _book(self, path: str) -> Book:
        return once(self._books, path, lambda: self._opened(path))

    def _opened(self, path: str) -> Book:
        """The book that an earlier plan made, where neither the file nor what lies under it has changed."""
        own = read_own(self._source, path)
        block = block_under(self._source, path, own)
        key = Book, None if block is None else self._source.snapshot.files[block]
        book = own.document.made.get(key)
        if not isinstance(book, Book):
            book = own.document.made[key] = Book(path, on_block(self._source, own, block))
        return book

    def _only_fit(self, folder: str, concurrency: int | None, point: Point | None) -> Recipe:
        """Of all variants of all recipes in a folder the one that serves the point."""
        paths = recipes_in(self._source.snapshot, folder)
        found = [recipe for path in paths for recipe in self._that_fit(path, concurrency, point)]
        if len(found) != 1:
            which = f"{len(found)} variants" if found else "no variant"
            fitting = [recipe.reference for recipe in found] or paths
            names = named([name.removeprefix(folder) for name in fitting])
            raise Unusable(
                Reason.RECIPE_INVALID,
                f"{folder}: has {which} for such a point at concurrency {concurrency} in {names}; name one in "
                f"`srt-recipe` of {self._source.written_in}",
            )
        return found[0]

    def _that_fit(self, path: str, concurrency: int | None, point: Point | None) -> list[Recipe]:
        book = self._book(path)
        at = None if concurrency is None else str(concurrency)
        found = [book.recipe(one) for one in book.variants() if stated_concurrency(one) in (None, at)]
        return [recipe for recipe in found if point is None or self._fits(recipe, point)]

    def _choose(self, book: Book, picked: Picked, concurrency: int | None, point: Point | None) -> tuple[Variant, ...]:
        if len(picked.found) == 1:
            return picked.found
        same = () if concurrency is None else picked.by_concurrency.get(str(concurrency), ())
        if len(same) < 2 or point is None:
            return same
        return tuple(variant for variant in same if self._fits(book.recipe(variant), point)) or same

    def _fits(self, recipe: Recipe, point: Point) -> bool:
        return fits(recipe.content, wanted(point), self.parallelism)


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
