"""Forced acceptance is found wherever a recipe can hold it, and nothing else is touched."""

import copy

import pytest
import yaml

from gatekit.bench.recipes.roles import generating, json_mapping, roles
from gatekit.domain.gates import EngineName, Reason, Unusable
from gatekit.engines.forced_acceptance import row_forces
from gatekit.engines.registry import ENGINES
from gatekit.plan.plan import plan_keys
from gatekit.serving.strip import prove, strip
from tests.shared import shared
from tests.worlds.bench.small_bench import bench, config, row, sources

SYNTHETIC = '{"method":"mtp","num_speculative_tokens":3,"rejection_sample_method":"synthetic"}'
LENGTH = '{"method":"mtp","num_speculative_tokens":3,"synthetic_acceptance_length":2.49}'
BLOCK = '{"method": "mtp", "num_speculative_tokens": 3, "rejection_sample_method": "block"}'


@pytest.mark.parametrize(
    ("recipe", "path", "knob", "value"),
    [
        ("roles: {agg: {args: {spec-synth-len: 4.5}}}", "roles.agg.args.spec-synth-len", "spec-synth-len", "4.5"),
        ("roles: {agg: {args: {spec_synth_rates: '0.9,0.5'}}}", "roles.agg.args.spec_synth_rates",
         "spec_synth_rates", "0.9,0.5"),
        ("roles: {agg: {args: {spec-decode-acceptance-length: 2.49}}}", "roles.agg.args.spec-decode-acceptance-length",
         "spec-decode-acceptance-length", "2.49"),
        ("roles: {decode: {env: {SGLANG_SIMULATE_ACC_LEN: '3.39'}}}", "roles.decode.env.SGLANG_SIMULATE_ACC_LEN",
         "SGLANG_SIMULATE_ACC_LEN", "3.39"),
        ("roles: {prefill: {env: {SGLANG_SIMULATE_ACC_TOKEN_MODE: real-draft-token}}}",
         "roles.prefill.env.SGLANG_SIMULATE_ACC_TOKEN_MODE", "SGLANG_SIMULATE_ACC_TOKEN_MODE", "real-draft-token"),
        ("environment: {TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS: 1.49}",
         "environment.TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS",
         "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS", "1.49"),
        ("env: {TILERT_SIMULATE_ACC_METHOD: match-expected}", "env.TILERT_SIMULATE_ACC_METHOD",
         "TILERT_SIMULATE_ACC_METHOD", "match-expected"),
        ("env: {LLAMA_ARG_SPEC_SYNTH_LEN: '2.6'}", "env.LLAMA_ARG_SPEC_SYNTH_LEN", "LLAMA_ARG_SPEC_SYNTH_LEN", "2.6"),
        ("backend: {decode_environment: {SGLANG_SIMULATE_ACC_METHOD: match-expected}}",
         "backend.decode_environment.SGLANG_SIMULATE_ACC_METHOD", "SGLANG_SIMULATE_ACC_METHOD", "match-expected"),
        ("roles: {agg: {args: {speculative-config: {method: mtp, synthetic_acceptance_rates: [0.9, 0.5]}}}}",
         "roles.agg.args.speculative-config.synthetic_acceptance_rates", "synthetic_acceptance_rates", "[0.9,0.5]"),
        (f"roles: {{agg: {{args: {{speculative-config: '{LENGTH}'}}}}}}",
         "roles.agg.args.speculative-config.synthetic_acceptance_length", "synthetic_acceptance_length", "2.49"),
        (f"roles: {{agg: {{args: {{speculative-config: '{SYNTHETIC}'}}}}}}",
         "roles.agg.args.speculative-config.rejection_sample_method", "rejection_sample_method", "synthetic"),
        (f"decode: {{extra-args: '--block-size 256 --speculative-config {LENGTH}'}}",
         "decode.extra-args.synthetic_acceptance_length", "synthetic_acceptance_length", "2.49"),
        ("decode: {extra-args: '--spec-decode-acceptance-rate=0.66 --tp 8'}",
         "decode.extra-args.spec-decode-acceptance-rate", "spec-decode-acceptance-rate", "0.66"),
        ("roles: {agg: {args: [--port, '1', --spec-synth-len, '4.5']}}",
         "roles.agg.args.spec-synth-len", "spec-synth-len", "4.5"),
    ],
)  # fmt: skip
def test_a_knob_is_taken_out_of_every_place(recipe: str, path: str, knob: str, value: str) -> None:
    content = yaml.safe_load(recipe)
    before = copy.deepcopy(content)
    stripped = strip(content)
    assert [(found.path, found.knob, found.value) for found in stripped.knobs] == [(path, knob, value)]
    assert content == before, "the recipe that came in is shared and must not change"
    assert strip(stripped.content).knobs == ()


@pytest.mark.parametrize(
    "recipe",
    [
        {"roles": {"agg": {"args": {"speculative-config": BLOCK}, "env": {"VLLM_USE_V2_MODEL_RUNNER": "1"}}}},
        {"prefill": {"extra-args": f"--speculative-config {BLOCK.replace(' ', '')} --enable-dbo"}},
        {"name": "synthetic-data", "benchmark": {"command": "bash run.sh --fast"}},
        {"roles": {"agg": {"args": ["--port", "1"]}}},
    ],
)
def test_real_verification_stays_as_it_is_written(recipe: dict[str, object]) -> None:
    stripped = strip(recipe)
    assert stripped.knobs == ()
    assert stripped.content == recipe


@pytest.mark.parametrize("text", ["{model}--{date}", " {--x", "{--", '{"a":--b}'])
def test_a_word_in_braces_is_no_json_and_no_flag(text: str) -> None:
    content: dict[str, object] = {"name": text, "args": [text, "--x"], "command": f"serve {text} --spec-synth-len 3"}
    found = strip(content)
    assert found.content == content | {"command": f"serve {text.strip()}"}
    assert [knob.path for knob in found.knobs] == ["command.spec-synth-len"]


def test_two_roles_that_share_one_text_are_both_stripped() -> None:
    recipe = yaml.safe_load("a: &shared {SGLANG_SIMULATE_ACC_LEN: 3}\nb: *shared\nc: {<<: *shared, KEEP: 1}")
    stripped = strip(recipe)
    assert stripped.content == {"a": {}, "b": {}, "c": {"KEEP": 1}}
    assert len(stripped.knobs) == 3


DRAFTS = '"method":"mtp","num_speculative_tokens":3'
FORCED = f'{{{DRAFTS},"rejection_sample_method":"synthetic","synthetic_acceptance_length":2.49}}'


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(
            f"apiVersion: llm-d.ai/v1alpha1\ndecode:\n  tp: 8\n  extra-args: >-\n    --block-size 256\n\n"
            f"    --speculative-config {FORCED}\n    --spec-decode-acceptance-length=2.49\n",
            id="llm-d",
        ),
        pytest.param(f"roles: {{agg: {{args: {{speculative-config: '{FORCED}'}}}}}}\n", id="JSON in a string"),
        pytest.param(
            f"x: &shared {{SGLANG_SIMULATE_ACC_LEN: 3}}\ny: &args {{speculative-config: '{FORCED}'}}\n"
            "roles: {agg: {args: {<<: *args, max-num-seqs: 4}, env: *shared}, prefill: {env: {<<: *shared}}}\n",
            id="anchors",
        ),
        pytest.param(
            f"base: {{roles: {{agg: {{args: {{speculative-config: '{{{DRAFTS}}}'}}}}}}}}\n"
            f"zip_override_a:\n  benchmark: {{env: {{CONC: [4, 8]}}}}\n  roles: {{agg: {{env: "
            f"{{SGLANG_SIMULATE_ACC_LEN: [2, 3]}}, args: {{speculative-config: ['{{{DRAFTS}}}', '{FORCED}']}}}}}}\n",
            id="lists of a zip",
        ),
        pytest.param(
            f"roles: {{agg: {{args: {{speculative_config: '{FORCED}', spec-synth-len: 2, spec_synth_rates: .9}}}}}}\n",
            id="both spellings",
        ),
        pytest.param(f"roles: {{agg: {{args: {{speculative-config: '{FORCED}'}}}}}}\nenvironment: {{A: '1'}}\n"
                     "services: [{env: [SGLANG_SIMULATE_ACC_LEN=3, A=1]}]\n", id="list of variables"),
    ],
)  # fmt: skip
def test_nothing_forces_acceptance_in_what_is_launched(written: str) -> None:
    """Five forms that recipes really have, from the file to the gate."""
    made = plan_keys(sources(bench(config(row("[4]"), row("[8]")), {"glow.yaml": written})), None, None, "node")
    assert made.unresolved == ()
    assert sum(len(gate.concurrencies) for gate in made.gates) == 2
    for gate in made.gates:
        assert ENGINES.forced.trace(str((gate.launch.args, gate.launch.env))) is None
        drafts = json_mapping(dict(gate.launch.args)["speculative-config"])
        assert drafts == {"method": "mtp", "num_speculative_tokens": 3}


@pytest.mark.parametrize(
    ("recipe", "place"),
    [
        ({"benchmark": {"command": "SGLANG_SIMULATE_ACC_LEN=3 bash run.sh"}}, "benchmark.command"),
        ({"roles": {"agg": {"args": {"x": "[{'spec-synth-len': 3}]"}}}}, "roles.agg.args.x"),
        ({"services": [{"preamble": "export TILERT_SIMULATE_ACC_LEN=3"}]}, "services[0].preamble"),
    ],
)
def test_what_cannot_be_taken_out_is_refused_with_its_place(recipe: dict[str, object], place: str) -> None:
    with pytest.raises(Unusable) as refused:
        strip(recipe)
    assert refused.value.reason is Reason.RECIPE_UNREADABLE
    assert f"forced acceptance is still visible in {place} (" in str(refused.value)


def test_two_texts_beside_each_other_are_no_knob() -> None:
    assert strip({"simulate": "accuracy", "spec": ["synth", "synthetic", "acceptance"]}).knobs == ()


def test_what_a_launch_still_carries_is_refused() -> None:
    prove((("speculative-config", BLOCK), ("max-num-seqs", 8)), ())
    for args, env in (
        ((("spec-synth-len", 4.5),), ()),
        ((("speculative-config", LENGTH),), ()),
        ((("speculative-config", SYNTHETIC.replace("synth", "\\u0073ynth")),), ()),
        ((), (("SGLANG_SIMULATE_ACC_LEN", "3"),)),
        ((), (("EXTRA", "--spec-decode-acceptance-length 2"),)),
    ):
        with pytest.raises(Unusable) as refused:
            prove(args, env)
        assert refused.value.reason is Reason.RECIPE_UNREADABLE


def test_every_variable_that_forces_is_unset_at_launch() -> None:
    assert strip(dict.fromkeys(ENGINES.forced.unset, "1")).content == {}


@pytest.mark.parametrize(
    ("knob", "value", "al"),
    [
        ("synthetic_acceptance_length", "2.49", 2.49),
        ("synthetic_acceptance_rates", "[0.9,0.5,0.1]", 2.5),
        ("SGLANG_SIMULATE_ACC_LEN", "3.39", 3.39),
        ("TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS", "1.49", 2.49),
        ("spec-decode-acceptance-length", 2.49, 2.49),
        ("spec-decode-acceptance-rate", "0.5", 2.5),
        ("spec-synth-len", "4.5", 4.5),
        ("SGLANG_SIMULATE_ACC_METHOD", "match-expected", None),
        ("rejection_sample_method", "synthetic", None),
        ("synthetic_acceptance_length", "a lot", None),
        ("synthetic_acceptance_length", "nan", None),
    ],
)
def test_the_length_that_a_knob_asks_for(knob: str, value: object, al: float | None) -> None:
    found = ENGINES.forced.length(knob, value, k=3)
    assert found == (None if al is None else pytest.approx(al))


@pytest.mark.parametrize(
    ("settings", "al"),
    [
        ({"SYNTHETIC_ACCEPTANCE": "true", "SYNTHETIC_ACCEPTANCE_LENGTH": "2.49"}, 2.49),
        ({"SYNTHETIC_ACCEPTANCE": "false", "SYNTHETIC_ACCEPTANCE_LENGTH": "2.49"}, None),
        ({"SYNTHETIC_ACCEPTANCE": "true"}, None),
        ({}, None),
    ],
)
def test_the_length_that_a_row_asks_for(settings: dict[str, str], al: float | None) -> None:
    assert row_forces(settings) == al


def test_a_real_recipe_becomes_its_sibling_without_forced_acceptance() -> None:
    """The repository keeps the same deployment twice, once forced and once real: stripping one gives the other."""
    folder = shared("data/inferencex") / "benchmarks/multi_node/srt-slurm-recipes/vllm/minimax-m3/agentic/gb300-fp4"
    pairs = [(path, path.with_name(path.name.replace("-agentic", "-eval-agentic"))) for path in folder.glob("*.yaml")]
    found = 0
    for forced, real in pairs:
        if real.exists() and "eval" not in forced.name:
            stripped = strip(yaml.safe_load(forced.read_text()))
            assert len(stripped.knobs) == 4, forced.name
            ours, theirs = roles(stripped.content), roles(yaml.safe_load(real.read_text()))
            vllm = ENGINES.by_name[EngineName("vllm")]
            assert vllm.speculation(generating(ours)) == vllm.speculation(generating(theirs))
            found += 1
    assert found >= 3
