"""Fragments of later trees: what their lane shares lies under them."""

from textwrap import indent

import pytest

from gatekit.bench.recipes.book import Recipe
from gatekit.bench.recipes.shelf import resolve
from gatekit.bench.repo.layout import Layout
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.gates import Unusable
from gatekit.plan.plan import plan
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG, config, entry, recipe, row, sources

ROOT = "inferencex-e2e"
SINGLE, MULTI = (f"{ROOT}/configs/srt-recipes/agentic-{lane}.yaml" for lane in ("single", "multi"))
SINGLE_NODE, MULTI_NODE = (f"{ROOT}/benchmarks/{lane}_node/srt-slurm-recipes" for lane in ("single", "multi"))
BLOCK = "benchmark: {type: custom, command: '{}', env: {PORT: '1', MODE: shared}}\nhealth_check: {max_attempts: 3}\n"
FRAGMENT = "schema: 2\nroles: {agg: {args: {a: 1}}}\nbenchmark: {env: {MODE: own}}\nhealth_check: null\n"
BUNDLE = f"base:\n{indent(FRAGMENT, '  ')}override_c1: {{benchmark: {{env: {{PORT: '2'}}}}}}\n"
LLM_D = "apiVersion: llm-d.ai/v1alpha1\nprefill: {tp: 1, extra-args: --a 1}\n"


def taken(reference: str, **more: str) -> Recipe:
    files = {
        SINGLE: BLOCK.replace("{}", "single"),
        MULTI: BLOCK.replace("{}", "multi"),
        f"{SINGLE_NODE}/plain.yaml": FRAGMENT,
        f"{MULTI_NODE}/plain.yaml": FRAGMENT,
        f"{MULTI_NODE}/bundle.yaml": BUNDLE,
        f"{ROOT}/benchmarks/multi_node/llm-d-recipes/a.yaml": LLM_D,
        **more,
    }
    snapshot = Snapshot(None, {path: text.encode() for path, text in files.items()})
    return resolve(snapshot, Layout(), reference, 1)


@pytest.mark.parametrize(
    ("reference", "command", "port"),
    [
        ("benchmarks/single_node/srt-slurm-recipes/plain.yaml", "single", "1"),
        ("benchmarks/multi_node/srt-slurm-recipes/plain.yaml", "multi", "1"),
        ("recipes/plain.yaml", "multi", "1"),
        ("recipes/bundle.yaml:base", "multi", "1"),
        ("recipes/bundle.yaml:override_c1", "multi", "2"),
    ],
)
def test_a_fragment_lies_on_the_block_of_its_lane(reference: str, command: str, port: str) -> None:
    content = taken(reference).content
    assert content["benchmark"] == {"type": "custom", "command": command, "env": {"PORT": port, "MODE": "own"}}
    assert content["roles"] == {"agg": {"args": {"a": 1}}}
    assert "health_check" not in content


def test_an_llm_d_recipe_is_no_fragment() -> None:
    assert set(taken("benchmarks/multi_node/llm-d-recipes/a.yaml").content) == {"apiVersion", "prefill"}


def test_a_tree_without_blocks_has_whole_recipes() -> None:
    snapshot = Snapshot(None, {f"{MULTI_NODE}/plain.yaml": FRAGMENT.encode()})
    assert resolve(snapshot, Layout(), "recipes/plain.yaml", 1).content["benchmark"] == {"env": {"MODE": "own"}}


def test_a_block_that_cannot_be_read_is_named() -> None:
    with pytest.raises(Unusable, match=r"configs/srt-recipes/agentic-multi\.yaml: needs a mapping at the top level"):
        taken("recipes/plain.yaml", **{MULTI: "- a\n"})


def test_what_a_block_has_twice_is_said_too() -> None:
    (said,) = taken("recipes/plain.yaml", **{MULTI: "name: a\nname: b\n"}).repeats
    assert said.startswith(f"{MULTI}:2: has `name` twice")


def test_a_changed_block_changes_the_recipes_of_its_lane() -> None:
    """Without an entry, every config of that lane is uncovered."""
    head = Snapshot(
        None,
        {
            f"{ROOT}/{path}": text.encode()
            for path, text in {
                CONFIG: config(row(named="recipes/glow.yaml")),
                CHANGELOG: entry("other"),
                "benchmarks/multi_node/srt-slurm-recipes/glow.yaml": recipe(),
                "configs/srt-recipes/agentic-multi.yaml": "environment: {A: '1'}\n",
            }.items()
        },
    )
    base = Snapshot(None, {**head.files, f"{ROOT}/{CHANGELOG}": b"", MULTI: b"environment: {A: '2'}\n"})
    changed = {
        **head.files,
        f"{ROOT}/{CONFIG}": head.files[f"{ROOT}/{CONFIG}"] + config(key="other", framework="tilert").encode(),
    }
    made = plan(sources(Snapshot(None, changed), base), None, "node")
    assert made.uncovered == ("glow-fp8-h100-vllm-agentic",)
