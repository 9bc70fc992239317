"""Which of a recipe's variants, or of a folder's recipes, serves a row."""

import pytest

from gatekit.bench.matrix.points import Point
from gatekit.bench.recipes.shelf import Parallelism, RecipeShelf
from gatekit.bench.repo.layout import Layout
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.gates import Reason, Unusable
from tests.shared import shared_snapshot

WRITTEN = Parallelism(
    experts=("expert-parallel-size", "enable-expert-parallel", "moe_expert_parallel_size"),
    attention_data=("data-parallel-size", "enable-dp-attention", "enable_attention_dp"),
)


def point(concurrency: int = 1, gpus: int = 4, **shape: str | int | bool) -> Point:
    row = {"tp": gpus, "ep": 1, "dp-attn": False, "kv-offloading": "none"} | shape
    return Point(
        *("key", "sglang", concurrency, "image", "model", "prefix", "fp8", "cluster:x", True, "a.yaml", (), 1, gpus),
        shape=tuple(row.items()),
    )


ALIKE = b"""
base: {roles: {agg: {gpus: 4, args: {tp-size: 4}}}, benchmark: {env: {CONC: 1}}}
override_tp4: {}
override_tp2: {roles: {agg: {gpus: 2}}}
override_ep4: {roles: {agg: {args: {expert-parallel-size: 4}}}}
override_dep4: {roles: {agg: {args: {data-parallel-size: 4, enable-expert-parallel: true}}}}
override_dram: {benchmark: {env: {KV_OFFLOADING: dram}}, roles: {agg: {gpus: 8}}}
"""


@pytest.mark.parametrize(
    ("row", "selector"),
    [
        (point(), "override_tp4"),
        (point(gpus=2), "override_tp2"),
        (point(ep=4), "override_ep4"),
        (point(**{"ep": 4, "dp-attn": True}), "override_dep4"),
        (point(gpus=8, **{"kv-offloading": "dram"}), "override_dram"),
    ],
)
def test_variants_with_the_same_concurrency_are_told_apart_by_the_row(row: Point, selector: str) -> None:
    shelf = RecipeShelf(Snapshot(None, {"a.yaml": ALIKE}), Layout(), WRITTEN)
    assert shelf.take("a.yaml", 1, row).selector == selector
    with pytest.raises(Unusable, match="has 5 variants"):
        shelf.take("a.yaml", 1)


FITTING = {
    "demo/a.yaml": ALIKE,
    "demo/b.yaml": b"roles: {agg: {gpus: 4, args: {tp-size: 4}}}\nbenchmark: {env: {CONC: 2}}\n",
    "demo/c.yaml": b"roles: {agg: {gpus: 1}}\n",
    "demo/deeper/d.yaml": b"roles: {agg: {gpus: 4}}\n",
    "demo/notes.md": b"",
}


@pytest.mark.parametrize(
    ("row", "path", "selector"),
    [
        (point(), "demo/a.yaml", "override_tp4"),
        (point(gpus=8, **{"kv-offloading": "dram"}), "demo/a.yaml", "override_dram"),
        (point(2), "demo/b.yaml", None),
        (point(64, gpus=1), "demo/c.yaml", None),
    ],
)
def test_of_a_folder_the_one_variant_is_taken_that_serves_the_row(row: Point, path: str, selector: str | None) -> None:
    recipe = RecipeShelf(Snapshot(None, FITTING), Layout(), WRITTEN).take("demo/", row.concurrency, row)
    assert (recipe.path, recipe.selector) == (path, selector)


@pytest.mark.parametrize(
    ("folder", "row", "reason", "said"),
    [
        (
            "demo/",
            point(3),
            Reason.RECIPE_INVALID,
            "demo/: has no variant for such a point at concurrency 3 in `a.yaml`, `b.yaml`",
        ),
        (
            "demo/",
            point(1, gpus=1),
            Reason.RECIPE_INVALID,
            "demo/: has 2 variants for such a point at concurrency 1 in `c.yaml`, `e.yaml:override_x`",
        ),
        (
            "gone/",
            point(),
            Reason.RECIPE_MISSING,
            "gone/: holds no recipe; add one, or correct `srt-recipe-dir` in the config",
        ),
        ("many/", point(), Reason.RECIPE_INVALID, "many/: holds 101 recipes, more than 100; name one in `srt-recipe`"),
        ("broken/", point(), Reason.RECIPE_INVALID, "broken/a.yaml:1: is no valid YAML"),
    ],
)
def test_a_folder_that_does_not_hold_exactly_one_is_refused(folder: str, row: Point, reason: Reason, said: str) -> None:
    many = {f"many/{n}.yaml": b"a: 1" for n in range(101)}
    extra = {"demo/e.yaml": b"base: {}\noverride_x: {roles: {agg: {gpus: 1}}}\n", "broken/a.yaml": b"a: ]\n"}
    if row.concurrency == 3:
        many["demo/c.yaml"] = b"benchmark: {env: {CONC: 9}}"
        extra["demo/e.yaml"] = b"benchmark: {env: {CONC: 9}}"
    with pytest.raises(Unusable) as refused:
        RecipeShelf(Snapshot(None, {**FITTING, **extra, **many}), Layout(), WRITTEN).take(folder, row.concurrency, row)
    assert refused.value.reason is reason
    assert str(refused.value).startswith(said)


QWEN, FLASH = (
    "single_node/qwen3.5--sglang--mi355x-fp8-mtp--agentic.yaml",
    "single_node/dsv41flash--{}-mtp--agentic.yaml",
)


@pytest.mark.parametrize(
    ("path", "row", "selector"),
    [
        *((QWEN, point(concurrency), f"override_tp4_c{concurrency}") for concurrency in (1, 4, 8, 12, 14)),
        *(
            (QWEN, point(concurrency, **{"kv-offloading": "dram"}), f"override_tp4_hicache_c{concurrency}")
            for concurrency in (16, 18, 20, 22, 24, 28, 32, 36, 40)
        ),
        (FLASH.format("sglang--b300-fp4"), point(1, 4), "override_tp4_c1"),
        (FLASH.format("sglang--b300-fp4"), point(1, 2), "override_tp2_c1"),
        (FLASH.format("sglang--b300-fp4"), point(192, 4, **{"dp-attn": True, "ep": 4}), "override_dp4_c192"),
        (FLASH.format("vllm--b200-fp4"), point(8, 4), "zip_override_tp4[2]"),
        (FLASH.format("vllm--b200-fp4"), point(8, 2, **{"dp-attn": True, "ep": 2}), "zip_override_dep2[0]"),
        (FLASH.format("vllm--b200-fp4"), point(64, 4), "zip_override_tp4[5]"),
        (FLASH.format("vllm--b200-fp4"), point(64, 4, **{"dp-attn": True, "ep": 4}), "zip_override_dep4[0]"),
    ],
)
def test_rows_find_their_variant_in_real_recipes(path: str, row: Point, selector: str) -> None:
    recipe = RecipeShelf(shared_snapshot("data/inferencex-later"), Layout(), WRITTEN).take(path, row.concurrency, row)
    assert (recipe.selector, recipe.content["schema"]) == (selector, 2)
