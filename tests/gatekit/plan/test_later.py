"""The real recipes of the later formats, every variant of them, in a tree of the later layout."""

from collections import Counter

import pytest

from gatekit.domain.gates import GatePlan, Reason
from tests.worlds.bench import later

DSPARK, EAGLE3, MTP = ("dspark", "probabilistic"), ("eagle3", None), ("mtp", None)
LLM_D = "llm-d/{}-dspark{}-agentic.yaml"

# File; method and draft sampling; K, golden AL → how many of its variants.
GATED = [
    ("single_node/dsv4--atom--mi355x-fp4-mtp--agentic.yaml", DSPARK, {(6, 3.77): 11}),
    ("single_node/kimik3--vllm--b300-fp4-mtp--agentic.yaml", DSPARK, {(7, 3.84): 4, (3, 3.00): 1}),
    ("single_node/minimaxm3--atom--mi355x-fp4-mtp--agentic.yaml", EAGLE3, {(3, 2.78): 19}),
    ("single_node/minimaxm3--trtllm--b300-fp4-mtp--agentic.yaml", EAGLE3, {(3, 2.78): 11}),
    ("single_node/qwen3.5--sglang--mi355x-fp8-mtp--agentic.yaml", MTP, {(3, 3.39): 14}),
    ("multi_node/dsv4--vllm--gb200-fp4--disagg-mtp3-variants.yaml", MTP, {(3, 2.49): 4}),
    ("multi_node/glm5.2--sglang--gb200-fp4--agg-mtp-variants.yaml", MTP, {(4, 3.33): 3}),
    ("multi_node/glm5.2--sglang--gb200-fp4--disagg-mtp-variants.yaml", MTP, {(3, 2.99): 1}),
    ("multi_node/kimik3--vllm--gb200-fp4--agg-variants.yaml", DSPARK, {(2, 2.51): 4}),
    (LLM_D.format("agg-gb200-dep8", "-mooncake"), DSPARK, {(3, 3.01): 1}),
    (LLM_D.format("agg-gb200-tp8", ""), DSPARK, {(5, 3.61): 1}),
    (LLM_D.format("disagg-gb200-1p1d-dep8-dep8", ""), DSPARK, {(3, 3.01): 1}),
]
NOT_GATED = {
    ("single_node/dsv41flash--vllm--b200-fp4-mtp--agentic.yaml", Reason.NO_COLLECTION),
    ("single_node/dsv41flash--sglang--b300-fp4-mtp--agentic.yaml", Reason.NO_COLLECTION),
    ("single_node/kimik3--vllm--b300-fp4-mtp--agentic.yaml", Reason.NOT_DRAFTING),
    ("multi_node/glm5.1--tilert--b200-fp8--disagg-1p1d-tp8-mtp.yaml", Reason.EXEMPT_FRAMEWORK),
    ("multi_node/glm5.2--trtllm--gb300-fp4--disagg-variants.yaml", Reason.EXEMPT_FRAMEWORK),
}


@pytest.fixture(scope="module")
def plan() -> GatePlan:
    return later.planned()


@pytest.mark.parametrize(("file", "drafting", "points"), GATED)
def test_what_every_variant_drafts_and_is_held_to(
    plan: GatePlan, file: str, drafting: tuple[str, str | None], points: dict[tuple[int, float], int]
) -> None:
    gates = [gate for gate in plan.gates if gate.config_key == file]
    assert {(gate.drafting.method, gate.drafting.draft_sample_method) for gate in gates} == {drafting}
    found = Counter((gate.drafting.k, gate.golden.al) for gate in gates for _ in gate.concurrencies)
    assert found == points


def test_every_other_variant_has_its_reason(plan: GatePlan) -> None:
    assert {(point.config_key, point.reason) for point in plan.unresolved} == NOT_GATED
    assert {gate.config_key for gate in plan.gates} == {file for file, *_ in GATED}


def test_what_is_left_to_the_point_and_its_cluster_is_filled_in(plan: GatePlan) -> None:
    launched = [str((gate.launch.args, gate.launch.env)) for gate in plan.gates]
    assert not [text for text in launched if "@dram." in text or "@fabric." in text]
    assert any('"host_cache_size":209625000000' in text for text in launched)
    assert any("'NCCL_IB_HCA', 'mlx5_0,mlx5_1'" in text for text in launched)


def test_overrides_that_differ_in_their_names_share_a_gate(plan: GatePlan) -> None:
    (gate,) = (gate for gate in plan.gates if "fp4--agg-mtp-variants" in gate.config_key)
    assert gate.concurrencies == (1, 2, 3)


def test_forced_acceptance_is_in_none_of_them(plan: GatePlan) -> None:
    """Adaptive verification, which two of the llm-d recipes switch on, is switched off."""
    assert {knob.knob for gate in plan.gates for knob in gate.stripped} == {"enable_adaptive_verification"}
    assert all(not gate.collection.adaptive_verification for gate in plan.gates if gate.stripped)
