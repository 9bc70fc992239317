"""The reuse key changes with everything that could change a measurement, and with nothing else."""

import json
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import pytest

from gatekit.domain.collection import Collection, Endpoint, Rendering, Sampling, Thinking, Turns
from gatekit.domain.gates import Drafting, EngineName, Gate, Golden, Launch, Starting, StrippedKnob, Tolerance
from gatekit.plan.reuse_key import differing, parts_of, reuse_key
from tests.worlds.bench.plans import COLLECTION, DRAFTING, LAUNCH, gate

ON = Thinking.ON
SAMPLING = COLLECTION.sampling[ON]
GATE = gate(starting=Starting("pyxis", ("llama-server",)))
PARTS = parts_of(GATE, "digest")
KEY = reuse_key(PARTS)

# By the field of each input: another value, or None where it cannot change a measurement.
LAUNCHED: dict[str, object] = {
    "engine": EngineName("vllm"),
    "image": "gatekit/demo-llamacpp:2",
    "model": "other.gguf",
    "args": (("ctx-size", 8192),),
    "env": (("A", "1"),),
    "unset": ("A",),
    "nodes": 2,
    "gpus": 2,
    "workers": 2,
}
DRAFTED: dict[str, object] = {
    "method": "eagle3",
    "k": 5,
    "draft_model": "other.gguf",
    "draft_sample_method": "probabilistic",
    "thinking": Thinking.OFF,
}
COLLECTED: dict[str, object] = {
    "dataset": "another",
    "split": "throughput",
    "category": "math",
    "prompts": 21,
    "prompts_sha256": "1" * 64,
    "turns": Turns.ALL,
    "endpoint": Endpoint.COMPLETIONS,
    "rendering": Rendering.CLIENT,
    "output_len": 97,
    "ignore_eos": False,
    "concurrency": 2,
    "sampling": {ON: Sampling(0.25, seed=42)},
    "thinking_marker": "</think>",
    "adaptive_verification": True,
    "engine": None,
    "hardware": None,
    "server": None,
    "source": None,
}
SAMPLED: dict[str, object] = {
    "temperature": 0.5,
    "top_p": 0.9,
    "top_k": 20,
    "presence_penalty": 0.1,
    "seed": 43,
    "template_kwargs": {"thinking": True},
    "rendered_sha256": "a" * 64,
}
STARTED: dict[str, object] = {"container": "", "command": ("nice", "llama-server")}
RECORDED: list[dict[str, Any]] = [
    {"title": "another"},
    {"config_key": "another"},
    {"framework": "dynamo-vllm"},
    {"recipe": "moved.yaml"},
    {"golden": Golden("corrected", 3.0, Tolerance(0.1, 0.1))},
    {"concurrencies": (1,)},
    {"representative": 1},
    {"stripped": (StrippedKnob("roles.agg.args.x", "x", "2.4"),)},
    {"collection": replace(COLLECTION, engine="vllm")},
    {"collection": replace(COLLECTION, source="another run")},
    {"collection": replace(COLLECTION, hardware="B300")},
    {"collection": replace(COLLECTION, server={"tensor_parallel": 8})},
    {"collection": replace(COLLECTION, sampling={ON: SAMPLING, Thinking.OFF: Sampling(1.0)})},
]
GATED: dict[str, object] = dict.fromkeys(("cluster", "starting", "launch", "drafting", "collection", "key"))
GATED |= {name: None for changed in RECORDED for name in changed}


def key(**changes: Any) -> str:
    return reuse_key(parts_of(replace(GATE, **changes), "digest"))


def inputs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every input that could change a measurement, each with another value."""
    both = replace(COLLECTION, sampling={ON: SAMPLING, Thinking.OFF: SAMPLING})
    yield "cluster", {"cluster": "cluster:other"}
    yield "starting", {"starting": None}
    for name, value in LAUNCHED.items():
        yield f"launch.{name}", {"launch": replace(LAUNCH, **{name: value})}
    for name, value in DRAFTED.items():
        yield f"drafting.{name}", {"collection": both, "drafting": replace(DRAFTING, **{name: value})}
    for name, value in COLLECTED.items():
        if value is not None:
            yield f"collection.{name}", {"collection": replace(COLLECTION, **{name: value})}
    for name, value in SAMPLED.items():
        yield f"sampling.{name}", {"collection": replace(COLLECTION, sampling={ON: replace(SAMPLING, **{name: value})})}
    assert GATE.starting is not None
    for name, value in STARTED.items():
        yield f"starting.{name}", {"starting": replace(GATE.starting, **{name: value})}


def test_the_key_is_64_hex_digits_of_named_parts_in_one_order() -> None:
    assert len(KEY) == 64
    assert set(KEY) <= set("0123456789abcdef")
    assert reuse_key(dict(reversed(list(PARTS.items())))) == KEY
    assert json.loads(json.dumps(PARTS)) == json.loads(json.dumps(dict(PARTS)))
    assert set(PARTS) == {
        "node",
        "launcher",
        "cluster",
        "start",
        "image",
        "launch",
        "drafting",
        "collection",
        "prompts",
    }


@pytest.mark.parametrize(
    ("kind", "table"),
    [
        (Launch, LAUNCHED),
        (Drafting, DRAFTED),
        (Collection, COLLECTED),
        (Sampling, SAMPLED),
        (Starting, STARTED),
        (Gate, GATED),
    ],
)
def test_every_field_has_its_row(kind: type[Any], table: dict[str, object]) -> None:
    """A field that is added must not be forgotten."""
    assert {field.name for field in fields(kind)} == table.keys()


@pytest.mark.parametrize("changed", [pytest.param(changed, id=name) for name, changed in inputs()])
def test_what_could_change_a_measurement_changes_the_key_and_is_named(changed: dict[str, Any]) -> None:
    assert key(**changed) != KEY
    assert differing(PARTS, parts_of(replace(GATE, **changed), "digest")) != ()


def test_every_two_inputs_have_different_keys() -> None:
    keys = [key(**changed) for _, changed in inputs()]
    assert len(set(keys)) == len(keys)


def test_the_node_program_is_an_input() -> None:
    assert reuse_key(parts_of(GATE, "another")) != KEY


def test_a_number_is_not_its_text_and_an_order_is_not_another() -> None:
    """An engine may read them differently; the last of two settings counts."""
    assert key(launch=replace(LAUNCH, args=(("ctx-size", "4096"),))) != KEY
    twice = [replace(LAUNCH, args=args) for args in ((("a", 1), ("a", 2)), (("a", 2), ("a", 1)))]
    assert key(launch=twice[0]) != key(launch=twice[1])


@pytest.mark.parametrize("changed", RECORDED, ids=str)
def test_what_is_only_recorded_leaves_it(changed: dict[str, Any]) -> None:
    assert replace(GATE, **changed) != GATE
    assert key(**changed) == KEY
    assert differing(PARTS, parts_of(replace(GATE, **changed), "digest")) == ()


def test_in_the_other_thinking_mode_other_sampling_counts() -> None:
    """What the gate's own mode does not use cannot matter to it."""
    off = {"drafting": replace(DRAFTING, thinking=Thinking.OFF)}
    both = {mode: Sampling(1.0) for mode in Thinking}
    changed = {**both, ON: Sampling(0.0)}
    assert key(collection=replace(COLLECTION, sampling=both), **off) == key(
        collection=replace(COLLECTION, sampling=changed), **off
    )
