"""One recipe file of a snapshot, read."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gatekit.bench.matrix.points import MULTI_NODE_RECIPES
from gatekit.bench.recipes.variants import OVERRIDE, ZIP, Content, block_of, lay_on, stands_alone
from gatekit.bench.repo.layout import Layout
from gatekit.bench.repo.snapshot import Snapshot, in_the_way
from gatekit.domain.errors import BadInput
from gatekit.domain.gates import Reason, Unusable
from gatekit.domain.text import folders, is_inside, shown
from gatekit.formats.yaml_document import Document, ReadYaml
from gatekit.formats.yaml_reader import Repeat, YamlLimits

RECIPE_LIMITS = YamlLimits(bytes=1024 * 1024, nodes=20_000, repeats=True)
MOST_REPEATS = 20
MOST_IN_FOLDER = 100

_ENDINGS = (".yaml", ".yml")

# What drafting is told by, in any engine's spelling.
_DRAFTS = re.compile(r"spec|draft|nextn|mtp|eagle|decoding_type")


@dataclass(frozen=True, slots=True)
class RecipeFile:
    """`repeats`: one sentence for each setting that stands twice; launchers take the last one, and so does this."""

    content: Content
    repeats: tuple[str, ...]
    document: Document  # the file itself, with its lines


@dataclass(frozen=True, slots=True)
class RecipeSource:
    """Where recipes are read from. `written_in`: where their paths were written, for messages."""

    snapshot: Snapshot
    layout: Layout  # as the snapshot has it
    read: ReadYaml
    written_in: str


def recipe_path(reference: str, layout: Layout) -> str:
    """Where the file of `path[:selector]` lies, from the repository's root; a folder has `/` at its end.

    `recipes/…` stands for the layout's recipe folder; any other path is taken from the layout's root. Raises Unusable
    for a path that leads out of the repository.
    """
    written = reference.partition(":")[0]
    if not is_inside(written.removesuffix("/")) or not written.isprintable():
        raise Unusable(
            Reason.RECIPE_INVALID,
            f"{written!r} is no path inside the repository; write it without `..` or a leading `/`",
        )
    first, _, rest = written.partition("/")
    return f"{layout.recipes}/{rest}" if first == MULTI_NODE_RECIPES and rest else layout.under(written)


def read_own(source: RecipeSource, path: str) -> RecipeFile:
    """The recipe as its file has it. Raises Unusable, as all that reads recipes does: missing, invalid, or a script."""
    data = _data(source.snapshot, path, source.written_in)
    if path.endswith(".sh") or data.startswith(b"#!"):
        raise Unusable(
            Reason.RECIPE_UNREADABLE, f"{path}: is a script, from which drafting cannot be read; name a recipe in YAML"
        )
    try:
        document = source.read(path, data, RECIPE_LIMITS)
    except BadInput as error:
        raise Unusable(Reason.RECIPE_INVALID, str(error)) from None
    if not isinstance(document.data, dict):
        raise Unusable(Reason.RECIPE_INVALID, f"{path}: needs a mapping at the top level")
    return RecipeFile(document.data, _said(path, document.repeats), document)


def block_under(source: RecipeSource, path: str, own: RecipeFile) -> str | None:
    """The file of what the recipe's lane shares; None: it lies on nothing."""
    block = block_of(path, source.layout)
    return None if block not in source.snapshot.files or stands_alone(own.content) else block


def on_block(source: RecipeSource, own: RecipeFile, block: str | None) -> RecipeFile:
    """The recipe laid on what its lane shares. Raises Unusable where that cannot be read."""
    if block is None:
        return own
    shared = read_own(source, block)
    return RecipeFile(lay_on(shared.content, own.content), own.repeats + shared.repeats, own.document)


def recipes_in(snapshot: Snapshot, folder: str) -> tuple[str, ...]:
    """The recipes of a folder, `folder/` included, by name. Raises Unusable where there is none, or too many."""
    found = sorted(
        path
        for path in snapshot.files
        if path.startswith(folder) and path.endswith(_ENDINGS) and "/" not in path[len(folder) :]
    )
    if not found:
        raise Unusable(
            Reason.RECIPE_MISSING, f"{folder}: holds no recipe; add one, or correct `srt-recipe-dir` in the config"
        )
    if len(found) > MOST_IN_FOLDER:
        raise Unusable(
            Reason.RECIPE_INVALID,
            f"{folder}: holds {len(found)} recipes, more than {MOST_IN_FOLDER}; name one in `srt-recipe`",
        )
    return tuple(found)


def _data(snapshot: Snapshot, path: str, written_in: str) -> bytes:
    for place in (*folders(path), path):
        if place in snapshot.links:
            raise Unusable(Reason.RECIPE_INVALID, f"{path}: {place} is a link; put the file itself there")
        if place in snapshot.gitlinks:
            raise Unusable(
                Reason.RECIPE_MISSING,
                f"{path}: {place} is a submodule, which is not read; put the recipe into the repository",
            )
    data = snapshot.files.get(path)
    if data is None:
        if (problem := in_the_way(snapshot, path)) is not None:
            raise Unusable(Reason.RECIPE_MISSING, f"{path}: {problem}")
        raise Unusable(Reason.RECIPE_MISSING, f"{path}: no such file; add it, or correct the path in {written_in}")
    return data


def _said(path: str, repeats: Iterable[Repeat]) -> tuple[str, ...]:
    """Raises Unusable where a setting that says how the recipe drafts stands there with two values."""
    found = []
    for each in repeats:
        twice = f"{path}:{each.line}: has `{shown(each.place)}` twice"
        if not each.alike and _drafts(each.place):
            raise Unusable(
                Reason.RECIPE_INVALID, f"{twice}, with two values, and it says how the recipe drafts; keep one of them"
            )
        found.append(f"{twice}, {'with the same value' if each.alike else 'and the last one counts'}; keep one of them")
    if len(found) > MOST_REPEATS:
        raise Unusable(
            Reason.RECIPE_INVALID,
            f"{path}: has {len(found)} settings twice, more than {MOST_REPEATS}; keep one of each",
        )
    return tuple(found)


def _drafts(place: str) -> bool:
    """Variants are often called after a method, which says nothing."""
    block, _, inside = place.partition(".")
    return _DRAFTS.search((inside if block.startswith((OVERRIDE, ZIP)) else place).casefold()) is not None
