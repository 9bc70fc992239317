"""Check 8: the model computes what it computes, and event publishing stays on."""

from dataclasses import replace

import pytest

from gatekit.signoff.checks.check import Outcome
from gatekit.signoff.checks.check_08_architecture import CHECK
from gatekit.signoff.checks.facts import NOT_READ
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG, KEY, config, entry, row, text
from tests.worlds.signoff.signed import GLOW, RECIPE, change, clean, whole_august

FINE = "no override changes what the model computes, and publishing is not switched off"
SCRIPT = "benchmarks/single_node/agentic/glow_fp8_h100_vllm_mtp.sh"


def with_args(*lines: str) -> str:
    more = "".join(f"\n          {line}" for line in lines)
    return text(GLOW.replace("tensor-parallel-size: 8", f"tensor-parallel-size: 8{more}"))


@pytest.mark.parametrize(
    ("lines", "outcome", "said"),
    [
        ([], Outcome.PASS, FINE),
        (["""hf-overrides: '{"rope_scaling":{"factor":4}}'"""], Outcome.PASS, FINE),
        (["hf-overrides: {max_position_embeddings: 8}"], Outcome.PASS, FINE),
        (["hf-overrides.rope_theta: 8"], Outcome.PASS, FINE),
        (
            ["""hf-overrides: '{"use_index_cache":true,"index_topk_freq":4}'"""],
            Outcome.UNDECIDED,
            f"{KEY}: look whether the model natively supports hf_overrides use_index_cache, index_topk_freq",
        ),
        (
            ["hf_overrides: {text_config: {num_hidden_layers: 10}}"],
            Outcome.UNDECIDED,
            f"{KEY}: look whether the model natively supports hf_overrides num_hidden_layers",
        ),
        (
            ["""json-model-override-args: '{"num_experts_per_tok":4}'"""],
            Outcome.UNDECIDED,
            f"{KEY}: look whether the model natively supports json_model_override_args num_experts_per_tok",
        ),
        (
            ["hf-overrides: $OVERRIDES"],
            Outcome.UNDECIDED,
            f"{KEY}: look what hf_overrides sets, it cannot be read",
        ),
        (["publish-events-and-metrics: true"], Outcome.PASS, FINE),
        (["publish_events_and_metrics: false"], Outcome.FAIL, f"{KEY}: publish_events_and_metrics is off"),
        (["publish-events-and-metrics: 'off'"], Outcome.FAIL, f"{KEY}: publish_events_and_metrics is off"),
        (["no-publish-events-and-metrics: true"], Outcome.FAIL, f"{KEY}: publish_events_and_metrics is off"),
        (
            ["publish-events-and-metrics: ${PUBLISH}"],
            Outcome.UNDECIDED,
            f"{KEY}: look what publish_events_and_metrics is, a variable sets it",
        ),
    ],
)
def test_a_recipe(lines: list[str], outcome: Outcome, said: str) -> None:
    found = CHECK.run(replace(clean(), change=change({RECIPE: with_args(*lines)})))
    assert (found.outcome, found.reason) == (outcome, said)


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ("vllm serve example/glow --tensor-parallel-size 8\n", Outcome.PASS),
        ("# sed -i s/a/b/ /models/config.json\nvllm serve example/glow\n", Outcome.PASS),
        ("cat /models/config.json\n", Outcome.PASS),
        ("sed -i s/a/b/ /models/config.json\n", Outcome.UNDECIDED),
        ("jq .x=1 /models/config.json > /tmp/c\n", Outcome.UNDECIDED),
        ("vllm serve m --hf-overrides '{\"sliding_window\": 4}'\n", Outcome.UNDECIDED),
        ("source ./lib.sh\nvllm serve m\n", Outcome.PASS),
    ],
)
def test_a_script(script: str, outcome: Outcome) -> None:
    served = {CONFIG: config(row("[4, 8]", named="")), SCRIPT: script}
    assert CHECK.run(replace(clean(), change=change(served))).outcome is outcome


def test_a_config_of_which_nothing_can_be_read_is_for_a_person() -> None:
    for named in ("", "recipes/gone.yaml"):
        found = CHECK.run(replace(clean(), change=change({CONFIG: config(row("[4, 8]", named=named))})))
        assert found.outcome is Outcome.UNDECIDED
        assert found.reason.endswith("look at its overrides yourself")


def test_dynamo_trt_must_show_that_it_publishes() -> None:
    served = config(row("[4, 8]"), framework="dynamo-trt")
    found = CHECK.run(replace(clean(), change=change({CONFIG: served})))
    assert found.outcome is Outcome.UNDECIDED
    shown = change({CONFIG: served, RECIPE: with_args("publish_events_and_metrics: true")})
    assert CHECK.run(replace(clean(), change=shown)).outcome is Outcome.PASS


def test_nothing_changed_is_not_applicable() -> None:
    same = change({CONFIG: config(row("[4]")), CHANGELOG: entry()})
    assert CHECK.run(replace(clean(), change=same)).outcome is Outcome.NOT_APPLICABLE
    assert CHECK.run(replace(clean(), change=NOT_READ)).outcome is Outcome.UNDECIDED


def test_the_real_recipes_that_publish_nothing() -> None:
    found = CHECK.run(replace(clean(), change=whole_august()))
    assert found.outcome is Outcome.FAIL
    off = [each for each in found.evidence if each.what == "publish_events_and_metrics"]
    assert len({each.where for each in off}) == 13
