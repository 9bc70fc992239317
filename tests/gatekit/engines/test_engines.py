"""What each engine's recipes say of drafting, and the command lines that follow from them."""

from dataclasses import replace

import pytest
import yaml

from gatekit.bench.recipes.roles import Role, engine_named, generating, roles
from gatekit.bench.recipes.shelf import resolve
from gatekit.bench.repo.layout import Layout
from gatekit.domain.gates import EngineName, Reason, Unusable
from gatekit.engines.engine import Speculation, arguments, words
from gatekit.engines.registry import ENGINES
from tests.shared import shared_snapshot
from tests.worlds.bench.plans import LAUNCH

VLLM, LLAMA = ENGINES.by_name[EngineName("vllm")], ENGINES.by_name[EngineName("llamacpp")]


def role(**args: object) -> Role:
    named = {name.replace("_", "-"): value for name, value in args.items()}
    return Role("agg", named, {}, 1, 1, 8, "roles.agg.args", "roles.agg.env")


def test_every_framework_has_an_engine_and_every_engine_a_framework() -> None:
    assert set(ENGINES.by_framework.values()) == set(ENGINES.engines)
    assert set(ENGINES.by_framework) > ENGINES.exempt
    assert all(engine.exempt <= set(engine.frameworks) for engine in ENGINES.engines)


def test_no_two_engines_share_a_name_a_framework_or_the_beginning_of_their_series() -> None:
    names = [one.name for one in (*ENGINES.engines, *ENGINES.only_read)]
    frameworks = [framework for engine in ENGINES.engines for framework in engine.frameworks]
    series = [counters.prefix for counters in ENGINES.counters.values()]
    for each in (names, frameworks, series):
        assert len(set(each)) == len(each)


def test_what_a_knob_asks_for_is_the_same_whichever_engine_says_it() -> None:
    said = [pair for engine in ENGINES.engines for pair in engine.forcing.lengths.items()]
    assert len({ending for ending, _ in said}) == len(set(said))


@pytest.mark.parametrize(
    ("config", "drafts"),
    [
        ('{"method":"mtp","num_speculative_tokens":3}', Speculation("mtp", 3, None, None)),
        ({"method": "MTP", "num_speculative_tokens": 1}, Speculation("mtp", 1, None, None)),
        (
            '{"method":"dspark","model":"a/b","num_speculative_tokens":7,"draft_sample_method":"probabilistic"}',
            Speculation("dspark", 7, "a/b", "probabilistic"),
        ),
        ('{"method":"mtp","num_speculative_tokens":0}', None),
        ({}, None),
        (None, None),
    ],
)
def test_what_vllm_drafts_with(config: object, drafts: Speculation | None) -> None:
    assert VLLM.speculation(role(speculative_config=config)) == drafts


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"speculative-config": "{not json"}, "neither a mapping nor a JSON object"),
        ({"speculative-config": "[1]"}, "neither a mapping nor a JSON object"),
        ({"speculative-config": '{"num_speculative_tokens":3}'}, "names no method"),
        ({"speculative-config": '{"method":"mtp"}'}, "does not say how many"),
        ({"speculative-config": '{"method":"mtp","num_speculative_tokens":"3"}'}, "whole number"),
        ({"speculative-config": '{"method":"mtp","num_speculative_tokens":true}'}, "whole number"),
        ({"speculative-config": '{"method":"mtp","num_speculative_tokens":3,"model":4}'}, "draft model"),
        ({"speculative-config.method": "mtp"}, "one mapping"),
    ],
)
def test_what_vllm_could_not_read_is_refused(args: dict[str, object], said: str) -> None:
    with pytest.raises(Unusable, match=said) as refused:
        VLLM.speculation(role(**args))
    assert refused.value.reason is Reason.RECIPE_INVALID


def test_adaptive_verification_is_switched_off_only_where_it_was_on() -> None:
    on = role(speculative_config='{"method":"dspark","num_speculative_tokens":3,"enable_adaptive_verification":true}')
    off = VLLM.verifying_all(on)
    assert off.args["speculative-config"] == (
        '{"method":"dspark","num_speculative_tokens":3,"enable_adaptive_verification":false}'
    )
    assert VLLM.verifying_all(off) is off
    plain = role(speculative_config='{"method":"mtp","num_speculative_tokens":3}')
    assert VLLM.verifying_all(plain) is plain


def test_vllm_is_started_as_its_command_line_expects() -> None:
    args = arguments(
        {
            "served-model-name": "example/glow",
            "trust-remote-code": True,
            "enable-expert-parallel": False,
            "max_num_seqs": 64,
            "speculative-config": {"method": "mtp", "num_speculative_tokens": 3},
            "numa-bind-nodes": [0, 1],
            "block-size": None,
        },
        "roles.agg.args",
    )
    launch = replace(LAUNCH, engine=EngineName("vllm"), model="example/glow-fp8", args=args)
    assert VLLM.argv(launch) == (
        "example/glow-fp8",
        *("--served-model-name", "example/glow", "--trust-remote-code", "--max-num-seqs", "64"),
        *("--speculative-config", '{"method":"mtp","num_speculative_tokens":3}', "--numa-bind-nodes", "0", "1"),
        *("--host", "127.0.0.1", "--port", "{port}"),
    )
    assert VLLM.served_name(launch) == "example/glow"
    assert VLLM.served_name(replace(launch, args=())) == "example/glow-fp8"
    assert VLLM.models((("speculative-config", '{"model":"a/b"}'),)) == [("speculative-config.model", "a/b")]


def test_an_argument_in_two_spellings_is_refused() -> None:
    with pytest.raises(Unusable, match="twice"):
        arguments({"max-num-seqs": 1, "max_num_seqs": 2}, "roles.agg.args")
    with pytest.raises(Unusable, match="no argument can carry"):
        arguments({"a": [{"b": 1}]}, "roles.agg.args")


def test_words_of_the_empty_launch() -> None:
    assert words(()) == ()


@pytest.mark.parametrize(
    ("args", "drafts"),
    [
        ({"model-draft": "a/d.gguf", "draft-max": 4}, Speculation("draft", 4, "a/d.gguf", None)),
        ({"spec-draft-model": "a/d.gguf", "spec-draft-n-max": 4}, Speculation("draft", 4, "a/d.gguf", None)),
        ({"md": "d", "draft": 2, "spec-draft-sampling": "greedy"}, Speculation("draft", 2, "d", "greedy")),
        ({"spec-type": "draft-mtp", "spec-draft-n-max": 3}, Speculation("mtp", 3, None, None)),
        ({"spec-type": "none", "draft-max": 4}, None),
        ({"ctx-size": 4096}, None),
    ],
)
def test_what_llamacpp_drafts_with(args: dict[str, object], drafts: Speculation | None) -> None:
    assert LLAMA.speculation(role(**args)) == drafts


@pytest.mark.parametrize(
    ("args", "reason", "said"),
    [
        ({"model-draft": "d"}, Reason.RECIPE_INVALID, "does not say how many"),
        ({"model-draft": "d", "draft-max": 4, "draft": 4}, Reason.RECIPE_INVALID, "says twice"),
        ({"model-draft": "d", "draft-max": 0}, Reason.RECIPE_INVALID, "above 0"),
        ({"spec-type": "ngram-mod", "draft-max": 4}, Reason.RECIPE_UNREADABLE, "ngram-mod"),
    ],
)
def test_what_llamacpp_could_not_read_is_refused(args: dict[str, object], reason: Reason, said: str) -> None:
    with pytest.raises(Unusable, match=said) as refused:
        LLAMA.speculation(role(**args))
    assert refused.value.reason is reason


def test_llamacpp_is_started_with_its_counters_on() -> None:
    launch = replace(LAUNCH, args=(("metrics", True), ("jinja", True), ("ctx-size", 4096), ("model-draft", "a/d.gguf")))
    assert LLAMA.argv(launch) == (
        *("--model", "gatekit-demo/target.gguf", "--jinja", "--ctx-size", "4096", "--model-draft", "a/d.gguf"),
        *("--metrics", "--host", "127.0.0.1", "--port", "{port}"),
    )
    assert LLAMA.served_name(replace(launch, args=(("alias", "tiny"),))) == "tiny"
    assert LLAMA.model_of(role(model="x/y.gguf")) == "x/y.gguf"


@pytest.mark.parametrize(
    ("recipe", "name"),
    [
        ("roles: {prefill: {}, decode: {}}", "decode"),
        ("roles: {agg: {}}", "agg"),
        ("roles: {prefill: {}}", "prefill"),
        ("backend: {type: vllm, vllm_config: {aggregated: {a: 1}}}", "agg"),
        ("backend: {type: vllm, vllm_config: {prefill: {a: 1}, decode: {a: 1}}}", "decode"),
        ("prefill: {tp: 8, extra-args: --enable-dbo}", "prefill"),
    ],
)
def test_the_role_that_generates(recipe: str, name: str) -> None:
    assert generating(roles(yaml.safe_load(recipe))).name == name


def test_a_role_keeps_what_the_whole_recipe_sets_under_what_it_sets_itself() -> None:
    recipe = {"environment": {"A": "1", "B": "1"}, "roles": {"agg": {"env": {"B": "2"}, "gpus": 8}}}
    found = roles(recipe)["agg"]
    assert (found.env, found.gpus, found.nodes) == ({"A": "1", "B": "2"}, 8, None)


@pytest.mark.parametrize(
    "recipe",
    ["a: 1", "roles: {}", "roles: {agg: [1]}", "roles: {agg: {args: text}}", "roles: {agg: {gpus: many}}", "roles: 3"],
)
def test_a_recipe_of_the_wrong_shape_is_refused(recipe: str) -> None:
    with pytest.raises(Unusable) as refused:
        roles(yaml.safe_load(recipe))
    assert refused.value.reason is Reason.RECIPE_INVALID


REAL = {
    "single_node/kimik3--vllm--b300-fp4-mtp--agentic.yaml:override_c1": ("dspark", 7),
    "single_node/kimik3--vllm--b300-fp4-mtp--agentic.yaml:override_c16": ("dspark", 3),
    "single_node/kimik3--vllm--b300-fp4-mtp--agentic.yaml:override_c24": None,
    "single_node/dsv41flash--vllm--b200-fp4-mtp--agentic.yaml:zip_override_tp4[0]": ("dspark", 5),
    "multi_node/kimik3--vllm--gb200-fp4--agg-variants.yaml:override_dep16": ("dspark", 2),
    "multi_node/dsv4--vllm--gb200-fp4--disagg-mtp3-variants.yaml:override_1p1d_c128": ("mtp", 3),
    "llm-d/agg-gb200-tp8-dspark-agentic.yaml": ("dspark", 5),
    "llm-d/agg-gb200-dep8-dspark-mooncake-agentic.yaml": ("dspark", 3),
    "llm-d/disagg-gb200-1p1d-dep8-dep8-dspark-agentic.yaml": ("dspark", 3),
}


@pytest.mark.parametrize(("reference", "drafts"), REAL.items())
def test_real_later_recipes(reference: str, drafts: tuple[str, int] | None) -> None:
    merged = resolve(shared_snapshot("data/inferencex-later"), Layout(), reference, 1).content
    assert ENGINES.by_framework[engine_named(merged) or ""] is VLLM
    found = VLLM.speculation(generating(roles(merged)))
    assert (None if found is None else (found.method, found.k)) == drafts
    assert found is None or found.method == "mtp" or found.draft_sample_method == "probabilistic"
    unknown = [name for name, _ in arguments(generating(roles(merged)).args, "args") if not VLLM.arguments.known(name)]
    assert all(name.startswith(VLLM.foreign) for name in unknown), unknown
