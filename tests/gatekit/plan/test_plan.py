"""The gate plan: one gate for each deployment and drafting configuration, and a reason for every other point."""

from dataclasses import replace

import pytest

from bot.files import own_curves
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.cluster.policy import Cluster, Policy
from gatekit.domain.collection import Thinking
from gatekit.domain.errors import BadInput, Refusal
from gatekit.domain.gates import Drafting, GatePlan, Reason, Tolerance
from gatekit.goldens.curve import Curve
from gatekit.plan.plan import plan, plan_keys
from tests.shared import shared_snapshot
from tests.worlds.bench.small_bench import (
    CLUSTER,
    CLUSTERS,
    CURVE,
    KEY,
    bench,
    config,
    curves,
    entry,
    recipe,
    row,
    sources,
)

SYNTHETIC = '"rejection_sample_method":"synthetic","synthetic_acceptance_length":2.49,'


def all_of(head: Snapshot, settings: str = "", more: dict[str, Curve] | None = None) -> GatePlan:
    made = sources(head, settings=settings)
    return plan_keys(replace(made, curves={**made.curves, **(more or {})}), None, None, "node")


def only_reason(head: Snapshot, settings: str = "") -> tuple[Reason, str]:
    """Why the points of a repository without a single gate have none."""
    made = all_of(head, settings)
    assert made.gates == ()
    assert made.points == len(made.unresolved) > 0
    return made.unresolved[0].reason, made.unresolved[0].detail


def test_points_that_share_a_deployment_share_one_gate() -> None:
    """Two concurrencies with their own batch limits cost one run, launched with the wider limits."""
    recipes = {"a.yaml": recipe(4), "b.yaml": recipe(16)}
    made = all_of(bench(config(row("[4]", "recipes/a.yaml"), row("[16]", "recipes/b.yaml")), recipes))
    (gate,) = made.gates
    assert (made.points, made.unresolved, made.warnings) == (2, (), ())
    assert (gate.concurrencies, gate.representative) == ((4, 16), 16)
    assert dict(gate.launch.args)["max-num-seqs"] == 16
    assert gate.recipe == "benchmarks/multi_node/srt-slurm-recipes/b.yaml"
    assert gate.drafting == Drafting("mtp", 3, None, None, Thinking.ON)
    assert (gate.golden.curve, gate.golden.al, gate.golden.tolerance) == ("glow_mtp", 2.60, Tolerance(0.05, 0.05))
    assert gate.title == "glow fp8 h100 vllm tp8 mtp K=3"


@pytest.mark.parametrize(
    ("old", "new", "gates"),
    [
        ("max-num-seqs: 8", "max-num-seqs: 64", 1),
        ("name: glow-8", "name: glow-again", 1),
        ("max-num-seqs: 8", "max-num-seqs: 8\n      compilation-config: {cudagraph_capture_sizes: [4]}", 1),
        ("tensor-parallel-size: 8", "tensor-parallel-size: 4", 2),
        ("tensor-parallel-size: 8", "tensor-parallel-size: 8\n      kv-cache-dtype: fp8", 2),
        ("tensor-parallel-size: 8", "tensor-parallel-size: 8\n      pipeline-parallel-size: 1", 1),
        ("tensor-parallel-size: 8", "tensor-parallel-size: 8\n      enable-expert-parallel: false", 1),
        ("tensor-parallel-size: 8", "tensor-parallel-size: 8\n      enable-expert-parallel: true", 2),
        ('"num_speculative_tokens":3', '"num_speculative_tokens":2', 2),
        ('"num_speculative_tokens":3', f'{SYNTHETIC}"num_speculative_tokens":3', 1),
        ('"num_speculative_tokens":3', '"num_speculative_tokens":3,"rejection_sample_method":"block"', 2),
        ('{"method":"mtp","num_speculative_tokens":3}', '{"num_speculative_tokens":3,"method":"mtp"}', 1),
        ("workers: 1", "workers: 2", 2),
    ],
)
def test_what_belongs_to_a_deployment(old: str, new: str, gates: int) -> None:
    recipes = {"a.yaml": recipe(), "b.yaml": recipe().replace(old, new)}
    assert recipes["a.yaml"] != recipes["b.yaml"]
    made = all_of(bench(config(row("[4]", "recipes/a.yaml"), row("[8]", "recipes/b.yaml")), recipes))
    assert (len(made.gates), made.unresolved) == (gates, ())
    assert len({gate.key for gate in made.gates}) == len({gate.title for gate in made.gates}) == gates


def test_config_keys_that_launch_the_same_share_one_gate() -> None:
    twice = config(row("[4, 8]")) + config(row("[8, 16]"), key="glow-again")
    (gate,) = all_of(bench(twice)).gates
    assert gate.concurrencies == (4, 8, 8, 16)
    assert gate.config_key == KEY


def test_rows_that_do_not_draft_are_no_points() -> None:
    made = all_of(bench(config(row("[1]", spec="none"), row("[4]"))))
    assert made.points == 1


def test_forced_acceptance_is_taken_out_and_listed() -> None:
    forced = recipe().replace('"num_speculative_tokens":3', f'{SYNTHETIC}"num_speculative_tokens":3')
    forced = forced.replace("env:", "env:\n      SGLANG_SIMULATE_ACC_LEN: '3'")
    made = all_of(bench(recipes={"glow.yaml": forced}))
    (gate,) = made.gates
    assert [knob.path for knob in gate.stripped] == [
        "roles.agg.args.speculative-config.rejection_sample_method",
        "roles.agg.args.speculative-config.synthetic_acceptance_length",
        "roles.agg.env.SGLANG_SIMULATE_ACC_LEN",
    ]
    assert dict(gate.launch.args)["speculative-config"] == '{"method":"mtp","num_speculative_tokens":3}'
    assert gate.launch.env == (("VLLM_USE_V2_MODEL_RUNNER", "1"),)
    assert "SGLANG_SIMULATE_ACC_LEN" in gate.launch.unset
    assert {warning.detail for warning in made.warnings} == {
        "the recipe forces 2.49, golden AL for K=3 is 2.6",
        "the recipe forces 3, golden AL for K=3 is 2.6",
    }


def test_adaptive_verification_is_switched_off_and_listed() -> None:
    adaptive = recipe().replace(
        '"num_speculative_tokens":3', '"num_speculative_tokens":3,"enable_adaptive_verification":true'
    )
    (gate,) = all_of(bench(recipes={"glow.yaml": adaptive})).gates
    assert '"enable_adaptive_verification":false' in str(dict(gate.launch.args)["speculative-config"])
    assert [knob.knob for knob in gate.stripped] == ["enable_adaptive_verification"]


def test_only_the_generation_role_counts() -> None:
    two = recipe().replace("  agg:", "  decode:") + (
        "  prefill: {nodes: 1, workers: 1, gpus: 8, args: "
        "{tensor-parallel-size: 8, speculative-config: {method: mtp, num_speculative_tokens: 1}}}\n"
    )
    (gate,) = all_of(bench(recipes={"glow.yaml": two})).gates
    assert gate.drafting.k == 3


def test_a_point_that_starts_from_a_script_takes_the_recipe_that_the_settings_name() -> None:
    head = bench(config(row(named="")))
    reason, detail = only_reason(head)
    assert (reason, "layout.scripts" in detail) == (Reason.RECIPE_UNREADABLE, True)
    assert len(all_of(head, "layout: {scripts: {'glow-*': recipes/glow.yaml}}").gates) == 1


@pytest.mark.parametrize(
    ("configs", "text", "reason", "said"),
    [
        (config(framework="dynamo-trt"), recipe(), Reason.EXEMPT_FRAMEWORK, "exempt"),
        (config(framework="tilert"), recipe(), Reason.EXEMPT_FRAMEWORK, "exempt"),
        (config(framework="lmdeploy"), recipe(), Reason.RECIPE_UNREADABLE, "lmdeploy is not supported yet"),
        (config(row(named="recipes/gone.yaml")), recipe(), Reason.RECIPE_MISSING, "gone.yaml"),
        (config(row(named="recipes/glow.yaml:override_x")), recipe(), Reason.RECIPE_INVALID, "no variants"),
        (config(), "- a list", Reason.RECIPE_INVALID, "mapping"),
        (config(), "#!/bin/bash\n", Reason.RECIPE_UNREADABLE, "script"),
        (config(), recipe().replace("engine: vllm", "engine: sglang"), Reason.RECIPE_INVALID, "one of sglang"),
        (config(), recipe().replace("_tokens\":3", "_tokens\":0"), Reason.NOT_DRAFTING, "drafts nothing"),
        (config(), recipe().replace("_tokens\":3", "_tokens\":4"), Reason.NO_K, "K=1, 2, 3"),
        (config(prefix="glimmer"), recipe(), Reason.NO_CURVE, "glimmer_mtp"),
        (config(), recipe() + "benchmark: {env: {THINKING_MODE: maybe}}\n", Reason.NO_THINKING_MODE, "maybe"),
    ],
)  # fmt: skip
def test_every_other_point_has_its_reason(configs: str, text: str, reason: Reason, said: str) -> None:
    found, detail = only_reason(bench(configs, {"glow.yaml": text}))
    assert found is reason
    assert said in detail


def test_the_thinking_mode_is_the_rows_then_the_recipes_then_the_repositorys() -> None:
    off = recipe() + "benchmark: {env: {THINKING_MODE: off}}\n"
    (gate,) = all_of(bench(recipes={"glow.yaml": off})).gates
    assert (gate.drafting.thinking, gate.golden.al) == (Thinking.OFF, 2.90)
    assert gate.title.endswith("thinking off")
    (gate,) = all_of(bench(), "thinking: 'off'").gates
    assert gate.drafting.thinking is Thinking.OFF
    assert only_reason(bench(), "thinking: null")[0] is Reason.NO_THINKING_MODE


def test_a_curve_without_collection_gives_no_gate() -> None:
    bare = CURVE[: CURVE.index("    collection:")] + "    collection: null\n" + CURVE[CURVE.index("    curves:") :]
    made = all_of(bench(), more=dict(curves(bare)))
    assert [(point.concurrency, point.reason) for point in made.unresolved] == [
        (4, Reason.NO_COLLECTION),
        (8, Reason.NO_COLLECTION),
    ]


@pytest.mark.parametrize(
    ("clusters", "text", "reason", "said"),
    [
        ({}, recipe(), Reason.NO_CLUSTER, "no cluster serves cluster:h100"),
        ({"cluster:h100": replace(CLUSTER, engines={})}, recipe(), Reason.NO_CLUSTER, "how to start vllm"),
        (CLUSTERS, recipe().replace("workers: 1", "workers: 2"), Reason.NO_CLUSTER, "2 workers"),
        (CLUSTERS, recipe().replace("'1'", "'@fabric.nccl-ib-hca'"), Reason.NO_CLUSTER, "@fabric.nccl-ib-hca"),
        (CLUSTERS, recipe().replace("  agg:", "  prefill: {}\n  decode:"), Reason.NO_CLUSTER, "decode and prefill"),
        (CLUSTERS, recipe().replace("args:", "args:\n      middleware: x"), Reason.POLICY, "roles.agg.args.middleware"),
        (
            {"cluster:h100": replace(CLUSTER, policy=Policy(("lmsysorg/",), ("other/",)))},
            recipe(),
            Reason.POLICY,
            "vllm/vllm-openai:v0.21.0",
        ),
    ],
)
def test_what_no_cluster_may_or_can_run(clusters: dict[str, Cluster], text: str, reason: Reason, said: str) -> None:
    made = plan_keys(sources(bench(recipes={"glow.yaml": text})), None, clusters, "node")
    assert made.gates == ()
    assert {point.reason for point in made.unresolved} == {reason}
    assert said in made.unresolved[0].detail


def test_a_cluster_that_serves_the_runner_gets_the_gate() -> None:
    assert len(plan_keys(sources(bench()), None, CLUSTERS, "node").gates) == 1


def test_a_pull_request_is_planned_by_the_entries_that_it_adds() -> None:
    twice = config(row("[4]")) + config(row("[64]"), key="other-key")
    base = bench(config(row("[4]")))
    head = bench(twice.replace("[4]", "[4, 8]"), changelog=entry())
    made = plan(sources(head, base), None, "node")
    assert [gate.config_key for gate in made.gates] == [KEY]
    assert made.points == 2
    assert made.uncovered == ("other-key",)
    assert plan(sources(base, base), None, "node").points == 0


def test_a_changed_recipe_without_an_entry_is_uncovered_and_a_renamed_file_elsewhere_is_not() -> None:
    base, changed = bench(), bench(recipes={"glow.yaml": recipe(9)})
    assert plan(sources(changed, base), None, "node").uncovered == (KEY,)
    assert plan(sources(bench(recipes={"glow.yaml": recipe(), "b.yaml": recipe()}), base), None, "n").uncovered == ()
    assert plan(sources(bench(recipes={"glow.yaml": f"# say\n{recipe()}"}), base), None, "n").uncovered == ()


FIXED = "    fixed-seq-len:\n    - {isl: 1024, osl: 1024, search-space: [{tp: 8, conc-list: [4]}]}\n"


@pytest.mark.parametrize(
    ("old", "new", "listed"),
    [
        ("conc-list: [4, 8]", "conc-list: [4, 16]", True),
        ("conc-list: [4, 8]", "conc-list: [4]", True),
        ("conc-list: [4, 8]", "conc-list: [ 4,8 ]", False),
        ("multinode: false", "multinode: false  # as ever", False),
        ("conc-list: [4, 8]", "conc-start: 4, conc-end: 8", False),
        ("conc-list: [4]}", "conc-list: [8]}", True),
        ("v0.21.0", "v0.22.0", True),
        (KEY, "new-key", True),
        (FIXED, "", True),
        ("recipes/glow.yaml", "recipes/same.yaml", True),
    ],
)
def test_whatever_differs_in_a_config_is_uncovered_without_an_entry(old: str, new: str, listed: bool) -> None:
    recipes = {"glow.yaml": recipe(), "same.yaml": recipe()}
    before = config() + FIXED
    assert old in before
    made = plan(sources(bench(before.replace(old, new), recipes), bench(before, recipes)), None, "node")
    assert made.uncovered == ((KEY if new != "new-key" else new,) if listed else ())
    assert made.points == 0


def test_a_config_without_agentx_points_is_uncovered_too() -> None:
    bare = config(key="bare").partition("  scenarios:")[0] + "  scenarios:\n" + FIXED
    made = plan(sources(bench(config() + bare.replace("v0.21.0", "v0.22.0")), bench(config() + bare)), None, "node")
    assert made.uncovered == ("bare",)


def test_a_changed_recipe_that_only_the_settings_name_is_uncovered() -> None:
    settings = "layout: {scripts: {'glow-*': recipes/glow.yaml}}"
    base, head = (bench(config(row(named="")), {"glow.yaml": recipe(number)}) for number in (8, 9))
    assert plan(sources(head, base, settings), None, "node").uncovered == (KEY,)
    assert plan(sources(base, base, settings), None, "node").uncovered == ()


def test_one_server_is_not_held_against_two_goldens() -> None:
    """Else the config that comes first would choose the golden AL of the other."""
    head = bench(config(key="dim", prefix="dim") + config())
    low = dict(curves(CURVE.replace("3: 2.60", "3: 1.10"), "dim_mtp"))
    with pytest.raises(Refusal, match=f"dim and {KEY} start one and the same server.* of dim_mtp and of glow_mtp"):
        all_of(head, more=low)
    (gate,) = all_of(head, more=dict(curves(name="dim_mtp"))).gates
    assert gate.concurrencies == (4, 4, 8, 8)


def test_a_changelog_that_changes_history_cannot_be_planned() -> None:
    with pytest.raises(BadInput, match="changes what stood there before"):
        plan(sources(Snapshot(None, {**bench().files, "perf-changelog.yaml": b"- new\n"}), bench()), None, "node")


def test_a_real_single_node_recipe_splits_by_what_it_drafts() -> None:
    """Seven tokens up to concurrency 8, three at 16, none above; policy lets the real recipe through."""
    real = shared_snapshot("data/inferencex-later").files["single_node/kimik3--vllm--b300-fp4-mtp--agentic.yaml"]
    configs = config(row("[1, 2, 4, 8, 16, 24, 32]"), prefix="kimik3").replace("example/glow", "moonshotai/Kimi-K3")
    made = sources(bench(configs, {"glow.yaml": real.decode()}))
    policy = Policy(("vllm/vllm-openai:",), ("moonshotai/", "Inferact/"))
    clusters = {"cluster:h100": replace(CLUSTER, policy=policy)}
    planned = plan_keys(replace(made, curves=own_curves()), None, clusters, "node")
    assert [(gate.drafting.k, gate.concurrencies, gate.golden.al) for gate in planned.gates] == [
        (7, (1, 2, 4, 8), 3.84),
        (3, (16,), 3.00),
    ]
    assert {(point.concurrency, point.reason) for point in planned.unresolved} == {
        (24, Reason.NOT_DRAFTING),
        (32, Reason.NOT_DRAFTING),
    }
