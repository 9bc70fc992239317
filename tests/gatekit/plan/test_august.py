"""The real tree of August: what every point comes to, row by row."""

from collections import Counter

import pytest

from gatekit.domain.collection import Thinking
from gatekit.domain.gates import GatePlan, Reason, WarningCode
from tests.worlds.bench import august

WRONG = "dsv4-fp4-gb200-dynamo-vllm-agentic-mtp-"


@pytest.fixture(scope="module")
def plan() -> GatePlan:
    return august.planned()


def test_every_speculative_point_stands_in_one_place(plan: GatePlan) -> None:
    gated = Counter(gate.framework for gate in plan.gates for _ in gate.concurrencies)
    assert gated == {"dynamo-vllm": 109, "dynamo-sglang": 68, "vllm": 35}
    assert Counter((point.framework, point.reason) for point in plan.unresolved) == {
        ("dynamo-trt", Reason.EXEMPT_FRAMEWORK): 19,
        ("sglang", Reason.RECIPE_UNREADABLE): 307,  # shell scripts, as the next four
        ("vllm", Reason.RECIPE_UNREADABLE): 120,
        ("trt", Reason.RECIPE_UNREADABLE): 22,
        ("atom", Reason.RECIPE_UNREADABLE): 18,
        ("sglang-disagg", Reason.RECIPE_UNREADABLE): 12,
    }
    assert gated.total() + len(plan.unresolved) == plan.points == 710
    assert len({gate.key for gate in plan.gates}) == len({gate.title for gate in plan.gates}) == len(plan.gates)


MTP, EAGLE3, DSPARK = ("mtp", None), ("eagle3", None), ("dspark", "probabilistic")

# Model, framework, role that generates; method and draft sampling; K, golden AL; points.
DRAFTING = [
    ("dsv4 dynamo-sglang agg", MTP, 3, 2.49, 9),
    ("dsv4 dynamo-sglang decode", MTP, 3, 2.49, 5),
    ("dsv4 dynamo-vllm agg", MTP, 3, 2.49, 10),
    ("dsv4 dynamo-vllm decode", MTP, 3, 2.49, 7),
    ("dsv4 dynamo-vllm agg", MTP, 2, 2.27, 24),
    ("dsv4 dynamo-vllm decode", MTP, 2, 2.27, 10),
    ("glm5.2 dynamo-sglang agg", MTP, 3, 2.99, 6),
    ("glm5.2 dynamo-sglang decode", MTP, 3, 2.99, 5),
    ("glm5.2 dynamo-sglang agg", MTP, 4, 3.33, 5),
    ("glm5.2 dynamo-sglang decode", MTP, 2, 2.50, 8),
    ("kimik3 vllm agg", DSPARK, 2, 2.51, 35),
    ("kimik3 dynamo-vllm agg", DSPARK, 2, 2.51, 18),
    ("kimik3 dynamo-vllm agg", DSPARK, 4, 3.36, 5),
    ("kimik3 dynamo-vllm decode", DSPARK, 4, 3.36, 2),
    ("kimik3 dynamo-vllm agg", DSPARK, 7, 3.84, 10),
    ("minimaxm3 dynamo-vllm agg", EAGLE3, 3, 2.78, 16),
    ("minimaxm3 dynamo-vllm decode", EAGLE3, 3, 2.78, 7),
    ("qwen3.5 dynamo-sglang agg", MTP, 3, 3.39, 23),
    ("qwen3.5 dynamo-sglang decode", MTP, 3, 3.39, 7),
]


def test_what_every_gated_recipe_drafts_and_is_held_to() -> None:
    found = Counter(
        (
            f"{each.point.model_prefix} {each.point.framework} {each.role.name}",
            (each.drafting.method, each.drafting.draft_sample_method),
            each.drafting.k,
            each.golden.al,
        )
        for each in august.candidates()
    )
    assert found == {tuple(row): count for *row, count in DRAFTING}
    assert {each.drafting.thinking for each in august.candidates()} == {Thinking.ON}


def test_the_rows_that_force_another_acceptance_length_are_named_and_no_others(plan: GatePlan) -> None:
    wrong = [gate for gate in plan.gates if gate.config_key.startswith(WRONG)]
    assert sum(len(gate.concurrencies) for gate in wrong) == 34
    assert [(warning.config_key, warning.code, warning.detail) for warning in plan.warnings] == [
        (f"{WRONG}{kind}", WarningCode.FORCED_AL_DIFFERS, "the row forces 2.49, golden AL for K=2 is 2.27")
        for kind in ("agg", "disagg")
    ]


def test_two_recipes_have_a_setting_twice(plan: GatePlan) -> None:
    assert [said.partition(": has")[0].rpartition("/")[2] for said in plan.repeats] == [
        "agg-gb200-tp16-latency-agentic.yaml:111",
        "agg-gb200-tep16-balanced-agentic.yaml:114",
    ]


def test_the_grouping_is_the_one_that_is_written_down(plan: GatePlan) -> None:
    """A change of the grouping is a change of docs/grouping.md: `python -m tests.worlds.bench.august` writes it."""
    assert august.written() == august.table(plan.gates)
