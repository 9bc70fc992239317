"""Which of several variants serves a single-node point: same GPUs, same parallelism, same place of the KV cache."""

from collections.abc import Mapping
from dataclasses import dataclass

from gatekit.bench.matrix.points import Point

# How each engine writes expert and data parallelism: a size above 1, or a flag.
EXPERTS = ("expert-parallel-size", "ep-size", "moe_expert_parallel_size", "enable-expert-parallel")
ATTENTION_DATA = ("enable-dp-attention", "enable_attention_dp", "data-parallel-size")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of a point tells apart the variants that may serve it."""

    gpus: int
    experts: bool
    attention_data: bool
    offloading: object


def wanted(point: Point) -> Wanted:
    row = dict(point.shape)
    ep = row.get("ep")
    return Wanted(point.gpus, isinstance(ep, int) and ep > 1, bool(row.get("dp-attn")), row.get("kv-offloading"))


def fits(content: Mapping[str, object], row: Wanted) -> bool:
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
        and (not args or _on(args, EXPERTS) == row.experts)
        and (not args or _on(args, ATTENTION_DATA) == row.attention_data)
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
