"""Names of gates that people can tell apart."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from gatekit.domain.collection import Thinking
from gatekit.domain.gates import Gate
from gatekit.domain.ids import short
from gatekit.serving.deployment import Deployment

# How engineers abbreviate the arguments of a deployment ← how engines write them.
_SIZES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "tp": ("tensor-parallel-size", "tp-size"),
        "pp": ("pipeline-parallel-size", "pp-size"),
        "dp": ("data-parallel-size", "dp-size"),
        "dcp": ("decode-context-parallel-size", "dcp-size"),
        "ep": ("expert-parallel-size", "ep-size", "moe-expert-parallel-size"),
    }
)
OFFLOADS = "kv-offload-backend.name"


def title(gate: Gate, deployment: Deployment) -> str:
    """E.g. `dsv4 fp4 gb200-nv dynamo-vllm 2p1d dp8ep mooncake mtp K=3`: two prefill engines and one that decodes."""
    args = dict(gate.launch.args)
    sizes = "".join(
        f"{short_name}{args[name]}"
        for short_name, names in _SIZES.items()
        for name in names
        if _above_one(args.get(name))
    )
    if args.get("enable-expert-parallel") is True:
        sizes += "ep"
    words = (
        *(deployment.model_prefix, deployment.precision, gate.cluster.removeprefix("cluster:"), gate.framework),
        *(_engines(deployment), sizes, _offloads(deployment), gate.drafting.method),
    )
    off = " thinking off" if gate.drafting.thinking is Thinking.OFF else ""
    return f"{' '.join(word for word in words if word)} K={gate.drafting.k}{off}"


def _engines(deployment: Deployment) -> str:
    """How many engines of each role, e.g. 2p1d or 3x; "" for one alone."""
    counts = {name: 1 if workers is None else workers for name, _, workers, *_ in deployment.roles}
    if len(counts) > 1:
        return "".join(f"{counts[name]}{name[0]}" for name in ("prefill", "agg", "decode") if name in counts)
    return "".join(f"{count}x" for count in counts.values() if count > 1)


def _offloads(deployment: Deployment) -> str:
    return str(dict(deployment.shape).get(OFFLOADS, ""))


def distinct(gates: Sequence[Gate]) -> tuple[str, ...]:
    """The titles; where two are alike, with what tells them apart: config key, recipe, concurrencies, short key."""
    titles = [gate.title for gate in gates]
    for more in _MORE:
        seen: dict[str, set[str]] = {}
        for text, gate in zip(titles, gates, strict=True):
            seen.setdefault(text, set()).add(more(gate))
        titles = [
            f"{text} · {more(gate)}" if len(seen[text]) > 1 else text for text, gate in zip(titles, gates, strict=True)
        ]
    return tuple(titles)


def _recipe_name(gate: Gate) -> str:
    return gate.recipe.rsplit("/", 1)[-1].replace(".yaml", "")


def _concurrencies(gate: Gate) -> str:
    low, high = min(gate.concurrencies), max(gate.concurrencies)
    return f"conc {low}" if low == high else f"conc {low}–{high}"


def _above_one(value: object) -> bool:
    return isinstance(value, int) and value > 1


_MORE: tuple[Callable[[Gate], str], ...] = (
    lambda gate: gate.config_key,
    _recipe_name,
    _concurrencies,
    lambda gate: short(gate.key),
)
