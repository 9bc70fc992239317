"""From a reference to the one merged recipe: paths, selectors, and which variant serves a point."""

import pytest

from gatekit.bench.recipes.shelf import Parallelism, RecipeShelf, resolve
from gatekit.bench.repo.layout import Layout
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.gates import Reason, Unusable
from gatekit.domain.ids import Sha

FOLDER = "benchmarks/multi_node/srt-slurm-recipes"
PLAIN = b"name: plain\nbackend: {type: vllm}\n"
BUNDLE = b"""
schema: 2
base:
  name: x
  roles: {agg: {gpus: 8, args: {a: 1, b: [1, 2]}}}
override_one:
  roles: {agg: {args: {a: 2}}}
zip_override_more:
  roles: {agg: {args: {a: [3, 4]}}}
"""
BY_CONCURRENCY = b"""
base: {schema: 2, roles: {agg: {args: {a: 1}}}}
override_c1: {benchmark: {env: {CONC: '1'}}}
override_c4: {benchmark: {env: {CONC: 4}}, roles: {agg: {args: {a: 4}}}}
zip_override_high: {benchmark: {env: {CONC: ['16', '32']}}}
"""
HEAD = Snapshot(
    sha=None,
    files={
        f"{FOLDER}/plain.yaml": PLAIN,
        f"{FOLDER}/bundle.yaml": BUNDLE,
        f"{FOLDER}/conc.yaml": BY_CONCURRENCY,
        "benchmarks/single_node/plain.yaml": PLAIN,
        "benchmarks/run.sh": b"echo\n",
        "benchmarks/run": b"#!/bin/bash\n",
        "benchmarks/list.yaml": b"- a\n",
        "benchmarks/broken.yaml": b"a: {b: 1}\na: {b: 2}\n",
        "benchmarks/lengths.yaml": b"base: {}\nzip_override_z: {a: [1, 2], b: {c: [1, 2, 3]}}\n",
        "benchmarks/only.yaml": b"base: {a: 1}\nschema: 2\n",
        "other/plain.yaml": PLAIN,
    },
    links=frozenset({"benchmarks/link.yaml", "linked"}),
    gitlinks={},
)


@pytest.mark.parametrize(
    ("reference", "path"),
    [
        ("recipes/plain.yaml", f"{FOLDER}/plain.yaml"),
        ("benchmarks/single_node/plain.yaml", "benchmarks/single_node/plain.yaml"),
        ("other/plain.yaml", "other/plain.yaml"),
    ],
)
def test_recipes_stands_for_the_recipe_folder_and_other_paths_for_themselves(reference: str, path: str) -> None:
    recipe = resolve(HEAD, Layout(), reference, 1)
    assert (recipe.path, recipe.selector) == (path, None)
    assert recipe.content == {"name": "plain", "backend": {"type": "vllm"}}


def test_paths_are_under_the_root_of_the_layout() -> None:
    head = Snapshot(None, {f"inferencex-e2e/{FOLDER}/a.yaml": PLAIN, "inferencex-e2e/benchmarks/b.yaml": PLAIN})
    assert resolve(head, Layout(), "recipes/a.yaml", 1).path == f"inferencex-e2e/{FOLDER}/a.yaml"
    assert resolve(head, Layout(), "benchmarks/b.yaml", 1).path == "inferencex-e2e/benchmarks/b.yaml"


@pytest.mark.parametrize(
    ("selector", "a"),
    [("base", 1), ("override_one", 2), ("zip_override_more[0]", 3), ("zip_override_more[1]", 4)],
)
def test_a_selector_takes_one_variant(selector: str, a: int) -> None:
    recipe = resolve(HEAD, Layout(), f"recipes/bundle.yaml:{selector}", 99)
    assert recipe.selector == selector
    assert recipe.content == {"schema": 2, "name": "x", "roles": {"agg": {"gpus": 8, "args": {"a": a, "b": [1, 2]}}}}


@pytest.mark.parametrize(
    ("concurrency", "selector"),
    [(1, "override_c1"), (4, "override_c4"), (16, "zip_override_high[0]"), (32, "zip_override_high[1]")],
)
def test_without_a_selector_the_concurrency_takes_the_variant(concurrency: int, selector: str) -> None:
    recipe = resolve(HEAD, Layout(), "recipes/conc.yaml", concurrency)
    assert recipe.selector == selector
    assert recipe.content["schema"] == 2


@pytest.mark.parametrize(
    ("reference", "concurrency", "selector"),
    [
        ("recipes/conc.yaml:zip_override_high", 32, "zip_override_high[1]"),
        ("recipes/conc.yaml:override_c1", 4, "override_c1"),
        ("benchmarks/only.yaml", 4, "base"),
    ],
)
def test_a_single_variant_is_taken_whatever_it_says(reference: str, concurrency: int, selector: str) -> None:
    assert resolve(HEAD, Layout(), reference, concurrency).selector == selector


def test_the_recipe_of_a_variant_leaves_the_others_as_they_are() -> None:
    shelf = RecipeShelf(HEAD, Layout(), Parallelism())
    taken = [shelf.take("recipes/conc.yaml", concurrency).content["roles"] for concurrency in (4, 1, 4)]
    assert taken == [{"agg": {"args": {"a": 4}}}, {"agg": {"args": {"a": 1}}}, {"agg": {"args": {"a": 4}}}]


INSIDE = "is no path inside the repository; write it without `..` or a leading `/`"


@pytest.mark.parametrize(
    ("reference", "reason", "said"),
    [
        (
            "recipes/gone.yaml",
            Reason.RECIPE_MISSING,
            f"{FOLDER}/gone.yaml: no such file; add it, or correct the path in the",
        ),
        ("recipes", Reason.RECIPE_MISSING, "recipes: no such file; add it, or correct the path in the config"),
        ("recipes/../../../plain.yaml", Reason.RECIPE_INVALID, f"'recipes/../../../plain.yaml' {INSIDE}"),
        ("../plain.yaml", Reason.RECIPE_INVALID, f"'../plain.yaml' {INSIDE}"),
        ("/etc/passwd", Reason.RECIPE_INVALID, f"'/etc/passwd' {INSIDE}"),
        ("benchmarks//x.yaml", Reason.RECIPE_INVALID, f"'benchmarks//x.yaml' {INSIDE}"),
        ("a\nb.yaml", Reason.RECIPE_INVALID, f"'a\\nb.yaml' {INSIDE}"),
        ("", Reason.RECIPE_INVALID, f"'' {INSIDE}"),
        (
            "benchmarks/link.yaml",
            Reason.RECIPE_INVALID,
            "benchmarks/link.yaml: benchmarks/link.yaml is a link; put the file",
        ),
        ("linked/x.yaml", Reason.RECIPE_INVALID, "linked/x.yaml: linked is a link; put the file itself there"),
        (
            "benchmarks/run.sh",
            Reason.RECIPE_UNREADABLE,
            "benchmarks/run.sh: is a script, from which drafting cannot be read",
        ),
        (
            "benchmarks/run",
            Reason.RECIPE_UNREADABLE,
            "benchmarks/run: is a script, from which drafting cannot be read; name a",
        ),
        ("benchmarks/list.yaml", Reason.RECIPE_INVALID, "benchmarks/list.yaml: needs a mapping at the top level"),
        (
            "benchmarks/broken.yaml",
            Reason.RECIPE_INVALID,
            "benchmarks/broken.yaml:2: has the key `a` twice in one mapping",
        ),
        (
            "recipes/plain.yaml:base",
            Reason.RECIPE_INVALID,
            f"{FOLDER}/plain.yaml: has no variants; take `:base` out of the",
        ),
        (
            "recipes/plain.yaml:",
            Reason.RECIPE_INVALID,
            f"{FOLDER}/plain.yaml: has no variants; take `:` out of the config",
        ),
        (
            "recipes/bundle.yaml",
            Reason.RECIPE_INVALID,
            f"{FOLDER}/bundle.yaml: has no variant with benchmark.env.CONC 7; give one of them this value, or name one "
            "in the config, of `override_one`, `zip_override_more[0]`, `zip_override_more[1]`",
        ),
        (
            "recipes/bundle.yaml:override_two",
            Reason.RECIPE_INVALID,
            f"{FOLDER}/bundle.yaml: has no variant `override_two`; name one of `base`, `override_one`, "
            "`zip_override_more`",
        ),
        (
            "recipes/bundle.yaml:zip_override_more[2]",
            Reason.RECIPE_INVALID,
            f"{FOLDER}/bundle.yaml: has no variant `zip_over",
        ),
        (
            "recipes/bundle.yaml:",
            Reason.RECIPE_INVALID,
            f"{FOLDER}/bundle.yaml: has no variant ``; name one of `base`,",
        ),
        (
            "benchmarks/lengths.yaml",
            Reason.RECIPE_INVALID,
            "benchmarks/lengths.yaml: has lists of different length in `zip_override_z`: 2 in `a` and 3 in `b.c`; make",
        ),
    ],
)
def test_a_reference_that_cannot_be_used_is_refused(reference: str, reason: Reason, said: str) -> None:
    with pytest.raises(Unusable) as refused:
        RecipeShelf(HEAD, Layout(), Parallelism()).take(reference, 7)
    assert refused.value.reason is reason
    assert str(refused.value).startswith(said)


def test_a_recipe_in_a_submodule_is_missing() -> None:
    head = Snapshot(None, {}, gitlinks={"utils/srt": Sha("1" * 40)})
    with pytest.raises(Unusable, match="utils/srt is a submodule, which is not read"):
        resolve(head, Layout(), "utils/srt/a.yaml", 1)


def test_two_variants_with_the_same_concurrency_are_ambiguous() -> None:
    text = b"base: {}\n" + b"".join(b"override_%d: {benchmark: {env: {CONC: 1}}}\n" % n for n in range(10))
    with pytest.raises(Unusable) as refused:
        resolve(Snapshot(None, {"a.yaml": text}), Layout(), "a.yaml", 1)
    assert "has 10 variants with benchmark.env.CONC 1" in str(refused.value)
    assert str(refused.value).endswith("`override_7` and 2 more")
