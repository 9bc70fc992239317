"""Candidates → gates: one for each deployment and drafting configuration, under a name that people can tell apart."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gatekit.cluster.policy import Cluster
from gatekit.domain.collection import Thinking
from gatekit.domain.errors import Refusal
from gatekit.domain.gates import Drafting, Gate, Golden, Launch, Starting
from gatekit.domain.ids import GateKey, short
from gatekit.engines.engine import Engine
from gatekit.engines.registry import ENGINES, Registry
from gatekit.plan.candidate import Candidate
from gatekit.plan.reuse_key import parts_of, reuse_key
from gatekit.serving.deployment import Deployment

OFFLOADS = "kv-offload-backend.name"


def title(gate: Gate, deployment: Deployment, engine: Engine) -> str:
    """E.g. `dsv4 fp4 gb200-nv dynamo-vllm 2p1d dp8ep mooncake mtp K=3`: two prefill engines and one that decodes."""
    args = dict(gate.launch.args)
    sizes = "".join(
        short_name if args[name] is True else f"{short_name}{args[name]}"
        for short_name, names in engine.sizes.items()
        for name in names
        if _is_on(args.get(name))
    )
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


def _is_on(value: object) -> bool:
    return value is True or (isinstance(value, int) and value > 1)


_MORE: tuple[Callable[[Gate], str], ...] = (
    lambda gate: gate.config_key,
    _recipe_name,
    _concurrencies,
    lambda gate: short(gate.key),
)


@dataclass(frozen=True, slots=True)
class GateGround:
    """What gates are measured on: the node program's digest, and the clusters by runner (None: not asked about)."""

    node_digest: str
    clusters: Mapping[str, Cluster] | None
    engines: Registry = ENGINES

    def starting(self, launch: Launch, runner: str) -> Starting | None:
        cluster = None if self.clusters is None else self.clusters.get(runner)
        return None if cluster is None else Starting(cluster.container, cluster.engines.get(launch.engine, ()))


def gates_of(candidates: Iterable[Candidate], ground: GateGround) -> tuple[Gate, ...]:
    """The gates in the order of their first points. No two have one reuse key: those become one gate.

    Raises Refusal where that one would be held against two goldens.
    """
    groups: dict[tuple[Deployment, Drafting, Golden], list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault((candidate.deployment, candidate.drafting, candidate.golden), []).append(candidate)
    merged: dict[GateKey, Gate] = {}
    for group in groups.values():
        gate = _gate(group, ground)
        same = merged.get(gate.key)
        merged[gate.key] = gate if same is None else _both(same, gate)
    gates = tuple(merged.values())
    return tuple(replace(gate, title=text) for gate, text in zip(gates, distinct(gates), strict=True))


def representative(group: Sequence[Candidate]) -> Candidate:
    """The largest concurrency; of equal ones the first in file order.

    Its server has the widest limits of the group, so it is the one that can hold the collection's own client
    concurrency if any of them can, and the choice does not move when smaller points are added.
    """
    return max(group, key=lambda candidate: candidate.point.concurrency)


def _gate(group: Sequence[Candidate], ground: GateGround) -> Gate:
    chosen = representative(group)
    point = chosen.point
    gate = Gate(
        key=GateKey(""),
        title="",
        config_key=point.config_key,
        framework=point.framework,
        cluster=point.runner,
        recipe=chosen.recipe,
        drafting=chosen.drafting,
        golden=chosen.golden,
        collection=chosen.collection,
        launch=chosen.launch,
        concurrencies=tuple(sorted(candidate.point.concurrency for candidate in group)),
        representative=point.concurrency,
        stripped=chosen.stripped,
        starting=ground.starting(chosen.launch, point.runner),
    )
    key = reuse_key(parts_of(gate, ground.node_digest))
    return replace(gate, key=key, title=title(gate, chosen.deployment, ground.engines.by_name[gate.launch.engine]))


def _both(first: Gate, second: Gate) -> Gate:
    """One launch that answers for the points of both; the first gives its name. Raises Refusal."""
    if replace(first.golden, curve="") != replace(second.golden, curve=""):
        raise Refusal(
            f"{first.config_key} and {second.config_key} start one and the same server, and would hold it against two "
            f"goldens, of {first.golden.curve} and of {second.golden.curve}: correct the `model-prefix` of one of them."
        )
    return replace(first, concurrencies=tuple(sorted((*first.concurrencies, *second.concurrencies))))
