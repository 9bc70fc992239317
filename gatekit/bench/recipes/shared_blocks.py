"""What all recipes of a lane share: in later trees it lies in a file of its own, under each fragment."""

from collections.abc import Mapping

from gatekit.bench.recipes.recipe_variants import BASE, Content, is_bundle, merge
from gatekit.bench.repo.layout import Layout

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
