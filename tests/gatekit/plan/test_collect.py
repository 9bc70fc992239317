"""From a recipe to what is launched for each K of a new curve."""

from dataclasses import replace

import pytest

from bot.demo import sample_pr
from gatekit.bench.recipes.roles import json_mapping
from gatekit.cluster.policy import Cluster, Policy
from gatekit.domain.collection import Thinking
from gatekit.domain.errors import BadInput
from gatekit.domain.gates import Gate, Reason, Unusable
from gatekit.goldens.curve import Curve
from gatekit.goldens.lookup import parse_curve
from gatekit.plan.collect import gate_of, numbers_of_tokens, sitting
from tests.worlds.bench.small_bench import CURVE, text

GLOW = parse_curve("goldens/glow_mtp.yaml", text(CURVE))
RECIPES = "benchmarks/single_node/srt-slurm-recipes/llamacpp/tiny"
VLLM = """\
schema: 2
engine: vllm
model: {path: hf:example/glow, container: example/vllm:1}
roles:
  agg:
    nodes: 1
    args:
      tensor-parallel-size: 8
      speculative_config:
        {method: mtp, num_speculative_tokens: 3, synthetic_acceptance_length: 2.5, enable_adaptive_verification: true}
"""
CLUSTER = Cluster(
    name="here",
    serves=("cluster:here",),
    policy=Policy(images=("example/", "gatekit-demo/llamacpp:"), models=("example/", "gatekit-demo/")),
    engines={"llamacpp": ("llama-server",), "vllm": ("vllm", "serve")},
    aiperf=("aiperf",),
    prompts="prompts.jsonl",
    tokenizer=None,
    container="",
    start_minutes=1,
    replay_minutes=5,
)


def gate(recipe: str, k: int, *, curve: Curve = GLOW, selector: str = "", cluster: Cluster = CLUSTER) -> Gate:
    reference = f"recipe.yaml:{selector}" if selector else "recipe.yaml"
    return gate_of(sitting(curve, reference, recipe.encode(), Thinking.ON, cluster), k, "digest")


def demo(name: str) -> str:
    return ({**sample_pr.base(), **sample_pr.proposal().first.edits}[f"{RECIPES}/{name}.yaml"]).decode()


@pytest.mark.parametrize(
    ("words", "ks"),
    [
        ("4", (4,)),
        ("1-8", (1, 2, 3, 4, 5, 6, 7, 8)),
        ("1,3,5", (1, 3, 5)),
        ("5, 1-2,2", (1, 2, 5)),
        ("64", (64,)),
    ],
)
def test_the_numbers_of_tokens(words: str, ks: tuple[int, ...]) -> None:
    assert numbers_of_tokens(words) == ks


@pytest.mark.parametrize("words", ["", "0", "8-1", "1-", "-1", "1..3", "65", "four", "1,,2", "1e3", "٣"])
def test_what_is_no_number_of_tokens_is_refused(words: str) -> None:
    with pytest.raises(BadInput, match="--k"):
        numbers_of_tokens(words)


@pytest.mark.parametrize("k", [1, 5])
def test_k_and_nothing_else_changes_in_a_llamacpp_launch(k: int) -> None:
    found = gate(demo("draft"), k)
    args = dict(found.launch.args)
    assert (args.pop("draft-max"), found.drafting.k) == (k, k)
    assert args == {"ctx-size": 8192, "parallel": 1, "model-draft": "gatekit-demo/draft-near.gguf"}  # CONC as collected
    assert (found.launch.image, found.launch.model) == ("gatekit-demo/llamacpp:1", "gatekit-demo/target.gguf")
    assert found.collection == GLOW.collection


def test_a_recipe_that_states_k_by_an_older_name_keeps_the_name() -> None:
    args = dict(gate(demo("lean").replace("draft-max", "spec_draft_n_max"), 2).launch.args)
    assert (args["spec-draft-n-max"], "draft-max" in args) == (2, False)


@pytest.mark.parametrize("adaptive", [False, True])
def test_k_of_vllm_stands_in_its_speculative_config_and_adaptive_verification_is_the_collections(
    adaptive: bool,
) -> None:
    assert GLOW.collection is not None
    curve = replace(GLOW, collection=replace(GLOW.collection, adaptive_verification=adaptive))
    found = gate(VLLM, 7, curve=curve)
    config = json_mapping(dict(found.launch.args)["speculative-config"])
    assert config == {"method": "mtp", "num_speculative_tokens": 7, "enable_adaptive_verification": adaptive}
    assert dict(found.launch.args)["tensor-parallel-size"] == 8


def test_forced_acceptance_is_stripped() -> None:
    found = gate(demo("third"), 4)
    assert [knob.knob for knob in found.stripped] == ["spec-synth-len"]
    assert "synth" not in str(found.launch)


def test_each_k_is_a_job_of_its_own() -> None:
    assert len({gate(demo("lean"), k).key for k in (1, 2, 3)}) == 3


@pytest.mark.parametrize(
    ("recipe", "reason", "said"),
    [
        (VLLM.replace("example/vllm", "stranger/vllm"), Reason.POLICY, "image: stranger/vllm:1"),
        (VLLM.replace("hf:example", "hf:stranger"), Reason.POLICY, "model: stranger/glow"),
        (VLLM.replace("tensor-parallel-size", "api-key"), Reason.POLICY, "roles.agg.args.api-key"),
        (VLLM.replace("nodes: 1", "nodes: 2"), Reason.NO_CLUSTER, "2 nodes"),
        (VLLM.replace("  agg:", "  decode:\n    nodes: 1\n  prefill:"), Reason.NOT_DRAFTING, "drafts nothing"),
        (VLLM.replace("speculative_config", "other"), Reason.NOT_DRAFTING, "drafts nothing"),
        (VLLM.replace("engine: vllm", "engine: lmdeploy"), Reason.RECIPE_UNREADABLE, "lmdeploy is not supported yet"),
        (VLLM.replace("engine: vllm", "engine: tilert"), Reason.EXEMPT_FRAMEWORK, "exempt"),
        (VLLM.replace("engine: vllm\n", ""), Reason.RECIPE_INVALID, "names no engine"),
        (VLLM.replace(", container: example/vllm:1", ""), Reason.RECIPE_INVALID, "model.container is missing"),
        (VLLM.replace("path: hf:example/glow, ", ""), Reason.RECIPE_INVALID, "model.path is missing"),
    ],
)
def test_what_the_cluster_may_not_or_cannot_serve_is_refused(recipe: str, reason: Reason, said: str) -> None:
    with pytest.raises(Unusable) as no:
        gate(recipe, 4)
    assert (no.value.reason, said in no.value.detail) == (reason, True), no.value.detail


def test_a_cluster_that_does_not_start_the_engine_is_refused() -> None:
    with pytest.raises(Unusable, match="does not say how to start vllm"):
        gate(VLLM, 4, cluster=replace(CLUSTER, engines={"llamacpp": ("llama-server",)}))


def test_the_variant_is_the_selected_one_else_the_collections_concurrency() -> None:
    assert dict(gate(demo("draft"), 4, selector="zip_override_conc[2]").launch.args)["parallel"] == 4
    with pytest.raises(Unusable, match="override_c1"):
        gate(demo("self"), 4)


def test_settings_that_nobody_stated_are_refused() -> None:
    with pytest.raises(BadInput, match="no collection block"):
        gate(VLLM, 4, curve=replace(GLOW, collection=None))
    assert GLOW.collection is not None
    off = {mode: each for mode, each in GLOW.collection.sampling.items() if mode is Thinking.OFF}
    with pytest.raises(BadInput, match="thinking on"):
        gate(VLLM, 4, curve=replace(GLOW, collection=replace(GLOW.collection, sampling=off)))
