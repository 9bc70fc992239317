"""Check 3: the production recipe is linked, merged, of this model, and set up alike."""

from dataclasses import replace

import pytest

from gatekit.domain.errors import Unknown
from gatekit.signoff.checks.check import Outcome
from gatekit.signoff.checks.check_03_recipe import CHECK, speaks_of
from gatekit.signoff.checks.facts import NOT_READ, Facts
from gatekit.signoff.evidence.upstream import (
    LinkKind,
    RecipeLink,
    Upstream,
    UpstreamPage,
    UpstreamPull,
    recipe_links,
    strays,
)
from tests.shared import shared
from tests.worlds.bench.small_bench import CONFIG, KEY, config, row
from tests.worlds.signoff.checklist import form
from tests.worlds.signoff.signed import PAGE, URL, change, clean, sign_off

PULL = "https://github.com/vllm-project/recipes/pull/5"
OLD = "https://github.com/sgl-project/sgl-cookbook/pull/5"
MERGED = UpstreamPull(merged=True, state="closed", files=("models/glow.md",), text=f"+ example/Glow\n{PAGE}")
OPEN = replace(MERGED, merged=False, state="open")
FINE = "a recipe of the model is linked, stands upstream, and is set up alike"


@pytest.mark.parametrize(
    ("text", "kind", "url"),
    [
        (PULL, LinkKind.PULL, PULL),
        (f"{PULL}/files", LinkKind.PULL, PULL),
        (f"{PULL}#issuecomment-1", LinkKind.PULL, PULL),
        (
            "https://github.com/VLLM-Project/Recipes/pull/5",
            LinkKind.PULL,
            "https://github.com/VLLM-Project/Recipes/pull/5",
        ),
        ("https://github.com/sgl-project/sglang/pull/7", LinkKind.PULL, "https://github.com/sgl-project/sglang/pull/7"),
        (OLD, LinkKind.ARCHIVED, OLD),
        ("https://recipes.vllm.ai/a/b?x=1", LinkKind.PAGE, "https://recipes.vllm.ai/a/b"),
        ("https://docs.sglang.io/cookbook/a/b#c", LinkKind.PAGE, "https://docs.sglang.io/cookbook/a/b"),
        ("https://recipes.vllm.ai/", None, ""),
        ("https://docs.sglang.io/cookbook/intro", None, ""),
        ("https://docs.sglang.io/cookbook/introduction", LinkKind.PAGE, "https://docs.sglang.io/cookbook/introduction"),
        ("https://github.com/vllm-project/recipes", None, ""),
        ("https://github.com/vllm-project/recipes/tree/branch", None, ""),
        ("https://github.com/vllm-project/recipes/pull/5x", None, ""),
        ("https://github.com/someone/recipes/pull/5", None, ""),
        ("https://recipes.vllm.ai.evil.example/a", None, ""),
        ("http://recipes.vllm.ai/a", None, ""),
    ],
)
def test_which_links_count(text: str, kind: LinkKind | None, url: str) -> None:
    found = recipe_links(f"first\nrecipe: {text}")
    assert [(link.kind, link.url, link.line) for link in found] == ([] if kind is None else [(kind, url, 2)])


def linked(*links: tuple[str, Upstream | Unknown], served: str = config(row("[4, 8]"))) -> Facts:
    body = form(details="\n".join(f"- recipe: {url}" for url, _ in links) or "- nothing")
    return replace(clean(), sign_off=sign_off(body), linked=dict(links), change=change({CONFIG: served}))


@pytest.mark.parametrize(
    ("facts", "outcome", "said"),
    [
        (linked((URL, UpstreamPage(200, f"Glow\n{PAGE}"))), Outcome.PASS, FINE),
        (linked((PULL, MERGED)), Outcome.PASS, FINE),
        (linked((PULL, OPEN), (URL, UpstreamPage(200, PAGE))), Outcome.PASS, FINE),
        (linked(), Outcome.FAIL, "3a: no recipe is linked: a merged pull request, or a published page"),
        (
            linked(("https://github.com/vllm-project/recipes/tree/mine", MERGED)),
            Outcome.FAIL,
            "3a: no recipe is linked: a merged pull request, or a published page; "
            "https://github.com/vllm-project/recipes/tree/mine is no pull request",
        ),
        (linked((PULL, OPEN)), Outcome.FAIL, f"3b: {PULL} is open, and not merged"),
        (linked((PULL, replace(OPEN, state="closed"))), Outcome.FAIL, f"3b: {PULL} is closed, and not merged"),
        (linked((URL, UpstreamPage(404, ""))), Outcome.FAIL, f"3b: {URL} is not there (HTTP 404)"),
        (
            linked((PULL, Unknown("GitHub did not answer"))),
            Outcome.UNDECIDED,
            f"3b: look whether {PULL} is merged or published (GitHub did not answer)",
        ),
        (
            linked((PULL, Unknown("GitHub did not answer")), (URL, UpstreamPage(404, ""))),
            Outcome.UNDECIDED,
            f"3b: look whether {PULL} is merged or published (GitHub did not answer)",
        ),
        (
            linked((OLD, MERGED)),
            Outcome.FAIL,
            "3b: a recipe in an archived repository needs the link of its published page too",
        ),
        (linked((OLD, MERGED), (URL, UpstreamPage(200, PAGE))), Outcome.PASS, FINE),
        (
            linked((PULL, replace(MERGED, files=("models/dusk.md",), text="dusk"))),
            Outcome.FAIL,
            f"3b: no linked recipe is for example/glow, which {KEY} serves",
        ),
        (
            linked((URL, UpstreamPage(200, PAGE.replace("size 8", "size 4 --kv-cache-dtype fp8")))),
            Outcome.UNDECIDED,
            f"3c: compare {KEY} with the recipe: tensor_parallel_size, kv_cache_dtype",
        ),
        (
            linked((URL, UpstreamPage(200, "example/glow, in words alone"))),
            Outcome.UNDECIDED,
            f"3c: compare {KEY} with the recipe: method, num_speculative_tokens, tensor_parallel_size",
        ),
        (
            linked((URL, UpstreamPage(200, PAGE)), served=config(row("[4, 8]", named="recipes/gone.yaml"))),
            Outcome.UNDECIDED,
            "3c: benchmarks/multi_node/srt-slurm-recipes/gone.yaml: no such file; add it, or correct the path in the "
            f"config; compare {KEY} with the recipe yourself",
        ),
        (
            linked((URL, UpstreamPage(200, PAGE)), served=config(row("[4, 8]"), framework="atom")),
            Outcome.NOT_APPLICABLE,
            "no serving setup of vLLM or SGLang is changed or run again",
        ),
        (
            linked((URL, UpstreamPage(404, "")), served=config(row("[4, 8]"), framework="dynamo-vllm")),
            Outcome.FAIL,
            f"3b: {URL} is not there (HTTP 404)",
        ),
    ],
)
def test_the_recipe(facts: Facts, outcome: Outcome, said: str) -> None:
    found = CHECK.run(facts)
    assert (found.outcome, found.reason) == (outcome, said)


def test_the_differences_are_the_evidence() -> None:
    page = UpstreamPage(200, PAGE.replace("size 8", "size 4"))
    evidence = CHECK.run(linked((URL, page))).evidence
    found = {(each.what, each.here, each.there) for each in evidence if each.what.startswith(KEY)}
    assert (f"{KEY}: tensor_parallel_size", "8", None) in found
    assert (f"{KEY}: tensor_parallel_size", None, "4") in found
    assert (f"{KEY}: method", "mtp", "mtp") in found


@pytest.mark.parametrize(
    ("model", "text", "found"),
    [
        ("deepseek-ai/DeepSeek-V4-Pro", "docs/deepseek_v4_pro.md", True),
        ("amd/DeepSeek-R1-0528-MXFP4-Preview", "deepseek-ai/DeepSeek-R1-0528", True),
        ("moonshotai/Kimi-K3", "Kimi-K2.5", False),
        ("example/glow", "", False),
        ("/models/GLM-5.2-FP8", "GLM 5.2", True),
        ("-fp8", "anything", False),
    ],
)
def test_whether_a_recipe_is_for_a_model(model: str, text: str, found: bool) -> None:
    assert speaks_of(model, text) is found


def test_without_its_facts_it_says_so() -> None:
    assert CHECK.run(replace(clean(), change=NOT_READ)).outcome is Outcome.UNDECIDED
    assert CHECK.run(replace(clean(), linked={})).outcome is Outcome.UNDECIDED
    bare = replace(clean(), change=NOT_READ, sign_off=sign_off(form()))
    found = CHECK.run(bare)
    assert (found.outcome, found.reason) == (
        Outcome.UNDECIDED,
        "3a: no recipe is linked; look whether serving of vLLM or SGLang is changed (it was not read)",
    )


@pytest.mark.parametrize(
    ("number", "urls"),
    [
        ("01", []),
        ("02", []),
        ("03", []),
        ("04", ["https://docs.sglang.io/cookbook/autoregressive/DeepSeek/DeepSeek-V4"]),
        ("05", ["https://github.com/vllm-project/recipes/pull/673"]),
        ("06", ["https://recipes.vllm.ai/deepseek-ai/DeepSeek-V4-Pro"]),
        ("08", []),
        ("09", []),
    ],
)
def test_the_recipes_of_the_real_sign_offs(number: str, urls: list[str]) -> None:
    """The links that stand in the template itself are none of them."""
    body = shared(f"data/signoffs/full/{number}.md").read_text()
    assert [link.url for link in recipe_links(body)] == urls


def test_what_is_no_pull_request_is_named() -> None:
    tree = "https://github.com/sgl-project/sglang/tree"
    assert strays(f"see {tree}/mine/docs, {tree}/main/docs_new and {PULL}") == (f"{tree}/mine/docs",)
    assert RecipeLink(LinkKind.PULL, PULL, 1, "vllm-project/recipes", 5) in recipe_links(PULL)
