"""AgentX points: what one row of a search space asks for, concurrency by concurrency."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from gatekit.bench.matrix.rows import (
    ROW_KEYS,
    Offloading,
    RoleEngines,
    SpecDecoding,
    read_component,
    read_concurrencies,
    read_workers,
)
from gatekit.bench.matrix.runners import Dram, Node, read_dram
from gatekit.domain.collection import Scalar
from gatekit.formats.fields import Fields

# Where `srt-recipe` looks below `srt-recipe-dir`; the multi-node folder is what "recipes/" stands for.
SINGLE_NODE_RECIPES = "benchmarks/single_node/srt-slurm-recipes"
MULTI_NODE_RECIPES = "recipes"
RECIPE_FOLDER = "srt-recipe-dir"


class RecipeKey(StrEnum):
    """Where a row names a recipe."""

    SERVED = "srt-recipe"
    EVALS = "eval-srt-recipe"  # which a gate never runs


@dataclass(frozen=True, slots=True)
class Point:
    """One row of an AgentX search space at one concurrency."""

    config_key: str
    framework: str
    concurrency: int
    image: str
    model: str
    model_prefix: str
    precision: str
    runner: str
    speculative: bool
    recipe: str | None  # path[:selector] as written, or folder/; None: a shell script serves the point
    settings: tuple[tuple[str, str], ...]  # additional-settings of all roles, without those that name a recipe
    nodes: int  # at least: an engine takes one node where the size of the cluster's nodes is not known
    gpus: int
    shape: tuple[tuple[str, Scalar], ...]  # all else of the row that decides how the server is built; no concurrency
    dram: Dram | None = None  # None: it offloads nothing, or the runners file does not say what there is
    fabric: Mapping[str, str] | None = field(default=None, compare=False)  # of its runner; None: not stated


@dataclass(frozen=True, slots=True)
class Row:
    """One row of an AgentX search space, and what stands around it."""

    key: str
    entry: Fields
    fields: Fields
    utilization: float | None  # of the hosts' memory
    node: Node  # of its runner


def row_points(of: Row) -> tuple[Point, ...]:
    """The points of one row, in the order of its concurrencies. Raises BadInput for a row or an entry that is wrong."""
    key, entry, row = of.key, of.entry, of.fields
    row.refuse_others(*ROW_KEYS)
    workers = read_workers(row)
    multinode = _multinode(entry, row, workers)
    drafting = row.choice("spec-decoding", SpecDecoding, SpecDecoding.NONE)
    shape: tuple[tuple[str, Scalar], ...] = (
        ("multinode", multinode),
        ("disagg", entry.flag("disagg")),
        ("spec-decoding", drafting),
        *(
            (f"{worker.role}.{name}" if worker.role else name, value)
            for worker in workers
            for name, value in worker.shape
        ),
        *_offloading(row, multinode),
        *_component(entry, row, "router"),
        ("kv-p2p-transfer", _transfer(entry, row, multinode)),
        ("num-nodes", row.count("num-nodes")),
    )
    recipe = _recipe(entry, row, workers)
    settings = tuple(pair for worker in workers for pair in worker.settings)
    first, *others = read_concurrencies(row)
    point = Point(
        config_key=key,
        framework=entry.text("framework"),
        concurrency=first,
        image=entry.text("image"),
        model=entry.text("model"),
        model_prefix=entry.text("model-prefix"),
        precision=entry.text("precision"),
        runner=entry.text("runner"),
        speculative=drafting is not SpecDecoding.NONE,
        recipe=recipe,
        settings=settings,
        nodes=node_count(row, workers, of.node),
        gpus=sum(worker.count * worker.gpus for worker in workers),
        shape=shape,
        dram=read_dram(row, workers, of.utilization, of.node),
        fabric=of.node.fabric,
    )
    return (point, *(replace(point, concurrency=concurrency) for concurrency in others))


def _multinode(entry: Fields, row: Fields, workers: Sequence[RoleEngines]) -> bool:
    """Whether the entry is multi-node, as its row must be."""
    multinode = entry.flag("multinode")
    if multinode and workers[0].role == "":
        raise row.bad("needs `worker`, or `prefill` with `decode`, under a multi-node config")
    if not multinode and (workers[0].role or row.has("num-nodes")):
        raise row.bad("needs `tp` and no workers under a single-node config")
    if entry.flag("disagg") and len(workers) < 2:
        raise row.bad("needs `prefill` with `decode` under `disagg: true`")
    return multinode


def _offloading(row: Fields, multinode: bool) -> tuple[tuple[str, Scalar], ...]:
    if not multinode:
        row.required("kv-offloading")
    kind = row.choice("kv-offloading", Offloading, Offloading.NONE)
    if (kind is Offloading.DRAM) != row.has("kv-offload-backend"):
        raise row.bad("needs `kv-offload-backend` exactly when `kv-offloading` is dram")
    return (("kv-offloading", kind), *read_component(row, "kv-offload-backend", versioned=False))


def _component(entry: Fields, row: Fields, name: str) -> tuple[tuple[str, Scalar], ...]:
    _refuse_both(entry, row, name)
    return read_component(row if row.has(name) else entry, name, versioned=True)


def _transfer(entry: Fields, row: Fields, multinode: bool) -> str | None:
    name = "kv-p2p-transfer"
    _refuse_both(entry, row, name)
    transfer = row.optional_text(name) or entry.optional_text(name)
    if transfer is None and entry.flag("disagg"):
        raise row.bad(f"lacks `{name}`, which `disagg: true` needs; add it to the config or to each row")
    if transfer is not None and not multinode:
        raise row.bad(f"has `{name}` under a single-node config; take it out")
    return transfer


def _refuse_both(entry: Fields, row: Fields, name: str) -> None:
    if entry.has(name) and row.has(name):
        raise row.bad(f"has `{name}`, as has its config; keep one of them", name)


def _recipe(entry: Fields, row: Fields, workers: Sequence[RoleEngines]) -> str | None:
    """The one recipe that the row names: in `srt-recipe`, or as CONFIG_FILE in the settings of a role.

    With `srt-recipe-dir` alone, the folder, with `/` at its end.
    """
    named = {worker.recipe for worker in workers if worker.recipe is not None}
    recipe, folder = row_recipe(entry, row, RecipeKey.SERVED), entry.optional_text(RECIPE_FOLDER)
    if recipe is None and folder is not None and not named:
        recipe = _in_folder(entry, folder, "")
    if recipe is not None:
        named.add(recipe)
    if len(named) > 1:
        raise row.bad(f"names more than one recipe ({', '.join(sorted(named))}); keep one of them")
    return next(iter(named), None)


def row_recipe(entry: Fields, row: Fields, key: RecipeKey) -> str | None:
    """path[:selector] of the recipe that a row names under a key of its own, in its config's `srt-recipe-dir`."""
    written, folder = row.optional_text(key), entry.optional_text(RECIPE_FOLDER)
    return written if written is None or folder is None else _in_folder(entry, folder, written)


def _in_folder(entry: Fields, folder: str, written: str) -> str:
    return f"{MULTI_NODE_RECIPES if entry.flag('multinode') else SINGLE_NODE_RECIPES}/{folder}/{written}"


def node_count(row: Fields, workers: Sequence[RoleEngines], node: Node) -> int:
    """What the row states, else what its roles take: engines larger than a node take whole nodes, smaller ones share.

    Where the size of the runner's nodes is not known, an engine takes one.
    """
    return row.count("num-nodes") or sum(_nodes(worker, node.gpus) for worker in workers)


def _nodes(worker: RoleEngines, gpus_on_node: int | None) -> int:
    if worker.nodes is not None:
        return worker.nodes
    if gpus_on_node is None or worker.role == "":
        return worker.count
    if worker.gpus >= gpus_on_node:
        return worker.count * -(-worker.gpus // gpus_on_node)
    return -(-worker.count * worker.gpus // gpus_on_node)
