"""Check 9: where drafts are checked, prompts go through the chat template."""

from dataclasses import replace

import pytest

from gatekit.signoff.checks.check import Outcome
from gatekit.signoff.checks.check_09_chat_template import CHECK
from gatekit.signoff.checks.facts import NOT_READ
from tests.worlds.bench.small_bench import CONFIG, KEY, config, row, text
from tests.worlds.signoff.signed import GLOW, RECIPE, change, clean

SCRIPT = "benchmarks/single_node/agentic/glow_fp8_h100_vllm_mtp.sh"
HARNESS = "benchmarks/multi_node/agentic_srt.sh"
FINE = "every client asks through the chat template"
NOTHING = f"{KEY}: look how the client asks, nothing in its files says so"
RAW = f"{KEY}: prompts go out without the chat template"
VARIABLE = f"{KEY}: look what the client asks, a variable sets it"


def driven(benchmark: str) -> str:
    return text(GLOW.replace("benchmark: {endpoint-type: chat}", f"benchmark: {benchmark}"))


@pytest.mark.parametrize(
    ("benchmark", "outcome", "said"),
    [
        ("{endpoint-type: chat}", Outcome.PASS, FINE),
        ("{endpoint_type: chat}", Outcome.PASS, FINE),
        ("{endpoint-type: completions}", Outcome.FAIL, RAW),
        ("{endpoint-type: completions, use_chat_template: true}", Outcome.PASS, FINE),
        ("{endpoint-type: completions, use_chat_template: false}", Outcome.FAIL, RAW),
        ("{use_chat_template: true}", Outcome.PASS, FINE),
        ("{use_chat_template: false}", Outcome.FAIL, RAW),
        ("{endpoint-type: '$KIND'}", Outcome.UNDECIDED, VARIABLE),
        ("{type: custom}", Outcome.UNDECIDED, NOTHING),
    ],
)
def test_a_recipe(benchmark: str, outcome: Outcome, said: str) -> None:
    found = CHECK.run(replace(clean(), change=change({RECIPE: driven(benchmark)})))
    assert (found.outcome, found.reason) == (outcome, said)


@pytest.mark.parametrize(
    ("harness", "outcome"),
    [
        ("aiperf profile --endpoint-type chat --streaming\n", Outcome.PASS),
        ("aiperf profile --endpoint-type completions\n", Outcome.FAIL),
        ("KIND=chat\naiperf profile --endpoint-type $KIND\n", Outcome.PASS),
        ("aiperf profile --endpoint-type ${KIND}\n", Outcome.UNDECIDED),
        ("# --endpoint-type chat\naiperf profile\n", Outcome.UNDECIDED),
    ],
)
def test_the_harness_that_a_recipe_runs(harness: str, outcome: Outcome) -> None:
    recipe = driven(f"{{command: bash /workspace/{HARNESS}}}")
    assert CHECK.run(replace(clean(), change=change({RECIPE: recipe, HARNESS: harness}))).outcome is outcome


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ("run_client --use-chat-template\n", Outcome.PASS),
        ("run_client --use-chat-template false\n", Outcome.FAIL),
        ("source ../lib.sh\nrun\n", Outcome.PASS),
        ("run_client\n", Outcome.UNDECIDED),
    ],
)
def test_a_script_and_what_it_sources(script: str, outcome: Outcome) -> None:
    served = {
        CONFIG: config(row("[4, 8]", named="")),
        SCRIPT: script,
        "benchmarks/lib.sh": "run --endpoint-type chat\n",
    }
    assert CHECK.run(replace(clean(), change=change(served))).outcome is outcome


def test_fixed_lengths_need_the_flag() -> None:
    fixed = """\
    fixed-seq-len:
    - {isl: 8192, osl: 1024, search-space: [{tp: 8, conc-list: [8], spec-decoding: mtp, srt-recipe: recipes/glow.yaml}]}
"""
    served = config(row()).split("    agentic-coding")[0] + fixed
    for benchmark, outcome in (
        ("{use_chat_template: true}", Outcome.PASS),
        ("{endpoint-type: chat}", Outcome.UNDECIDED),
    ):
        found = CHECK.run(replace(clean(), change=change({CONFIG: served, RECIPE: driven(benchmark)})))
        assert found.outcome is outcome


def test_without_drafts_it_is_not_applicable() -> None:
    plain = {CONFIG: config(row("[4, 8]", spec="none"))}
    assert CHECK.run(replace(clean(), change=change(plain))).outcome is Outcome.NOT_APPLICABLE
    assert CHECK.run(replace(clean(), change=NOT_READ)).outcome is Outcome.UNDECIDED
