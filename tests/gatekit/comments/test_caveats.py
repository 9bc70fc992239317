"""What must be known of a verdict before it is trusted: said once, with all that it is said of."""

from dataclasses import replace

import pytest

from gatekit.comments.sweep import render_gates
from gatekit.comments.sweep_folds import caveats
from gatekit.domain.gates import EngineName, PlanWarning, WarningCode
from gatekit.domain.sweep import GateRow, GateState, Sweep
from gatekit.domain.verdict import CurveOutcome, Verdict
from gatekit.engines.registry import ENGINES
from tests.worlds.bench.plans import LAUNCH, gate
from tests.worlds.bot.stories import FAILED, UNTOLD, judged, sweep

UNSEEN = "its counters are read as its sources describe them"


def swept(engine: EngineName, *verdicts: Verdict | None) -> Sweep:
    gates = [gate(f"g{n}", launch=replace(LAUNCH, engine=engine)) for n in range(len(verdicts))]
    return sweep(*(GateRow(one, GateState.JUDGED, 1, said) for one, said in zip(gates, verdicts, strict=True)))


@pytest.mark.parametrize(
    ("engine", "unseen"),
    [
        (EngineName("llamacpp"), False),
        (EngineName("vllm"), False),
        (EngineName("sglang"), True),
        (EngineName("trtllm"), True),
        (EngineName("atom"), True),
    ],
)
def test_a_measurement_of_an_engine_that_was_never_run_says_so(engine: EngineName, unseen: bool) -> None:
    measured = swept(engine, judged(CurveOutcome.ON_CURVE, 2.5, 2.5), FAILED, judged(CurveOutcome.BELOW, 2.0, 2.5))
    assert {about for text, about in caveats(measured).items() if UNSEEN in text} == (
        {("tiny g0", "tiny g2")} if unseen else set()
    )
    assert (UNSEEN in render_gates(measured, (), None)) is unseen
    assert (ENGINES.by_name[engine].unseen is not None) is unseen


def test_what_is_said_of_several_is_said_once() -> None:
    twice = swept(EngineName("llamacpp"), *[judged(CurveOutcome.ON_CURVE, 2.5, 2.5, UNTOLD)] * 2)
    forced = PlanWarning("tiny-g0", WarningCode.FORCED_AL_DIFFERS, "the row forces 2.49")
    told = replace(twice, plan=replace(twice.plan, warnings=(forced,)))
    assert caveats(told) == {"the row forces 2.49": ("tiny-g0",), UNTOLD: ("tiny g0", "tiny g1")}
