"""Real recipes of every engine, planned: which golden AL each is held against, or why it has no gate."""

import json
from dataclasses import replace

import pytest

from bot.files import own_curves
from gatekit.bench.recipes.roles import Role, engine_named, generating, roles
from gatekit.bench.recipes.variants import is_bundle, variants
from gatekit.cluster.policy import Policy, breaches
from gatekit.domain.errors import BadInput
from gatekit.domain.gates import EngineName, GatePlan, Reason
from gatekit.engines.engine import Engine
from gatekit.engines.registry import ENGINES
from gatekit.formats.yaml_document import read_yaml
from gatekit.plan.plan import plan_keys
from gatekit.serving.launch import serve
from gatekit.serving.strip import strip
from tests.shared import shared_snapshot
from tests.worlds.bench import plans
from tests.worlds.bench.small_bench import bench, config, row, sources

TRTLLM = ENGINES.by_name[EngineName("trtllm")]
NEW = ("sglang", "trtllm", "atom")


def planned(file: str, framework: str, prefix: str, selectors: list[str]) -> GatePlan:
    """One real later recipe, one point for each selector, with the curves that the project keeps."""
    text = shared_snapshot("data/inferencex-later").files[file].decode()
    rows = [row(f"[{n}]", f"'recipes/r.yaml{':' if named else ''}{named}'") for n, named in enumerate(selectors, 1)]
    made = sources(bench(config(*rows, framework=framework, prefix=prefix), {"r.yaml": text}))
    return plan_keys(replace(made, curves=own_curves()), None, None, "node")


# What a planner reads of each later recipe: framework, prefix, selectors; method, draft sampling; K and golden AL.
KIMI = "single_node/kimik3--vllm--b300-fp4-mtp--agentic.yaml"
TRT_DISAGG = "multi_node/glm5.2--trtllm--gb300-fp4--disagg-variants.yaml"
SINGLE, MULTI, LLMD = "single_node/{}--agentic.yaml", "multi_node/{}-variants.yaml", "llm-d/{}-agentic.yaml"
DSPARK, EAGLE3, MTP = ("dspark", "probabilistic"), ("eagle3", None), ("mtp", None)
LATER = [
    (SINGLE.format("dsv4--atom--mi355x-fp4-mtp"), "atom dsv4 override_tp8_c1", DSPARK, [(6, 3.77)]),
    (KIMI, "vllm kimik3 override_c1 override_c16", DSPARK, [(7, 3.84), (3, 3.00)]),
    (SINGLE.format("minimaxm3--atom--mi355x-fp4-mtp"), "atom minimaxm3 override_tp4_c1", EAGLE3, [(3, 2.78)]),
    (SINGLE.format("minimaxm3--trtllm--b300-fp4-mtp"), "trt minimaxm3 override_tp4_c5", EAGLE3, [(3, 2.78)]),
    (SINGLE.format("qwen3.5--sglang--mi355x-fp8-mtp"), "sglang qwen3.5 override_tp4_c1", MTP, [(3, 3.39)]),
    (MULTI.format("dsv4--vllm--gb200-fp4--disagg-mtp3"), "dynamo-vllm dsv4 override_1p1d_c128", MTP, [(3, 2.49)]),
    (
        MULTI.format("glm5.2--sglang--gb200-fp4--agg-mtp"),
        "dynamo-sglang glm5.2 override_c2 override_c4 override_c8",
        MTP,
        [(4, 3.33)],  # they differ in their names: one gate for three concurrencies
    ),
    (
        MULTI.format("glm5.2--sglang--gb200-fp4--disagg-mtp"),
        "dynamo-sglang glm5.2 zip_override_mtp_agentx_frontier[0]",
        MTP,
        [(3, 2.99)],
    ),
    (MULTI.format("kimik3--vllm--gb200-fp4--agg"), "dynamo-vllm kimik3 override_dep16", DSPARK, [(2, 2.51)]),
    (LLMD.format("agg-gb200-dep8-dspark-mooncake"), "llmd-vllm dsv4", DSPARK, [(3, 3.01)]),
    (LLMD.format("agg-gb200-tp8-dspark"), "llmd-vllm dsv4", DSPARK, [(5, 3.61)]),
    (LLMD.format("disagg-gb200-1p1d-dep8-dep8-dspark"), "llmd-vllm dsv4", DSPARK, [(3, 3.01)]),
]


@pytest.mark.parametrize(("file", "point", "drafting", "golden"), LATER)
def test_later_recipes_that_get_a_gate(
    file: str, point: str, drafting: tuple[str, str | None], golden: list[tuple[int, float]]
) -> None:
    framework, prefix, *selectors = point.split()
    made = planned(file, framework, prefix, selectors or [""])
    assert made.unresolved == ()
    assert [(gate.drafting.k, gate.golden.al) for gate in made.gates] == golden
    assert {(gate.drafting.method, gate.drafting.draft_sample_method) for gate in made.gates} == {drafting}
    assert sum(len(gate.concurrencies) for gate in made.gates) == max(len(selectors), 1)


@pytest.mark.parametrize(
    ("file", "point", "reason"),
    [
        (SINGLE.format("dsv41flash--vllm--b200-fp4-mtp"), "vllm dsv41flash zip_override_tp4[0]", Reason.NO_COLLECTION),
        (SINGLE.format("dsv41flash--sglang--b300-fp4-mtp"), "sglang dsv41flash override_tp4_c1", Reason.NO_COLLECTION),
        (KIMI, "vllm kimik3 override_c24", Reason.NOT_DRAFTING),
        ("multi_node/glm5.1--tilert--b200-fp8--disagg-1p1d-tp8-mtp.yaml", "tilert glm5.1", Reason.EXEMPT_FRAMEWORK),
        (TRT_DISAGG, "dynamo-trt glm5.2 base", Reason.EXEMPT_FRAMEWORK),
    ],
)
def test_later_recipes_that_get_none(file: str, point: str, reason: Reason) -> None:
    framework, prefix, *selectors = point.split()
    made = planned(file, framework, prefix, selectors or [""])
    assert (made.gates, [each.reason for each in made.unresolved]) == ((), [reason])


def real_roles(folder: str) -> list[tuple[str, Engine, Role]]:
    """The generation role of every variant of every real recipe of these three engines."""
    found = []
    for path, data in shared_snapshot(folder).files.items():
        if not path.endswith(".yaml") or not ("agentic" in path or folder.endswith("later")):
            continue
        try:
            content = read_yaml(path, data).data
        except BadInput:
            continue
        if not isinstance(content, dict) or not {"base", "roles", "backend"} & content.keys():
            continue
        merged = [each.content() for each in variants(content, None)] if is_bundle(content) else [content]
        for each in merged:
            engine = ENGINES.by_framework.get(engine_named(each) or "")
            if engine is not None and engine.name in NEW:
                found.append((path, engine, generating(roles(strip(each).content))))
    return found


@pytest.mark.parametrize(("folder", "least"), [("data/inferencex-later", 50), ("data/inferencex", 40)])
def test_the_policy_lets_real_recipes_through(folder: str, least: int) -> None:
    found = real_roles(folder)
    assert len(found) > least
    anything = Policy(("",), ("",))
    for path, engine, one in found:
        served = serve(one, {one.name: one}, engine)
        launch = replace(plans.gate().launch, engine=engine.name, model="m/m", args=served.args, env=served.env)
        assert breaches(anything, launch, one) == (), path
        assert json.loads(dict(engine.files(launch)).get("llm_api_options.yaml", "{}")) or engine is not TRTLLM


def test_k_is_read_after_merging() -> None:
    """Five in the base, and three in two of the overrides."""
    content = read_yaml(TRT_DISAGG, shared_snapshot("data/inferencex-later").files[TRT_DISAGG]).data
    assert isinstance(content, dict)
    read = [TRTLLM.speculation(generating(roles(each.content()))) for each in variants(content, None)]
    assert sorted(found.k for found in read if found is not None).count(3) == 2
    assert {found.k for found in read if found is not None} == {3, 5}
