"""The reuse key: one digest over everything that could change a measurement.

The golden value is not part of it: a corrected curve judges an old measurement again, without a GPU.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TypeAlias

from gatekit.domain.collection import Collection, Scalar
from gatekit.domain.gates import Drafting, Gate, Launch, Starting
from gatekit.domain.ids import GateKey

LAUNCHER = "command-1"  # raise it when a launch of the same job would serve differently

_PAIRS = frozenset({"launch.args", "launch.env"})

Parts: TypeAlias = Mapping[str, object]  # JSON values


@dataclass(frozen=True, slots=True)
class KeyInputs:
    """What a measurement is made from."""

    node_digest: str  # of the node program: the measuring code
    launch: Launch
    collection: Collection
    drafting: Drafting
    cluster: str  # the runner as the master config names it
    starting: Starting | None  # None: not asked about


def key_parts(measured: KeyInputs) -> Parts:
    """The parts by name, as plain JSON values."""
    launch = asdict(measured.launch)
    return {
        "node": measured.node_digest,
        "launcher": LAUNCHER,
        "cluster": measured.cluster,
        "start": None if measured.starting is None else asdict(measured.starting),
        "image": launch.pop("image"),
        "launch": launch,
        "drafting": asdict(measured.drafting),
        "collection": _replayed(measured.collection, measured.drafting),
        "prompts": measured.collection.prompts_sha256,
    }


def parts_of(gate: Gate, node_digest: str) -> Parts:
    """The parts from which the gate's key was made, where the node program had this digest."""
    return key_parts(KeyInputs(node_digest, gate.launch, gate.collection, gate.drafting, gate.cluster, gate.starting))


def differing(old: Parts, new: Parts) -> tuple[str, ...]:
    """The dotted names of what is not the same in both, sorted, e.g. `launch.args.max-num-seqs`, `node`."""
    before, after = dict(_leaves(old)), dict(_leaves(new))
    absent = object()
    return tuple(
        name for name in sorted(before.keys() | after.keys()) if before.get(name, absent) != after.get(name, absent)
    )


def _leaves(value: object, place: str = "") -> Iterator[tuple[str, object]]:
    """Arguments and environment are pairs of name and value, and may have a name twice."""
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _leaves(inner, f"{place}.{name}" if place else str(name))
    elif place in _PAIRS and isinstance(value, Sequence):
        found: dict[str, list[object]] = {}
        for name, inner in value:
            found.setdefault(f"{place}.{name}", []).append(inner)
        yield from found.items()
    else:
        yield place, value


def reuse_key(parts: Parts) -> GateKey:
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return GateKey(hashlib.sha256(text.encode()).hexdigest())


def _replayed(collection: Collection, drafting: Drafting) -> Mapping[str, object]:
    """What a gate sends; the collecting server, its hardware and the run are only recorded, and change nothing."""
    sampling = collection.sampling[drafting.thinking]
    kwargs: Mapping[str, Scalar] | None = sampling.template_kwargs
    return {
        "dataset": collection.dataset,
        "split": collection.split,
        "category": collection.category,
        "prompts": collection.prompts,
        "turns": collection.turns,
        "endpoint": collection.endpoint,
        "rendering": collection.rendering,
        "output_len": collection.output_len,
        "ignore_eos": collection.ignore_eos,
        "concurrency": collection.concurrency,
        "thinking_marker": collection.thinking_marker,
        "adaptive_verification": collection.adaptive_verification,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,
        "presence_penalty": sampling.presence_penalty,
        "seed": sampling.seed,
        "template_kwargs": None if kwargs is None else dict(kwargs),
        "rendered_sha256": sampling.rendered_sha256,
    }
