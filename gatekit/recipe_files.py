"""One recipe file of a snapshot, read."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gatekit.absent import in_the_way
from gatekit.documents import Limits, ReadYaml, Repeat
from gatekit.paths import folders
from gatekit.recipe_variants import OVERRIDE, ZIP, Content, RecipeInvalid
from gatekit.refusal import BadInput, Refusal
from gatekit.shown import shown
from gatekit.snapshot import Snapshot

RECIPE_LIMITS = Limits(bytes=1024 * 1024, nodes=20_000, repeats=True)
MOST_REPEATS = 20

# What drafting is told by, in any engine's spelling.
_DRAFTS = re.compile(r"spec|draft|nextn|mtp|eagle|decoding_type")


class RecipeMissing(Refusal):
    """The snapshot has no such file."""


class RecipeUnreadable(Refusal):
    """The file is a program, such as a shell script: what it would launch cannot be read from it."""


@dataclass(frozen=True, slots=True)
class RecipeFile:
    """`repeats`: one sentence for each setting that stands twice; launchers take the last one, and so does this."""

    content: Content
    repeats: tuple[str, ...]


def read_recipe(snapshot: Snapshot, path: str, read: ReadYaml, written_in: str) -> RecipeFile:
    """`written_in`: where the path was written, for messages.

    Raises RecipeMissing, RecipeUnreadable, RecipeInvalid.
    """
    data = _data(snapshot, path, written_in)
    if path.endswith(".sh") or data.startswith(b"#!"):
        raise RecipeUnreadable(f"{path}: is a script, from which drafting cannot be read; name a recipe in YAML")
    try:
        document = read(path, data, RECIPE_LIMITS)
    except BadInput as error:
        raise RecipeInvalid(str(error)) from None
    if not isinstance(document.data, dict):
        raise RecipeInvalid(f"{path}: needs a mapping at the top level")
    return RecipeFile(document.data, _said(path, document.repeats))


def _data(snapshot: Snapshot, path: str, written_in: str) -> bytes:
    for place in (*folders(path), path):
        if place in snapshot.links:
            raise RecipeInvalid(f"{path}: {place} is a link; put the file itself there")
        if place in snapshot.gitlinks:
            raise RecipeMissing(
                f"{path}: {place} is a submodule, which is not read; put the recipe into the repository"
            )
    data = snapshot.files.get(path)
    if data is None:
        if (problem := in_the_way(snapshot, path)) is not None:
            raise RecipeMissing(f"{path}: {problem}")
        raise RecipeMissing(f"{path}: no such file; add it, or correct the path in {written_in}")
    return data


def _said(path: str, repeats: Iterable[Repeat]) -> tuple[str, ...]:
    """Raises RecipeInvalid where a setting that says how the recipe drafts stands there with two values."""
    found = []
    for each in repeats:
        twice = f"{path}:{each.line}: has `{shown(each.place)}` twice"
        if not each.alike and _drafts(each.place):
            raise RecipeInvalid(f"{twice}, with two values, and it says how the recipe drafts; keep one of them")
        found.append(f"{twice}, {'with the same value' if each.alike else 'and the last one counts'}; keep one of them")
    if len(found) > MOST_REPEATS:
        raise RecipeInvalid(f"{path}: has {len(found)} settings twice, more than {MOST_REPEATS}; keep one of each")
    return tuple(found)


def _drafts(place: str) -> bool:
    """Variants are often called after a method, which says nothing."""
    block, _, inside = place.partition(".")
    return _DRAFTS.search((inside if block.startswith((OVERRIDE, ZIP)) else place).casefold()) is not None
