"""Names of gates that people can tell apart."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from gatekit.collection import Thinking
from gatekit.gates import Gate
from gatekit.ids import short

# Arguments of a deployment → how engineers abbreviate them.
_SIZES: Mapping[str, str] = MappingProxyType(
    {
        "tensor-parallel-size": "tp",
        "pipeline-parallel-size": "pp",
        "data-parallel-size": "dp",
        "decode-context-parallel-size": "dcp",
    }
)


def title(gate: Gate, prefix: str, precision: str) -> str:
    """E.g. `dsv4 fp4 gb200-nv dynamo-vllm tp8 mtp K=3`."""
    args = dict(gate.launch.args)
    sizes = "".join(f"{short_name}{args[name]}" for name, short_name in _SIZES.items() if _above_one(args.get(name)))
    if args.get("enable-expert-parallel") is True:
        sizes += "ep"
    words = (prefix, precision, gate.cluster.removeprefix("cluster:"), gate.framework, sizes, gate.drafting.method)
    off = " thinking off" if gate.drafting.thinking is Thinking.OFF else ""
    return f"{' '.join(word for word in words if word)} K={gate.drafting.k}{off}"


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
