"""Rows of a run's artifacts, as its collectors write them."""

import math

import pytest

from gatekit.signoff.evidence.results import EvalResult, MeasuredPoint, eval_results, is_agentic, measured_points

EVAL = {
    **{"is_multinode": False, "model_prefix": "glow", "model": "example/Glow", "hw": "H100-NV", "framework": "vllm"},
    **{"precision": "fp8", "conc": 16, "task": "gsm8k", "em_strict": 0.95, "score": 0.95, "score_name": "em_strict"},
}
WANTED = EvalResult("glow", "fp8", "vllm", "h100", "gsm8k", 0.95, None, 1, 1)
FIXED = {
    **{"infmax_model_prefix": "glow", "hw": "cluster:b200-dgxc", "framework": "VLLM", "precision": "fp4", "isl": 8192},
    **{"osl": 1024, "conc": 8, "median_e2el": 12.5, "tput_per_gpu": 310.0, "image": "vllm/vllm-openai:v1"},
}
AGENTIC = {
    **{"infmax_model_prefix": "glow", "hw": "mi355x", "framework": "sglang", "precision": "fp8"},
    "scenario_type": "agentic-coding",
    "request_metrics": {
        "latency": {"e2el": {"mean": 20.0, "p90": 33.1}},
        "throughput": {"per_gpu": {"total_tput_tps": 12874.5}},
    },
}


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, {}),
        ({"image": "vllm/vllm-openai:v0.21.0"}, {"image": "vllm/vllm-openai:v0.21.0"}),
        ({"em_strict": None, "score": 0.4, "score_name": "accuracy"}, {"score": 0.4}),
        ({"em_strict": None, "score": None}, {"score": None, "completed": 0}),
        ({"em_strict": "0.95", "score": True}, {"score": None, "completed": 0}),
        ({"hw": "RTX6000PRO"}, {"sku": "rtx6000pro"}),
        ({"eval_concs": [16, 32], "completed_eval_concs": [16]}, {"requested": 2, "completed": 1}),
        ({"em_strict": 10**400, "score": None}, {"score": None, "completed": 0}),
    ],
)
def test_an_eval_row(changes: dict[str, object], wanted: dict[str, object]) -> None:
    whole = {name: getattr(WANTED, name) for name in EvalResult.__dataclass_fields__}
    assert eval_results([{**EVAL, **changes}]) == (EvalResult(**{**whole, **wanted}),)


@pytest.mark.parametrize(
    ("row", "point"),
    [
        (FIXED, MeasuredPoint("glow 8k1k b200 vllm fp4", 12.5, 310.0)),
        (AGENTIC, MeasuredPoint("glow agentic mi355x sglang fp8", 33.1, 12874.5)),
        (
            {**FIXED, "scenario_type": "agentic-coding", "p90_e2el": 7.5},
            MeasuredPoint("glow agentic b200 vllm fp4", 7.5, 310.0),
        ),
        ({**FIXED, "isl": 1536}, MeasuredPoint("glow 1.5k1k b200 vllm fp4", 12.5, 310.0)),
    ],
)
def test_a_point(row: dict[str, object], point: MeasuredPoint) -> None:
    assert measured_points([row]) == measured_points(row) == (point,)


@pytest.mark.parametrize("row", [{**FIXED, "median_e2el": None}, {**AGENTIC, "request_metrics": {"latency": []}}])
def test_what_is_missing_in_a_point_is_no_number(row: dict[str, object]) -> None:
    (point,) = measured_points(row)
    assert math.isnan(point.seconds)


@pytest.mark.parametrize(
    "value", [None, 7, "text", [], [1, "a", None], {}, [{"hw": "b200"}], {"rows": [FIXED]}, [[FIXED]]]
)
def test_what_is_no_row_is_left_out(value: object) -> None:
    assert (eval_results(value), measured_points(value)) == ((), ())


def test_an_acceptance_length_is_no_score() -> None:
    assert eval_results([{**EVAL, "task": "speedbench_al", "score_name": "acceptance_length"}]) == ()


def test_which_points_are_agentic() -> None:
    assert [is_agentic(point) for point in measured_points([FIXED, AGENTIC])] == [False, True]
