"""Check 13: the draft runs as its checkpoint ships it."""

from dataclasses import replace

import pytest

from gatekit.domain.errors import Unknown
from gatekit.signoff.checks.check import Outcome
from gatekit.signoff.checks.check_13_draft import CHECK
from gatekit.signoff.checks.draft_rules import forbidden_lines
from gatekit.signoff.checks.facts import NOT_READ, Facts
from gatekit.signoff.evidence.stored_draft import StoredDraft, bits
from tests.shared import shared_snapshot
from tests.worlds.bench.small_bench import CONFIG, KEY, config, row, text
from tests.worlds.signoff.checklist import form
from tests.worlds.signoff.signed import GLOW, RECIPE, change, clean, sign_off, whole_august

SAID = "- draft: the embedded head; stored in bf16; the image loads it so by default; served in bf16"
STORED = {"example/glow": StoredDraft("bf16", ("mtp.0.experts", "mtp.0.proj"))}
FINE = "the draft is served as it is stored, and no setting changes that"
SCRIPT = "benchmarks/single_node/agentic/glow_fp8_h100_vllm_mtp.sh"
FLAG = "SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE"


def stated(**files: str | None) -> Facts:
    facts = replace(clean(), sign_off=sign_off(form(details=SAID)), drafts=STORED)
    return replace(facts, change=change({path: content for path, content in files.items()}))


def with_lines(*, args: str = "", env: str = "", spec: str = "", more: str = "") -> str:
    recipe = GLOW.replace("tensor-parallel-size: 8", f"tensor-parallel-size: 8{args and chr(10) + ' ' * 10 + args}")
    recipe = recipe.replace('"num_speculative_tokens":3', f'"num_speculative_tokens":3{spec}')
    recipe = recipe.replace("gpus: 8", f"gpus: 8{env and chr(10) + ' ' * 8 + 'env: ' + env}")
    return text(recipe.replace("name: glow", f"name: glow{more and chr(10) + ' ' * 4 + more}"))


QUARK = "online_quant_config: "


@pytest.mark.parametrize(
    ("recipe", "outcome", "said"),
    [
        (with_lines(), Outcome.PASS, FINE),
        # D1
        (with_lines(env=f"{{{FLAG}: '1'}}"), Outcome.FAIL, f"{FLAG} is 1"),
        (with_lines(env=f"{{{FLAG}: 'TRUE'}}"), Outcome.FAIL, f"{FLAG} is TRUE"),
        (with_lines(more=f"environment: {{{FLAG}: 'on'}}"), Outcome.FAIL, f"{FLAG} is on"),
        (with_lines(env=f"{{{FLAG}: '0'}}"), Outcome.PASS, FINE),
        (with_lines(env=f"{{{FLAG}: ''}}"), Outcome.PASS, FINE),
        (with_lines(env=f"{{{FLAG}: off}}"), Outcome.PASS, FINE),
        (with_lines(more=f"# {FLAG}: '1'"), Outcome.PASS, FINE),
        (with_lines(env=f"{{{FLAG}: '$VALUE'}}"), Outcome.UNDECIDED, f"{FLAG} is $VALUE"),
        # D2
        (
            with_lines(args="speculative-draft-model-quantization: quark_mxfp4"),
            Outcome.FAIL,
            "the draft is loaded as quark_mxfp4, and stored as bf16",
        ),
        (
            with_lines(args="speculative-draft-model-quantization: fp8"),
            Outcome.FAIL,
            "the draft is loaded as fp8, and stored as bf16",
        ),
        (with_lines(args="speculative-draft-model-quantization: unquant"), Outcome.PASS, FINE),
        (
            with_lines(args="speculative-draft-model-quantization: odd"),
            Outcome.UNDECIDED,
            "the draft is loaded as odd, and stored as bf16; look yourself",
        ),
        # D3
        (with_lines(env="{SGLANG_GLM_NEXTN_MOE_PTPC: '1'}"), Outcome.FAIL, "SGLANG_GLM_NEXTN_MOE_PTPC is 1"),
        (with_lines(env="{SGLANG_GLM_NEXTN_MOE_PTPC: '0'}"), Outcome.PASS, FINE),
        # D4
        (
            with_lines(args=f"""{QUARK}'{{"global_quant_config":"ptpc_fp8","exclude_layer":["mtp.*"]}}'"""),
            Outcome.PASS,
            FINE,
        ),
        (
            with_lines(args=f"""{QUARK}'{{"global_quant_config":"ptpc_fp8","exclude_layer":["*expert*"]}}'"""),
            Outcome.FAIL,
            "exclude_layer does not cover mtp.0.proj of the draft",
        ),
        (
            with_lines(args=f"""{QUARK}'{{"global_quant_config":"ptpc_fp8"}}'"""),
            Outcome.FAIL,
            "exclude_layer does not cover mtp.0.experts of the draft",
        ),
        (with_lines(args=f"""{QUARK}'{{"exclude_layer":[]}}'"""), Outcome.PASS, FINE),
        (with_lines(args=f"{QUARK}$CONFIG"), Outcome.UNDECIDED, "online_quant_config cannot be read; look yourself"),
        # D5
        (with_lines(spec=',"model":"example/glow"'), Outcome.PASS, FINE),
        (
            with_lines(spec=',"model":"example/glow-FP8"'),
            Outcome.FAIL,
            "the draft example/glow-FP8 is a converted glow",
        ),
        (
            with_lines(args="speculative-draft-model-path: other/draft"),
            Outcome.UNDECIDED,
            "the draft other/draft is none of example/glow; look whether it is the released one",
        ),
        # D6
        (with_lines(spec=',"quantization":"fp8"'), Outcome.UNDECIDED, "quantization of the draft is fp8"),
        (with_lines(spec=',"draft_model_dtype":"fp8"'), Outcome.UNDECIDED, "draft_model_dtype of the draft is fp8"),
        (with_lines(spec=',"dtype":"auto"'), Outcome.PASS, FINE),
        # D7
        (with_lines(args="draft-kv-cache-dtype: fp8"), Outcome.UNDECIDED, "draft_kv_cache_dtype is fp8"),
        (with_lines(args="draft-kv-cache-dtype: fp8\n          kv-cache-dtype: fp8"), Outcome.PASS, FINE),
        (with_lines(args="kv-cache-dtype: fp8"), Outcome.PASS, FINE),
        # D8
        (
            with_lines(args="quantization: fp8"),
            Outcome.UNDECIDED,
            "the target is loaded as fp8; look whether the draft, stored in full, inherits it",
        ),
        # D11
        (with_lines(spec=',"num_hidden_layers":1'), Outcome.UNDECIDED, "num_hidden_layers of the draft is 1"),
        (with_lines(args="speculative_decoding: {num_nextn_predict_layers: 1}"), Outcome.PASS, FINE),  # how many tokens
        (
            with_lines(args="hf-overrides: {num_nextn_predict_layers: 1}"),
            Outcome.UNDECIDED,
            "num_nextn_predict_layers of the draft is 1",
        ),
        # D10
        (
            with_lines(more="prepare: sed -i s/a/b/ /opt/vllm/eagle.py"),
            Outcome.FAIL,
            "the engine's code for drafts is changed, which no waiver covers",
        ),
        # what runs the same draft faster
        (with_lines(env="{SGLANG_OPT_FIX_NEXTN_MEGA_MOE: '1', SGLANG_ENABLE_SPEC_V2: '1'}"), Outcome.PASS, FINE),
        (
            with_lines(args="speculative-attention-mode: decode\n          speculative-moe-runner-backend: triton"),
            Outcome.PASS,
            FINE,
        ),
    ],
)
def test_a_recipe(recipe: str, outcome: Outcome, said: str) -> None:
    found = CHECK.run(stated(**{RECIPE: recipe}))
    assert (found.outcome, found.reason.removeprefix(f"{KEY}: ").removesuffix(" (and 1 more)")) == (outcome, said)


@pytest.mark.parametrize(
    ("stored", "value", "outcome"),
    [
        ("fp8", "fp8", Outcome.PASS),
        ("fp8", "w8a8_fp8", Outcome.PASS),
        ("fp8", "nvfp4_online", Outcome.FAIL),
        ("fp8", "unquant", Outcome.FAIL),  # upward is a change too
        ("nvfp4", "modelopt_fp4", Outcome.PASS),
    ],
)
def test_restating_what_is_stored_is_fine(stored: str, value: str, outcome: Outcome) -> None:
    recipe = with_lines(args=f"speculative-draft-model-quantization: {value}")
    assert (
        CHECK.run(replace(stated(**{RECIPE: recipe}), drafts={"example/glow": StoredDraft(stored)})).outcome is outcome
    )


@pytest.mark.parametrize(
    ("recipe", "outcome", "said"),
    [
        (
            with_lines(),
            Outcome.UNDECIDED,
            "no setting that lowers the draft was found; look in its checkpoint how it is stored (the bot does not "
            "read example/glow; only a file for gatekit signoff check --facts can say it)",
        ),
        (with_lines(env=f"{{{FLAG}: '1'}}"), Outcome.FAIL, f"{FLAG} is 1"),
        (
            with_lines(args="speculative-draft-model-quantization: fp8"),
            Outcome.UNDECIDED,
            "the draft is loaded as fp8; look how its checkpoint stores it (and 1 more)",
        ),
        (
            with_lines(args=f"""{QUARK}'{{"global_quant_config":"x","exclude_layer":["mtp.*"]}}'"""),
            Outcome.UNDECIDED,
            "look whether exclude_layer (mtp.*) covers the whole draft (and 1 more)",
        ),
        (
            with_lines(args=f"""{QUARK}'{{"global_quant_config":"x"}}'"""),
            Outcome.FAIL,
            "everything is quantized at load time, the draft too",
        ),
    ],
)
def test_without_the_checkpoint_nothing_is_proof(recipe: str, outcome: Outcome, said: str) -> None:
    found = CHECK.run(replace(stated(**{RECIPE: recipe}), drafts={}))
    assert (found.outcome, found.reason.removeprefix(f"{KEY}: ")) == (outcome, said)


@pytest.mark.parametrize(
    ("details", "missing"),
    [
        (SAID, ""),
        (SAID.replace("stored in bf16; ", ""), "the precision that is stored"),
        (SAID.replace("by default", ""), "what the pinned image does with it by default"),
        (SAID.replace("; served in bf16", ""), "the precision that is served"),
        (
            "- recipe: https://recipes.vllm.ai/x",
            "which draft it is and the precision that is stored and what the pinned image does with it by default and "
            "the precision that is served",
        ),
        ("Evals pass and upstream does it; acceptance length unchanged.", "which draft it is and"),
    ],
)
def test_the_details_say_four_things_of_the_draft(details: str, missing: str) -> None:
    found = CHECK.run(replace(stated(), sign_off=sign_off(form(details=details))))
    assert found.outcome is (Outcome.FAIL if missing else Outcome.PASS)
    assert missing in found.reason


@pytest.mark.parametrize(
    ("script", "outcome", "said"),
    [
        ("vllm serve m\n", Outcome.PASS, FINE),
        (f"export {FLAG}=1\nvllm serve m\n", Outcome.FAIL, f"{FLAG} is 1"),
        (f"ON=0\nexport {FLAG}=$ON\n", Outcome.PASS, FINE),
        (f"export {FLAG}=${{UNKNOWN}}\n", Outcome.UNDECIDED, f"{FLAG} is ${{UNKNOWN}}"),
        (f"{FLAG}=1 vllm serve m\n", Outcome.FAIL, f"{FLAG} is 1"),
        (f"# export {FLAG}=1\n", Outcome.PASS, FINE),
        (
            "vllm serve m --speculative-draft-model-quantization=fp8\n",
            Outcome.FAIL,
            "the draft is loaded as fp8, and stored as bf16",
        ),
        (
            "sed -i s/a/b/ /opt/vllm/models/mtp.py\n",
            Outcome.FAIL,
            "the engine's code for drafts is changed, which no waiver covers",
        ),
        ("sed -i s/a/b/ /opt/vllm/server.py\n", Outcome.PASS, FINE),  # check 10 sees it
        ("python3 convert_draft.py --to fp8\n", Outcome.UNDECIDED, "look whether the draft is converted"),
    ],
)
def test_a_script(script: str, outcome: Outcome, said: str) -> None:
    found = CHECK.run(stated(**{CONFIG: config(row("[4, 8]", named="")), SCRIPT: script}))
    assert (found.outcome, found.reason.removeprefix(f"{KEY}: ")) == (outcome, said)


def test_a_patch_file_for_the_draft_fails_with_a_waiver_too() -> None:
    patch = "--- a/vllm/eagle.py\n+++ b/vllm/eagle.py\n"
    found = CHECK.run(stated(**{"benchmarks/x.patch": patch, "docs/waiver/7.md": "x"}))
    assert (found.outcome, found.reason) == (
        Outcome.FAIL,
        "benchmarks/x.patch changes the engine's code for drafts, which no waiver covers",
    )


def test_without_drafts_it_is_not_applicable_and_the_flag_is_noted() -> None:
    plain = {CONFIG: config(row("[4, 8]", spec="none")), RECIPE: with_lines(env=f"{{{FLAG}: '1'}}")}
    found = CHECK.run(stated(**plain))
    assert found.outcome is Outcome.NOT_APPLICABLE
    assert [each.what for each in found.evidence] == [f"{KEY} drafts nothing, and sets {FLAG}"]
    assert CHECK.run(replace(clean(), change=NOT_READ)).outcome is Outcome.UNDECIDED


def test_a_config_of_which_nothing_can_be_read_is_for_a_person() -> None:
    found = CHECK.run(stated(**{CONFIG: config(row("[4, 8]", named="recipes/gone.yaml"))}))
    assert found.outcome is Outcome.UNDECIDED
    assert CHECK.run(replace(stated(), drafts={"example/glow": Unknown("no network")})).outcome is Outcome.UNDECIDED


@pytest.mark.parametrize(
    ("name", "width"),
    [("bf16", 16), ("float16", 16), ("fp8_e4m3", 8), ("w8a8_int8", 8), ("quark_mxfp4", 4), ("awq", 4), ("x", None)],
)
def test_how_wide_numbers_are(name: str, width: int | None) -> None:
    assert bits(name) == width


def test_the_flag_in_the_real_recipes() -> None:
    """22 lines in 21 recipes switch it on; three of those recipes draft nothing."""
    files = shared_snapshot("data/inferencex/benchmarks/multi_node/srt-slurm-recipes").files
    lines = {path: list(forbidden_lines(data)) for path, data in files.items()}
    found = {path: numbers for path, numbers in lines.items() if numbers}
    assert (len(found), sum(map(len, found.values()))) == (21, 22)
    assert sum("/stp/" in path for path in found) == 3


def test_no_other_rule_fires_on_the_real_configs() -> None:
    found = CHECK.run(replace(stated(), change=whole_august()))
    assert found.outcome is Outcome.FAIL
    fired = {each.what for each in found.evidence if each.what.startswith("D")}
    assert fired == {f"D1: {FLAG}", "D5: model"}  # the drafts of four configs are local copies
