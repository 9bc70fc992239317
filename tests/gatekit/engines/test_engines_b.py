"""SGLang, TensorRT-LLM and ATOM: what a recipe drafts with, and how the engine starts."""

import json
from dataclasses import replace

import pytest

from gatekit.bench.recipes.roles import Role, generating, roles
from gatekit.cluster.job import job_for
from gatekit.domain.gates import EngineName, Launch, Reason, Unusable
from gatekit.domain.ids import SweepId
from gatekit.engines.engine import Engine, Speculation
from gatekit.engines.registry import ENGINES
from gatekit.serving.launch import serve
from gatekit.serving.strip import strip
from tests.worlds.bench import plans
from tests.worlds.bench.small_bench import CLUSTER

SGLANG, TRTLLM, ATOM = (
    ENGINES.by_name[name] for name in (EngineName("sglang"), EngineName("trtllm"), EngineName("atom"))
)
NAMED = {"sglang": SGLANG, "trtllm": TRTLLM, "atom": ATOM}


def role(args: dict[str, object]) -> Role:
    return Role("agg", args, {}, 1, 1, 8, "roles.agg.args", "roles.agg.env")


EAGLE = {"speculative-algorithm": "EAGLE", "speculative-num-steps": 3, "speculative-eagle-topk": 1}
MTP = {"speculative_config": {"decoding_type": "MTP", "max_draft_len": 3}}
DSPARK = {"method": "dspark", "num-speculative-tokens": 6}


@pytest.mark.parametrize(
    ("engine", "args", "found"),
    [
        ("sglang", EAGLE, Speculation("eagle", 3, None, None)),
        ("sglang", {**EAGLE, "speculative-num-draft-tokens": 4}, Speculation("eagle", 3, None, None)),
        ("sglang", {"speculative-algo": "NEXTN", "speculative_num_steps": 1}, Speculation("nextn", 1, None, None)),
        (
            "sglang",
            {**EAGLE, "speculative-algorithm": "EAGLE3", "speculative-draft-model-path": "example/head"},
            Speculation("eagle3", 3, "example/head", None),
        ),
        (
            "sglang",
            {"speculative-algorithm": "DSPARK", "speculative-dspark-block-size": 5},
            Speculation("dspark", 5, None, "probabilistic"),
        ),
        ("sglang", {"tensor-parallel-size": 8}, None),
        ("trtllm", MTP, Speculation("mtp", 3, None, None)),
        (
            "trtllm",
            {"speculative_config": '{"decoding_type":"Eagle3","max_draft_len":3,"speculative_model":"example/GQA"}'},
            Speculation("eagle3", 3, "example/GQA", None),
        ),
        ("trtllm", {"speculative_config": None}, None),
        ("trtllm", {}, None),
        ("atom", DSPARK, Speculation("dspark", 6, None, "probabilistic")),
        (
            "atom",
            {"method": "eagle3", "draft_model": "example/GQA", "num_speculative_tokens": 3},
            Speculation("eagle3", 3, "example/GQA", None),
        ),
        ("atom", {"level": 3}, None),
    ],
)
def test_what_a_role_drafts_with(engine: str, args: dict[str, object], found: Speculation | None) -> None:
    assert NAMED[engine].speculation(role(args)) == found


@pytest.mark.parametrize(
    ("engine", "args", "reason", "said"),
    [
        ("sglang", {"speculative-algorithm": "EAGLE"}, Reason.RECIPE_INVALID, "set speculative-num-steps"),
        ("sglang", {**EAGLE, "speculative-num-steps": 0}, Reason.RECIPE_INVALID, "above 0"),
        ("sglang", {**EAGLE, "speculative-eagle-topk": 4}, Reason.AMBIGUOUS_DRAFT, "one branch"),
        ("sglang", {"speculative-algorithm": "DSPARK"}, Reason.RECIPE_INVALID, "dspark-block-size"),
        ("trtllm", {"speculative_config": {"max_draft_len": 3}}, Reason.RECIPE_INVALID, "names no decoding_type"),
        ("trtllm", {"speculative_config": {"decoding_type": "MTP"}}, Reason.RECIPE_INVALID, "set max_draft_len"),
        ("trtllm", {"speculative_config": "MTP"}, Reason.RECIPE_INVALID, "neither a mapping nor a JSON object"),
        ("atom", {"method": "mtp"}, Reason.RECIPE_INVALID, "set num-speculative-tokens"),
        ("atom", {**DSPARK, "num-speculative-tokens": True}, Reason.RECIPE_INVALID, "above 0"),
    ],
)
def test_a_draft_that_cannot_be_read_is_refused(
    engine: str, args: dict[str, object], reason: Reason, said: str
) -> None:
    with pytest.raises(Unusable) as refused:
        NAMED[engine].speculation(role(args))
    assert (refused.value.reason, said in refused.value.detail) == (reason, True), refused.value.detail


@pytest.mark.parametrize(
    ("engine", "args"),
    [
        ("sglang", {**EAGLE, "speculative-num-draft-tokens": 4}),
        ("sglang", {"speculative-algorithm": "DSPARK", "speculative-dspark-block-size": 5}),
        ("trtllm", MTP),
        ("atom", DSPARK),
    ],
)
def test_another_k_changes_nothing_else(engine: str, args: dict[str, object]) -> None:
    before, after = (NAMED[engine].speculation(each) for each in (role(args), NAMED[engine].with_k(role(args), 2)))
    assert before is not None
    assert after == replace(before, k=2)
    with pytest.raises(Unusable, match="drafts nothing"):
        NAMED[engine].with_k(role({}), 2)


def test_a_drafts_width_follows_its_steps() -> None:
    changed = SGLANG.with_k(role({**EAGLE, "speculative_num_draft_tokens": 4}), 5)
    assert changed.args["speculative-num-draft-tokens"] == 6
    assert "speculative_num_draft_tokens" not in changed.args


def test_a_schedule_that_verifies_a_part_is_switched_off() -> None:
    scheduled = role({**DSPARK, "dspark-config": '{"confidence_schedule": true}'})
    assert ATOM.verifying_all(scheduled).args["dspark-config"] == '{"confidence_schedule":false}'
    assert ATOM.verifying_all(role(DSPARK)) == role(DSPARK)


def launched(engine: Engine, args: dict[str, object]) -> Launch:
    one = role(args)
    served = serve(one, {"agg": one}, engine)
    return replace(plans.gate().launch, engine=engine.name, model="example/glow", args=served.args)


HERE = ("--host", "127.0.0.1", "--port", "{port}")


def test_sglang_takes_flags_and_bare_switches() -> None:
    args = {"model-path": "/model/", "host": "0.0.0.0", "enable-dp-attention": True, "enable-metrics": True}
    words = SGLANG.argv(launched(SGLANG, {**args, "disable-radix-cache": False, "cuda-graph-bs": [1, 2], "tp-size": 8}))
    expected = ("--enable-dp-attention", "--cuda-graph-bs", "1", "2", "--tp-size", "8", "--enable-metrics", *HERE)
    assert words == ("--model-path", "example/glow", *expected)


def test_tensorrt_llm_takes_its_settings_from_a_file_and_counts_acceptance() -> None:
    made = launched(
        TRTLLM, {**MTP, "tensor_parallel_size": 8, "cuda_graph_config": None, "enable_attention_dp": False,
                 "return_perf_metrics": False, "served_model_name": "glow", "moe_config": {"backend": "TRTLLM"}}
    )  # fmt: skip
    ((name, text),) = TRTLLM.files(made)
    assert TRTLLM.argv(made) == (
        "example/glow", *HERE, "--served_model_name", "glow", "--extra_llm_api_options", name
    )  # fmt: skip
    assert json.loads(text) == {
        "speculative_config": {"decoding_type": "MTP", "max_draft_len": 3},
        "tensor_parallel_size": 8,
        "cuda_graph_config": None,
        "enable_attention_dp": False,
        "return_perf_metrics": True,
        "moe_config": {"backend": "TRTLLM"},
    }


def test_atom_takes_the_spellings_that_every_build_knows() -> None:
    args = {"kv-cache-dtype": "fp8", "enable_prefix_caching": False, "enable-expert-parallel": True, "block-size": 128}
    words = ATOM.argv(launched(ATOM, {**args, "server-port": 8888}))
    assert words == (
        "--model", "example/glow", "--kv_cache_dtype", "fp8", "--no-enable_prefix_caching", "--enable-expert-parallel",
        "--block-size", "128", "--host", "127.0.0.1", "--server-port", "{port}",
    )  # fmt: skip


@pytest.mark.parametrize("engine", NAMED.values(), ids=NAMED.keys())
def test_a_job_carries_all_that_the_engine_is_told(engine: Engine) -> None:
    gate = replace(plans.gate(), launch=launched(engine, {"served-model-name": "glow"}))
    job = job_for(gate, SweepId(1), 1, replace(CLUSTER, engines={engine.name: ("start-it",)}))
    assert job.engine.command[0] == "start-it"
    assert (job.model, job.engine.files) == ("glow", engine.files(gate.launch))
    assert all(name in job.engine.command for name, _ in job.engine.files)


FORCED = [
    ("sglang", {"env": {"SGLANG_SIMULATE_ACC_LEN": "2.49", "SGLANG_SIMULATE_ACC_METHOD": "match-expected"}}),
    ("trtllm", {"env": {"TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS": "1.49"}}),
    ("atom", {"args": {"spec-decode-acceptance-length": 2.49}}),
    ("atom", {"args": {"spec_decode_acceptance_rate": 0.4966}}),
]


@pytest.mark.parametrize(("engine", "forced"), FORCED)
def test_forced_acceptance_is_taken_out_wherever_it_stands(engine: str, forced: dict[str, dict[str, object]]) -> None:
    drafting = {"sglang": EAGLE, "trtllm": MTP, "atom": {"method": "mtp", "num-speculative-tokens": 3}}[engine]
    block: dict[str, dict[str, object]] = {"args": drafting, "env": {}}
    both = {key: {**value, **forced.get(key, {})} for key, value in block.items()}
    found = strip({"engine": engine, "roles": {"decode": both, "prefill": both}, "environment": forced.get("env", {})})
    clean = generating(roles(found.content))
    serve(clean, {"decode": clean}, NAMED[engine])  # proves that no trace is left
    assert (clean.args, clean.env) == (drafting, {})
    assert {knob.knob for knob in found.knobs} <= {*ENGINES.forced.unset, *forced.get("args", {})}
    assert len(found.knobs) == 2 * len(forced.get("args", {})) + 3 * len(forced.get("env", {}))
