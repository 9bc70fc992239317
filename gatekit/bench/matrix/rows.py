"""One row of an AgentX search space: its topology, its concurrencies, its recipe."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from gatekit.domain.collection import Scalar
from gatekit.formats.fields import Fields

ROLES = ("worker", "prefill", "decode")
SIZES = ("tp", "pp", "dcp-size", "pcp-size", "ep")
WORKER_KEYS = ("num-worker", *SIZES, "dp-attn", "hardware", "additional-settings")
ROW_KEYS = (
    *SIZES,
    *("dp-attn", "spec-decoding", "kv-offloading", "kv-offload-backend", "router", "kv-p2p-transfer"),
    *("conc-list", "conc-start", "conc-end", "num-nodes", "power", "additional-settings"),
    *("srt-recipe", "eval-srt-recipe"),
    *ROLES,
)
RECIPE_SETTING = "CONFIG_FILE"
EVAL_RECIPE_SETTING = "EVAL_CONFIG_FILE"  # of evals, which a gate never runs
NODE_SETTINGS = {"prefill": "PREFILL_NODES", "decode": "DECODE_NODES"}


class SpecDecoding(StrEnum):
    """That drafting happens; how stands in the recipe."""

    MTP = "mtp"
    DRAFT_MODEL = "draft_model"
    NONE = "none"


class Offloading(StrEnum):
    NONE = "none"
    DRAM = "dram"


@dataclass(frozen=True, slots=True)
class RoleEngines:
    """The engines of one role. `role` is "" for a single-node row."""

    role: str
    count: int
    gpus: int  # of one engine
    nodes: int | None  # in all, where the row states it
    shape: tuple[tuple[str, Scalar], ...]
    settings: tuple[tuple[str, str], ...]
    recipe: str | None


def read_workers(row: Fields) -> tuple[RoleEngines, ...]:
    """The roles of a row: `tp` in the row itself, one `worker`, or `prefill` and `decode`. Raises BadInput."""
    given = [name for name in ("tp", *ROLES) if row.has(name)]
    match given:
        case ["tp"]:
            return (_worker(row, ""),)
        case ["worker"] | ["prefill", "decode"]:
            _refuse_sizes(row)
            return tuple(_worker(inner, name) for name in given if (inner := row.inner(name)) is not None)
        case _:
            raise row.bad("needs exactly one of `tp`, `worker`, or `prefill` with `decode`")


def read_concurrencies(row: Fields) -> tuple[int, ...]:
    """`conc-list`, or `conc-start` doubled up to `conc-end`, which is included. Raises BadInput."""
    listed, start, end = row.counts("conc-list"), row.count("conc-start"), row.count("conc-end")
    if (listed is not None) == (start is not None or end is not None) or (start is None) != (end is None):
        raise row.bad("needs either `conc-list` or both `conc-start` and `conc-end`")
    if start is not None and end is not None:
        if start > end:
            raise row.bad("needs a `conc-start` that is not above `conc-end`", "conc-start")
        return (*_doubled(start, end), end)
    if not listed or len(set(listed)) < len(listed):
        raise row.bad("needs at least one number in `conc-list`, each once", "conc-list")
    return listed


def read_component(fields: Fields, name: str, *, versioned: bool) -> tuple[tuple[str, Scalar], ...]:
    """Name and version of a router or a backend, for a shape; empty where it is absent. Raises BadInput."""
    component = fields.inner(name)
    if component is None:
        return ()
    component.refuse_others("name", "version")
    title = component.text("name")
    version = component.optional_text("version")
    if version is None and versioned:
        raise component.bad(f"lacks `version` of `{name}`; add it")
    if version is not None and version.startswith("image:"):
        raise component.bad("needs the component's own version, not an image, for `version`", "version")
    return ((f"{name}.name", title), (f"{name}.version", version))


@dataclass(frozen=True, slots=True)
class RowSettings:
    """`additional-settings` as pairs, and the recipes that are named among them."""

    others: tuple[tuple[str, str], ...]
    recipe: str | None
    eval_recipe: str | None


def read_settings(*places: Fields) -> RowSettings:
    """Of a row and its roles; the last one that names a recipe counts. Raises BadInput where one is not NAME=VALUE."""
    pairs = [pair for fields in places for pair in _pairs(fields)]
    named = dict(pairs)
    return RowSettings(
        tuple(pair for pair in pairs if pair[0] not in (RECIPE_SETTING, EVAL_RECIPE_SETTING)),
        named.get(RECIPE_SETTING),
        named.get(EVAL_RECIPE_SETTING),
    )


def _pairs(fields: Fields) -> Iterator[tuple[str, str]]:
    for at, text in enumerate(fields.texts("additional-settings") or ()):
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise fields.bad("needs NAME=VALUE in `additional-settings`", "additional-settings", at)
        yield name, value


def _doubled(start: int, end: int) -> Iterator[int]:
    while start < end:
        yield start
        start *= 2


def _refuse_sizes(row: Fields) -> None:
    for name in (*SIZES, "dp-attn"):
        if row.has(name):
            raise row.bad(f"has `{name}` beside its workers; move it into a worker", name)


def _worker(fields: Fields, role: str) -> RoleEngines:
    if role:
        fields.refuse_others(*WORKER_KEYS)
    fields.required("tp")
    sizes = {name: fields.count(name) or 1 for name in SIZES}
    if sizes["tp"] % sizes["dcp-size"]:
        raise fields.bad(f"needs a `tp` that `dcp-size` {sizes['dcp-size']} divides", "dcp-size")
    settings = read_settings(fields)
    count = fields.count("num-worker", least=0)
    return RoleEngines(
        role=role,
        count=1 if count is None else count,
        gpus=sizes["tp"] * sizes["pp"] * sizes["pcp-size"],
        nodes=_stated_nodes(fields, dict(settings.others).get(NODE_SETTINGS.get(role, ""))),
        shape=(
            *sizes.items(),
            ("dp-attn", fields.flag("dp-attn")),
            *((("num-worker", count), ("hardware", fields.optional_text("hardware"))) if role else ()),
        ),
        settings=settings.others,
        recipe=settings.recipe,
    )


def _stated_nodes(fields: Fields, text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdecimal() or len(text) > 4:
        raise fields.bad("needs a whole number of nodes in `additional-settings`", "additional-settings")
    return int(text)
