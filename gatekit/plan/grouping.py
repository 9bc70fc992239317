"""Candidates → gates: one for each deployment and drafting configuration."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gatekit.cluster.policy import Cluster
from gatekit.domain.gates import Drafting, Gate, Golden, Launch, Starting
from gatekit.domain.ids import GateKey
from gatekit.domain.refusal import Refusal
from gatekit.plan.candidate import Candidate
from gatekit.plan.reuse_key import parts_of, reuse_key
from gatekit.plan.titles import distinct, title
from gatekit.serving.deployment import Deployment


@dataclass(frozen=True, slots=True)
class Ground:
    """What gates are measured on: the node program's digest, and the clusters by runner (None: not asked about)."""

    node_digest: str
    clusters: Mapping[str, Cluster] | None

    def starting(self, launch: Launch, runner: str) -> Starting | None:
        cluster = None if self.clusters is None else self.clusters.get(runner)
        return None if cluster is None else Starting(cluster.container, cluster.engines.get(launch.engine, ()))


def gates_of(candidates: Iterable[Candidate], ground: Ground) -> tuple[Gate, ...]:
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


def _gate(group: Sequence[Candidate], ground: Ground) -> Gate:
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
    return replace(gate, key=key, title=title(gate, chosen.deployment))


def _both(first: Gate, second: Gate) -> Gate:
    """One launch that answers for the points of both; the first gives its name. Raises Refusal."""
    if replace(first.golden, curve="") != replace(second.golden, curve=""):
        raise Refusal(
            f"{first.config_key} and {second.config_key} start one and the same server, and would hold it against two "
            f"goldens, of {first.golden.curve} and of {second.golden.curve}: correct the `model-prefix` of one of them."
        )
    return replace(first, concurrencies=tuple(sorted((*first.concurrencies, *second.concurrencies))))
