"""What is wrong with a recipe says in which file, and in which line where there is one."""

import pytest

from gatekit.domain.gates import Reason
from gatekit.plan.plan import plan_keys
from tests.worlds.bench.small_bench import RECIPES, bench, config, recipe, row, sources, text

GLOW = f"{RECIPES}/glow.yaml"
BUNDLE = """
    base:
      engine: vllm
      roles:
        agg:
          gpus: 8
          args:
            speculative-config: {method: mtp, num_speculative_tokens: 3}
    override_a:
      benchmark: {env: {CONC: 4}}
    zip_override_b:
      roles:
        agg:
          args: {max-num-seqs: [1, 2]}
      benchmark: {env: {CONC: [8, 16]}}
    """
OLD = """
    resources: {decode_nodes: 1, decode_workers: 1, gpus_per_decode: 8}
    backend:
      type: vllm
      vllm_config:
        decode:
          speculative-config: {method: mtp, num_speculative_tokens: 3}
    """


def said(content: str, named: str = "recipes/glow.yaml") -> list[str]:
    """Why each point has no gate, by concurrency 4, 8."""
    unresolved = plan_keys(sources(bench(config(row(named=named)), {"glow.yaml": content})), None, None, "n").unresolved
    assert {point.reason for point in unresolved} <= {Reason.RECIPE_INVALID, Reason.NOT_DRAFTING}
    return [point.detail for point in unresolved]


@pytest.mark.parametrize(
    ("old", "new", "start"),
    [
        ("gpus: 8", "gpus: many", ":8: roles.agg.gpus is 'many': give a whole number"),
        ('{"method":"mtp",', '{"', ":13: roles.agg.args.speculative-config is neither a mapping nor a JSON object"),
        ('"method":"mtp",', "", ":13: roles.agg.args.speculative-config names no method"),
        ('"num_speculative_tokens":3', '"num_speculative_tokens":0', ":9: roles.agg.args drafts nothing"),
        ("engine: vllm", "engine: sglang", ":3: is one of sglang, and the row's engine is vllm"),
        ("  agg:", "  ag:", ":4: no role generates: the recipe has ag, and no agg or decode"),
        ("roles:", "rols:", ": the recipe has no role: give it roles.agg, or roles.prefill and .decode (is `rols` in "
         "line 4 meant to be `roles`?)"),
        ("env:", "env: x\n    more:", ":14: roles.agg.env is not a mapping of names to values"),
        ("schema: 2", "schema: [2", ":2: is no valid YAML"),
        ("schema: 2", "- 2", ":2: is no valid YAML"),
    ],
)  # fmt: skip
def test_a_plain_recipe(old: str, new: str, start: str) -> None:
    before = recipe()
    assert old in before
    for sentence in said(before.replace(old, new)):
        assert sentence.startswith(f"{GLOW}{start}"), sentence


@pytest.mark.parametrize(
    ("old", "new", "start"),
    [
        ("method: mtp, ", "", ":7: roles.agg.args.speculative-config names no method"),
        ("[1, 2]}", "[1, 2, 3]}", ":10: has lists of different length in `zip_override_b`"),
        ("override_a:", "overide_a:", ":8: has `overide_a` beside `base`; move it into `base`"),
        ("  roles:\n    agg:\n      gpus", "  rolse:\n    agg:\n      gpus", ": the recipe has no role"),
        ("zip_override_b:\n", "zip_override_b: 4\noverride_x:\n", ":10: needs a mapping under `zip_override_b`"),
    ],
)
def test_a_recipe_with_variants(old: str, new: str, start: str) -> None:
    before = text(BUNDLE)
    assert old in before
    found = said(before.replace(old, new))
    assert any(sentence.startswith(f"{GLOW}{start}") for sentence in found), found


def test_a_recipe_with_a_backend() -> None:
    before = text(OLD)
    assert said(before.replace("method: mtp, ", ""))[0].startswith(
        f"{GLOW}:6: backend.vllm_config.decode.speculative-config names no method"
    )
    assert said(before.replace("type: vllm", "type: sglang"))[0].startswith(f"{GLOW}:3: is one of sglang")


def test_what_is_no_fault_of_a_file_is_left_as_it_is() -> None:
    points = plan_keys(sources(bench(config(row(named="../x")))), None, None, "n").unresolved
    wanted = "'../x' is no path inside the repository; write it without `..` or a leading `/`"
    assert {point.detail for point in points} == {wanted}
