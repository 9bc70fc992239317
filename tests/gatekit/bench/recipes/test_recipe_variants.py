"""The variants of one recipe file: merging, zips, selectors."""

import pytest

from gatekit.bench.recipes.variants import is_bundle, merge, variants
from gatekit.domain.gates import Unusable
from gatekit.formats.yaml_document import read_yaml
from tests.shared import shared


def bundle(text: str) -> dict[str, object]:
    data = read_yaml("r.yaml", text.encode()).data
    assert isinstance(data, dict)
    return data


def all_of(text: str, selector: str | None = None) -> dict[str, object]:
    return {variant.selector: variant.content() for variant in variants(bundle(text), selector)}


@pytest.mark.parametrize(
    ("text", "several"),
    [
        ("schema: 2\nroles: {}\n", False),
        ("base: {}\n", True),
        ("override_x: {}\n", True),
        ("zip_override_x: {}\n", True),
        ("overrides: {}\n", False),
    ],
)
def test_a_file_with_a_base_or_overrides_holds_variants(text: str, several: bool) -> None:
    assert is_bundle(bundle(text)) is several


@pytest.mark.parametrize(
    ("under", "over", "merged"),
    [
        ({}, {}, {}),
        ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
        ({"a": 1}, {"a": 2}, {"a": 2}),
        ({"a": {"b": 1, "c": {"d": 1}}}, {"a": {"c": {"e": 2}}}, {"a": {"b": 1, "c": {"d": 1, "e": 2}}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": {"b": 1}}, {"a": None}, {}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": None}}, {"a": {"c": 2}}),
        ({}, {"a": None}, {}),
        ({"a": {"b": 1}}, {"a": 5}, {"a": 5}),
        ({"a": 5}, {"a": {"b": 1}}, {"a": {"b": 1}}),
        ({"a": 1}, {"n": {"x": None}}, {"a": 1, "n": {"x": None}}),
    ],
)
def test_mappings_recurse_lists_replace_null_deletes(
    under: dict[str, object], over: dict[str, object], merged: dict[str, object]
) -> None:
    before = repr((under, over))
    assert merge(under, over) == merged
    assert repr((under, over)) == before


def test_merged_keys_keep_the_order_of_the_base() -> None:
    assert list(merge({"a": 1, "b": 1}, {"c": 1, "a": 2})) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("block", "contents"),
    [
        ("a: [1, 2]", [{"a": 1}, {"a": 2}]),
        ("a: [1]", [{"a": 1}]),
        ("a: [1, 2]\n  b: [x]\n  c: y", [{"a": 1, "b": "x", "c": "y"}, {"a": 2, "b": "x", "c": "y"}]),
        ("a: [[1, 2], [3]]", [{"a": [1, 2]}, {"a": [3]}]),
        ("a: {b: [1, 2]}\n  c: [x, y]", [{"a": {"b": 1}, "c": "x"}, {"a": {"b": 2}, "c": "y"}]),
        ("base-only: [1, null]", [{"base-only": 1}, {}]),
        ("a: [{b: 1, c: null}]", [{"a": {"b": 1}}]),
    ],
)
def test_a_zip_takes_one_value_of_each_list(block: str, contents: list[dict[str, object]]) -> None:
    made = all_of(f"base: {{base-only: 0}}\nzip_override_z:\n  {block}\n")
    assert list(made) == [f"zip_override_z[{step}]" for step in range(len(contents))]
    assert list(made.values()) == [
        content if "base-only" in content or block.startswith("base") else {"base-only": 0, **content}
        for content in contents
    ]


def test_nulls_of_the_base_stay_in_overrides_and_are_dropped_in_zips() -> None:
    made = all_of("base: {a: {x: null, y: 1}}\noverride_o: {b: 1}\nzip_override_z: {b: [1]}\n")
    assert made["override_o"] == {"a": {"x": None, "y": 1}, "b": 1}
    assert made["zip_override_z[0]"] == {"a": {"y": 1}, "b": 1}


@pytest.mark.parametrize(
    ("selector", "picked"),
    [
        (None, ["override_a", "override_b", "zip_override_0[0]", "zip_override_0[1]", "zip_override_1[0]"]),
        ("base", ["base"]),
        ("override_a", ["override_a"]),
        ("zip_override_0", ["zip_override_0[0]", "zip_override_0[1]"]),
        ("zip_override_0[1]", ["zip_override_0[1]"]),
    ],
)
def test_a_selector_picks_variants_overrides_first(selector: str | None, picked: list[str]) -> None:
    text = "zip_override_1: {x: [1]}\nzip_override_0: {x: [1, 2]}\noverride_b: {}\nbase: {}\noverride_a: {}\n"
    assert list(all_of(text, selector)) == picked


def test_variants_inherit_the_schema_that_stands_beside_the_base() -> None:
    assert all_of("schema: 2\nbase: {}\noverride_a: {b: 1}\n")["override_a"] == {"schema": 2, "b": 1}
    assert all_of("schema: 2\nbase: {schema: 1}\n")["base"] == {"schema": 1}
    assert all_of("base: {schema: 2}\noverride_a: {}\n")["override_a"] == {"schema": 2}


@pytest.mark.parametrize(
    ("text", "selector", "said"),
    [
        ("override_a: {}\n", None, "needs a mapping under `base`; add it"),
        ("base: 1\n", None, "needs a mapping under `base`; add it"),
        ("base: {}\noverride_a:\n", None, "needs a mapping under `override_a`; add it"),
        ("base: {}\nroles: {}\n", None, "has `roles` beside `base`; move it into `base`"),
        ("base: {}\noverride_a: {}\n", "override_b", "has no variant `override_b`; name one of `base`, `override_a`"),
        ("base: {}\noverride_a: {}\n", "override_*", "has no variant `override_*`; name one of `base`, `override_a`"),
        ("base: {}\n", "schema", "has no variant `schema`; name one of `base`"),
        (
            "base: {}\nzip_override_z: {a: [1, 2], b: [1, 2, 3], c: [1]}\n",
            None,
            "has lists of different length in `zip_override_z`: 2 in `a` and 3 in `b`; make them the same length, or "
            "one value long",
        ),
        (
            "base: {}\nzip_override_z: {a: 1}\n",
            None,
            "needs lists that are not empty in `zip_override_z`; fill them or use `override_…`",
        ),
        (
            "base: {}\nzip_override_z: {a: [1], d: {b: []}}\n",
            None,
            "needs lists that are not empty in `zip_override_z` at `d.b`; fill them or use `override_…`",
        ),
        (
            f"base: {{}}\nzip_override_z: {{a: {[*range(201)]}}}\n",
            None,
            "makes 201 variants, more than 200; split the file",
        ),
    ],
)
def test_a_file_without_the_wanted_variant_is_refused(text: str, selector: str | None, said: str) -> None:
    with pytest.raises(Unusable) as refused:
        variants(bundle(text), selector)
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("single_node/dsv4--atom--mi355x-fp4-mtp--agentic", 11),
        ("single_node/dsv41flash--sglang--b300-fp4-mtp--agentic", 9),
        ("single_node/dsv41flash--vllm--b200-fp4-mtp--agentic", 12),
        ("single_node/kimik3--vllm--b300-fp4-mtp--agentic", 11),
        ("single_node/minimaxm3--atom--mi355x-fp4-mtp--agentic", 19),
        ("single_node/minimaxm3--trtllm--b300-fp4-mtp--agentic", 11),
        ("single_node/qwen3.5--sglang--mi355x-fp8-mtp--agentic", 14),
        ("multi_node/dsv4--vllm--gb200-fp4--disagg-mtp3-variants", 4),
        ("multi_node/glm5.2--sglang--gb200-fp4--agg-mtp-variants", 3),
        ("multi_node/glm5.2--sglang--gb200-fp4--disagg-mtp-variants", 1),
        ("multi_node/glm5.2--trtllm--gb300-fp4--disagg-variants", 6),
        ("multi_node/kimik3--vllm--gb200-fp4--agg-variants", 4),
    ],
)
def test_real_recipes_have_their_variants(name: str, count: int) -> None:
    made = all_of(shared(f"data/inferencex-later/{name}.yaml").read_text())
    assert len(made) == count
    assert all(isinstance(content, dict) and content["schema"] == 2 for content in made.values())


def test_k_of_a_real_recipe_comes_from_the_base_and_is_overridden() -> None:
    made = all_of(
        shared("data/inferencex-later/multi_node/glm5.2--trtllm--gb300-fp4--disagg-variants.yaml").read_text()
    )
    drafted = {name[9:13]: content["roles"]["decode"]["args"]["speculative_config"] for name, content in made.items()}
    assert {name: config["max_draft_len"] for name, config in drafted.items()} == {
        "1p1d": 5,
        "1p4d": 5,
        "3p4d": 5,
        "4p1d": 3,
        "5p1d": 3,
    }
