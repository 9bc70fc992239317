"""The reuse key changes with everything that could change a measurement, and with nothing else."""

import json
from dataclasses import fields, replace

import pytest

from gatekit.collection import Collection, Endpoint, Sampling, Thinking, Turns
from gatekit.gates import Launch
from gatekit.reuse import Measured, key_parts, reuse_key
from tests.worlds.plans import COLLECTION, DRAFTING, LAUNCH

MEASURED = Measured("digest", LAUNCH, COLLECTION, DRAFTING, "cluster:demo")
KEY = reuse_key(key_parts(MEASURED))


def key(**changes: object) -> str:
    return reuse_key(key_parts(replace(MEASURED, **changes)))  # type: ignore[arg-type]


def launch(**changes: object) -> Launch:
    return replace(LAUNCH, **changes)  # type: ignore[arg-type]


def collection(**changes: object) -> Collection:
    return replace(COLLECTION, **changes)  # type: ignore[arg-type]


def test_the_key_is_64_hex_digits_of_named_parts_in_one_order() -> None:
    assert len(KEY) == 64
    assert set(KEY) <= set("0123456789abcdef")
    parts = key_parts(MEASURED)
    assert reuse_key(dict(reversed(list(parts.items())))) == KEY
    assert json.loads(json.dumps(parts)) == json.loads(json.dumps(dict(parts)))
    assert set(parts) == {"node", "launcher", "cluster", "image", "launch", "drafting", "collection", "prompts"}


@pytest.mark.parametrize(
    "changed",
    [
        {"node_digest": "another"},
        {"cluster": "cluster:other"},
        {"drafting": replace(DRAFTING, k=5)},
        {"drafting": replace(DRAFTING, draft_model="other.gguf")},
        {"launch": launch(image="gatekit/demo-llamacpp:2")},
        {"launch": launch(model="other.gguf")},
        {"launch": launch(args=(("ctx-size", 8192),))},
        {"launch": launch(args=(("ctx-size", "4096"),))},
        {"launch": launch(env=(("A", "1"),))},
        {"launch": launch(unset=("A",))},
        {"launch": launch(gpus=2)},
        {"collection": collection(prompts_sha256="1" * 64)},
        {"collection": collection(prompts=21)},
        {"collection": collection(concurrency=2)},
        {"collection": collection(output_len=97)},
        {"collection": collection(endpoint=Endpoint.COMPLETIONS)},
        {"collection": collection(turns=Turns.ALL)},
        {"collection": collection(thinking_marker="</think>")},
        {"collection": collection(sampling={Thinking.ON: Sampling(temperature=0.5, seed=42)})},
        {"collection": collection(sampling={Thinking.ON: Sampling(0.0, seed=42, rendered_sha256="a" * 64)})},
        {"collection": collection(sampling={Thinking.ON: Sampling(0.0, seed=42, template_kwargs={"thinking": True})})},
    ],
)
def test_what_could_change_a_measurement_changes_the_key(changed: dict[str, object]) -> None:
    assert key(**changed) != KEY


@pytest.mark.parametrize(
    "changed",
    [
        {"collection": collection(source="another run")},
        {"collection": collection(hardware="B300")},
        {"collection": collection(server={"tensor_parallel": 8})},
        {"collection": collection(sampling={**COLLECTION.sampling, Thinking.OFF: Sampling(1.0)})},
    ],
)
def test_what_is_only_recorded_does_not(changed: dict[str, object]) -> None:
    assert key(**changed) == KEY


def test_every_field_of_a_launch_is_in_the_key() -> None:
    """A field that is added to Launch must not be forgotten."""
    parts = key_parts(MEASURED)
    assert isinstance(parts["launch"], dict)
    assert {*parts["launch"], "image"} == {field.name for field in fields(Launch)}
