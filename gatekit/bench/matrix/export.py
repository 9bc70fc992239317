"""AgentX rows with the fields, and in the order, of the benchmark repository's own matrix generator."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from gatekit.bench.matrix.master import AGENTIC, Master
from gatekit.bench.matrix.points import MULTI_NODE_RECIPES, RECIPE_FOLDER, RecipeKey, Row, row_points, row_recipe
from gatekit.bench.matrix.rows import SIZES, Offloading, RoleEngines, SpecDecoding, read_concurrencies, read_workers
from gatekit.bench.matrix.runners import lacking, read_dram
from gatekit.formats.fields import Fields
from gatekit.formats.yaml_reader import Key

Printed: TypeAlias = dict[str, object]

SECONDS = 3600  # of one replay
RECIPES_IN_FULL = "benchmarks/multi_node/srt-slurm-recipes"  # as the generator writes `recipes/` of a config's folder
_WITHIN_ENGINES = ("pp", "dcp-size", "pcp-size")


def matrix_rows(master: Master) -> Iterator[Printed]:
    """One row for each point, speculative or not, in file order.

    Where the runners file has a record for each cluster, rows of several nodes also say how many. Raises BadInput.
    """
    for row in master.rows():
        points = row_points(row)
        nodes = points[0].nodes if master.runners.clusters else None
        yield from (_printed(row, concurrency, nodes) for concurrency in read_concurrencies(row.fields))


def _printed(row: Row, concurrency: int, nodes: int | None) -> Printed:
    entry, fields = row.entry, row.fields
    workers = read_workers(fields)
    several = workers[0].role != ""
    head = {name: entry.text(name) for name in ("image", "model", "model-prefix", "precision", "framework", "runner")}
    shape = _roles(fields, concurrency) if several else _sizes(fields, concurrency)
    kind = fields.choice("kv-offloading", Offloading, Offloading.NONE)
    backend = fields.inner("kv-offload-backend")
    components = {
        name: value
        for name in ("router", "kv-p2p-transfer")
        if (value := fields.value(name) or entry.value(name)) is not None
    }
    return {
        **head,
        **shape,
        **_recipes(row),
        "kv-offloading": kind.value,
        "total-cpu-dram-gb": _gb(row, workers),
        "duration": SECONDS,
        "exp-name": _name(row, concurrency, shape),
        **({"disagg": entry.flag("disagg")} if several else {}),
        "scenario-type": AGENTIC,
        **({} if backend is None else {"kv-offload-backend": dict(backend.data)}),
        **components,
        **({"node-count": nodes} if several and nodes is not None else {}),
    }


def _sizes(row: Fields, concurrency: int) -> Printed:
    """Of a single-node row."""
    return {
        **{name: row.count(name) or 1 for name in SIZES},
        "dp-attn": row.flag("dp-attn"),
        "spec-decoding": row.choice("spec-decoding", SpecDecoding, SpecDecoding.NONE).value,
        "conc": concurrency,
    }


def _roles(row: Fields, concurrency: int) -> Printed:
    """Prefill and decode as written; one aggregate worker prefills, beside a decode role of no engines."""
    worker = row.inner("worker")
    if worker is None:
        prefill, decode = (_worker(inner.data if (inner := row.inner(name)) else {}) for name in ("prefill", "decode"))
    else:
        prefill = {"num-worker": 1, **_worker(worker.data)}
        alike = {name: v for name, v in prefill.items() if name not in ("num-worker", "additional-settings")}
        decode = {"num-worker": 0, **alike}
    return {
        "spec-decoding": row.choice("spec-decoding", SpecDecoding, SpecDecoding.NONE).value,
        "prefill": prefill,
        "decode": decode,
        "conc": [concurrency],
    }


def _worker(written: Mapping[Key, object]) -> Printed:
    """A role as it is written, behind it the sizes that it leaves out."""
    return {**{str(name): value for name, value in written.items()}, **{n: written.get(n, 1) for n in _WITHIN_ENGINES}}


def _recipes(row: Row) -> Printed:
    found = {key.value: row_recipe(row.entry, row.fields, key) for key in RecipeKey}
    whole = row.entry.has(RECIPE_FOLDER)
    return {key: _in_full(named) if whole else named for key, named in found.items() if named is not None}


def _in_full(recipe: str) -> str:
    first, _, rest = recipe.partition("/")
    return f"{RECIPES_IN_FULL}/{rest}" if first == MULTI_NODE_RECIPES else recipe


def _gb(row: Row, workers: Sequence[RoleEngines]) -> int:
    if row.fields.value("kv-offloading") != Offloading.DRAM:
        return 0
    found = read_dram(row.fields, workers, row.utilization, row.node)
    if found is None:
        what, runner = lacking(row.node), row.entry.text("runner")
        raise row.fields.bad(f"offloads to dram, and the runners file says no {what} of {runner}; add it there")
    return found.gb


def _name(row: Row, concurrency: int, shape: Printed) -> str:
    fields, prefix = row.fields, row.entry.text("model-prefix")
    kind, backend = fields.choice("kv-offloading", Offloading, Offloading.NONE), fields.inner("kv-offload-backend")
    offload = f"kv{kind.value}" if backend is None else f"kv{kind.value}-{backend.text('name')}"
    if "prefill" in shape:
        tags = f"{_tag('p', shape['prefill'])}_{_tag('d', shape['decode'])}"
        return f"{prefix}_{tags}_conc{concurrency}" + ("" if kind is Offloading.NONE else f"_{offload}")
    drafts = shape["spec-decoding"]
    spec = "" if drafts == SpecDecoding.NONE else f"_spec-{drafts}"
    return f"{prefix}_tp{shape['tp']}_conc{concurrency}_{offload}{spec}"


def _tag(letter: str, role: object) -> str:
    """E.g. p2x8ep8dpa: two engines of tp 8."""
    sizes = role if isinstance(role, dict) else {}
    ep = sizes.get("ep", 1)
    experts = "" if ep == 1 else f"ep{ep}"
    return f"{letter}{sizes.get('num-worker')}x{sizes.get('tp')}{experts}{'dpa' if sizes.get('dp-attn') else ''}"
