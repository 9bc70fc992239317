"""Names of gates that people can tell apart."""

from dataclasses import replace

import pytest

from gatekit.domain.gates import EngineName
from gatekit.plan.grouping import distinct
from gatekit.plan.plan import plan_keys
from tests.worlds.bench import plans
from tests.worlds.bench.small_bench import bench, config, recipe, row, sources

MOONCAKE = "{tp: 8, kv-offloading: dram, kv-offload-backend: {name: mooncake}, spec-decoding: mtp, conc-list: [1]"
DISAGG = recipe().replace("  agg:", "  prefill: {workers: 2, gpus: 8, args: {}}\n  decode:")


def titles(written: str, rows: tuple[str, ...] = (row(),), framework: str = "vllm") -> list[str]:
    text = config(*rows, framework=framework).replace("- search-space", "- dram-utilization: 1\n      search-space")
    made = plan_keys(sources(bench(text, {"glow.yaml": written})), None, None, "node")
    assert made.unresolved == ()
    return [gate.title for gate in made.gates]


@pytest.mark.parametrize(
    ("old", "new", "title"),
    [
        ("size: 8", "size: 8", "glow fp8 h100 vllm tp8 mtp K=3"),
        ("size: 8", "size: 1", "glow fp8 h100 vllm mtp K=3"),
        ("size: 8", "size: 4\n      data-parallel-size: 2", "glow fp8 h100 vllm tp4dp2 mtp K=3"),
        ("size: 8", "size: 8\n      enable-expert-parallel: true", "glow fp8 h100 vllm tp8ep mtp K=3"),
        ("size: 8", "size: 8\n      enable-expert-parallel: false", "glow fp8 h100 vllm tp8 mtp K=3"),
        ("workers: 1", "workers: 3", "glow fp8 h100 vllm 3x tp8 mtp K=3"),
        ('tokens":3', 'tokens":2', "glow fp8 h100 vllm tp8 mtp K=2"),
        ("roles:", "benchmark: {env: {THINKING_MODE: 'off'}}\nroles:", "glow fp8 h100 vllm tp8 mtp K=3 thinking off"),
    ],
)
def test_a_title_says_what_is_served_and_how_it_drafts(old: str, new: str, title: str) -> None:
    assert old in recipe()
    assert titles(recipe().replace(old, new)) == [title]


def test_roles_are_counted_and_offloading_is_named() -> None:
    assert titles(DISAGG) == ["glow fp8 h100 vllm 2p1d tp8 mtp K=3"]
    rows = (f"{MOONCAKE}, srt-recipe: recipes/glow.yaml}}",)
    assert titles(recipe(), rows) == ["glow fp8 h100 vllm tp8 mooncake mtp K=3"]


def test_both_spellings_of_a_size_are_read() -> None:
    args = "tp-size: 8, ep-size: 8, dp-size: 1, speculative-algorithm: NEXTN, speculative-num-steps: 3"
    written = f"schema: 2\nengine: sglang\nroles: {{agg: {{args: {{{args}}}}}}}\n"
    assert titles(written, framework=EngineName("sglang")) == ["glow fp8 h100 sglang tp8ep8 mtp K=3"]


def test_titles_tell_gates_apart() -> None:
    one, two = plans.gate("near", title="t", config_key="k"), plans.gate("far", title="t", config_key="k")
    assert distinct([one, two]) == ("t · near", "t · far")
    assert distinct([one, replace(two, title="u")]) == ("t", "u")
    same = replace(two, recipe=one.recipe)
    assert len(set(distinct([one, same]))) == 2
