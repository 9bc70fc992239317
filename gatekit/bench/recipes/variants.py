"""The variants of one recipe file, by the rules of srt-slurm's override files, and the block that lies under all."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from gatekit.bench.repo.layout import Layout
from gatekit.domain.gates import Reason, Unusable
from gatekit.domain.text import shown

Content: TypeAlias = dict[str, object]

BASE = "base"
OVERRIDE = "override_"
ZIP = "zip_override_"
BESIDE_BASE = ("schema",)  # every variant inherits it
MOST_VARIANTS = 200
LONGEST_KEY = 200
ZIP_STEP = re.compile(rf"(?P<block>{ZIP}.+)\[(?P<step>[0-9]{{1,6}})\]")


@dataclass(frozen=True, slots=True)
class Variant:
    """One variant, not merged yet: `over` laid on `base`; step `step` of a zip, where it is one."""

    selector: str
    base: Content
    over: Content
    step: int | None = None

    def content(self) -> Content:
        """The merged recipe. It shares values with the file's content: never change it."""
        if self.step is None:
            return merge(self.base, self.over)
        return _without_nulls(merge(self.base, _at(self.over, self.step)))

    def part(self, key: str) -> object:
        """What the merged recipe has under one of its top keys; None: nothing."""
        base, over = ({key: side[key]} if key in side else {} for side in (self.base, self.over))
        return Variant(self.selector, base, over, self.step).content().get(key)


def is_bundle(content: Mapping[str, object]) -> bool:
    """Whether a recipe file holds variants and not one plain recipe."""
    return any(key == BASE or str(key).startswith((OVERRIDE, ZIP)) for key in content)


def variants(bundle: Content, selector: str | None) -> tuple[Variant, ...]:
    """What a selector picks: `base`, `override_<name>`, `zip_override_<name>[<step>]`, a whole zip, or None for all.

    All: the overrides by name, then the zips by name, without the base; the base alone where there is nothing else.
    A zip without a step picks all of its steps. Raises Unusable without the path.
    """
    for key in bundle:
        if key != BASE and key not in BESIDE_BASE and not str(key).startswith((OVERRIDE, ZIP)):
            raise Unusable(Reason.RECIPE_INVALID, f"has `{shown(key)}` beside `base`; move it into `base`")
        if len(str(key)) > LONGEST_KEY:
            raise Unusable(
                Reason.RECIPE_INVALID,
                f"has the variant `{shown(key)}`; give it a name of at most {LONGEST_KEY} characters",
            )
    base = {key: bundle[key] for key in BESIDE_BASE if key in bundle} | _block(bundle, BASE)
    blocks = _blocks(bundle)
    step = ZIP_STEP.fullmatch(selector or "")
    name = step["block"] if step else selector
    if name == BASE or (name is None and not blocks):
        return (Variant(BASE, base, {}),)
    found = [variant for key in blocks if name in (None, key) for variant in _of_block(base, key, _block(bundle, key))]
    if step:
        found = [variant for variant in found if variant.selector == selector]
    if not found:
        raise Unusable(
            Reason.RECIPE_INVALID, f"has no variant `{shown(selector)}`; name one of {named([BASE, *blocks])}"
        )
    if len(found) > MOST_VARIANTS:
        raise Unusable(Reason.RECIPE_INVALID, f"makes {len(found)} variants, more than {MOST_VARIANTS}; split the file")
    return tuple(found)


def merge(under: Mapping[str, object], over: Mapping[str, object]) -> Content:
    """`over` laid on `under`: mappings recurse, lists and scalars replace, null takes the key out."""
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, dict) and isinstance(below, dict):
            merged[key] = merge(below, value)
        else:
            merged[key] = value
    return merged


def named(selectors: list[str], most: int = 8) -> str:
    """A list of selectors for a sentence."""
    rest = f" and {len(selectors) - most} more" if len(selectors) > most else ""
    return ", ".join(f"`{shown(selector)}`" for selector in selectors[:most]) + rest if selectors else "none"


def _blocks(bundle: Content) -> list[str]:
    overrides = sorted(str(key) for key in bundle if str(key).startswith(OVERRIDE))
    return overrides + sorted(str(key) for key in bundle if str(key).startswith(ZIP))


def _block(bundle: Content, key: str) -> Content:
    block = bundle.get(key)
    if not isinstance(block, dict):
        raise Unusable(Reason.RECIPE_INVALID, f"needs a mapping under `{shown(key)}`; add it")
    return block


def _of_block(base: Content, key: str, block: Content) -> list[Variant]:
    if key.startswith(OVERRIDE):
        return [Variant(key, base, block)]
    return [Variant(f"{key}[{step}]", base, block, step) for step in range(_steps(key, block))]


def _steps(key: str, block: Content) -> int:
    """How many variants a zip makes: its lists have one length, lists of one value aside."""
    lists = dict(_lists(block, ()))
    empty = [place for place, length in lists.items() if length == 0]
    if not lists or empty:
        where = f" at `{shown(empty[0])}`" if empty else ""
        raise Unusable(
            Reason.RECIPE_INVALID,
            f"needs lists that are not empty in `{shown(key)}`{where}; fill them or use `override_…`",
        )
    zipped = {place: length for place, length in lists.items() if length != 1}
    if len(set(zipped.values())) > 1:
        ends = sorted(zipped, key=zipped.__getitem__)
        unlike = " and ".join(f"{zipped[place]} in `{shown(place)}`" for place in (ends[0], ends[-1]))
        raise Unusable(
            Reason.RECIPE_INVALID,
            f"has lists of different length in `{shown(key)}`: {unlike}; make them the same length, or one value long",
        )
    return next(iter(zipped.values()), 1)


def _lists(block: Mapping[str, object], place: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    for key, value in block.items():
        here = (*place, str(key))
        if isinstance(value, list):
            yield ".".join(here), len(value)
        elif isinstance(value, dict):
            yield from _lists(value, here)


def _at(block: Mapping[str, object], step: int) -> Content:
    """One step of a zip. A list inside a list is a value and stays a list."""
    taken: Content = {}
    for key, value in block.items():
        if isinstance(value, list):
            taken[key] = value[step if len(value) > 1 else 0]
        else:
            taken[key] = _at(value, step) if isinstance(value, dict) else value
    return taken


def _without_nulls(content: Mapping[str, object]) -> Content:
    return {
        key: _without_nulls(value) if isinstance(value, dict) else value
        for key, value in content.items()
        if value is not None
    }


FOLDER = "configs/srt-recipes"  # below the layout's root
SINGLE, MULTI = "agentic-single.yaml", "agentic-multi.yaml"
NAMES = frozenset({SINGLE, MULTI})

_SINGLE_NODE = "benchmarks/single_node"


def block_of(path: str, layout: Layout) -> str:
    """Where the block of a recipe's lane is, if there is one. `layout` as the snapshot has it."""
    lane = SINGLE if path.startswith(f"{layout.under(_SINGLE_NODE)}/") else MULTI
    return layout.under(f"{FOLDER}/{lane}")


def lay_on(shared: Mapping[str, object], fragment: Content) -> Content:
    """The fragment laid on its lane's block; of a file with variants, its base."""
    if not is_bundle(fragment):
        return merge(shared, fragment)
    base = fragment.get(BASE)
    return {**fragment, BASE: merge(shared, base)} if isinstance(base, dict) else fragment


def stands_alone(content: Mapping[str, object]) -> bool:
    """An llm-d recipe is no fragment: it is the whole configuration of its router."""
    return "apiVersion" in content
