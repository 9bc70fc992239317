"""Which of several variants serves a single-node point: same GPUs, same parallelism, same place of the KV cache."""

from collections.abc import Mapping

from gatekit.points import Point

# How each engine writes expert and data parallelism: a size above 1, or a flag.
EXPERTS = ("expert-parallel-size", "ep-size", "moe_expert_parallel_size", "enable-expert-parallel")
ATTENTION_DATA = ("enable-dp-attention", "enable_attention_dp", "data-parallel-size")


def fits(content: Mapping[str, object], point: Point) -> bool:
    """Whether a merged single-node recipe (`roles.agg`) serves the row of this point.

    Only what the recipe states counts against it: GPUs of the role, expert parallelism on or off, data-parallel
    attention on or off, and `benchmark.env.KV_OFFLOADING`.
    """
    row = dict(point.shape)
    role = _inner(content, "roles", "agg")
    args = _inner(role, "args")
    offloading = _inner(content, "benchmark", "env").get("KV_OFFLOADING")
    gpus = role.get("gpus")
    ep = row.get("ep")
    return (
        (gpus is None or gpus == point.gpus)
        and (not args or _on(args, EXPERTS) == (isinstance(ep, int) and ep > 1))
        and (not args or _on(args, ATTENTION_DATA) == bool(row.get("dp-attn")))
        and (offloading is None or offloading == row.get("kv-offloading"))
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
