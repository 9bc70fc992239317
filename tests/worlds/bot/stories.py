"""Sweeps at every stage of their life, as they are stored and shown."""

from dataclasses import replace
from datetime import UTC, datetime

from gatekit.domain.gates import GatePlan, Golden, PlanWarning, Reason, StrippedKnob, Tolerance, Unresolved, WarningCode
from gatekit.domain.ids import Login, Sha, SweepId
from gatekit.domain.sweep import Cause, GateRow, GateState, Sweep, SweepState
from gatekit.domain.verdict import CurveOutcome, Judged, NotMeasured, Realized, Unmeasured
from gatekit.measure.judge import compare
from tests.worlds.bench.plans import DRAFTING, PR, gate

HEAD = Sha("abc1234def5678abc1234def5678abc1234def56")
EARLIER = Sha("0123456789abcdef0123456789abcdef01234567")

NEAR = gate("near", stripped=(StrippedKnob("roles.agg.args.spec-synth-len", "spec-synth-len", "2.6"),))
FAR = gate("far", golden=Golden("tiny_draft", 3.10, Tolerance(0.05, 0.05)))
NO_HEAD = gate("mtp", drafting=replace(DRAFTING, method="mtp", draft_model=None, k=3))
SAMPLED = gate("sampled", drafting=replace(DRAFTING, draft_sample_method="probabilistic"))

UNRESOLVED = (
    Unresolved("tiny-trt", "dynamo-trt", 1, Reason.EXEMPT_FRAMEWORK, "The framework dynamo-trt is never gated."),
    Unresolved("tiny-trt", "dynamo-trt", 4, Reason.EXEMPT_FRAMEWORK, "The framework dynamo-trt is never gated."),
    Unresolved("tiny-eagle", "vllm", 8, Reason.NO_CURVE, "There is no golden curve tiny_eagle3; collect one."),
)
WARNINGS = (PlanWarning("tiny-near", WarningCode.FORCED_AL_DIFFERS, "The row forces 2.49, golden AL for K=4 is 2.50."),)
UNTOLD = "The curve does not state how a thinking answer looks, so the thinking mode could not be checked."


def judged(outcome: CurveOutcome, al: float, golden: float, *warnings: str) -> Judged:
    """With the outcome that these numbers have, at a tolerance of 5 %."""
    realized = Realized(al, al - 0.02, al + 0.02, 2000, 3000, 8000)
    made = compare(realized, Golden("tiny", golden, Tolerance(0.05, 0.05)), warnings)
    assert made.outcome is outcome
    return made


ON_CURVE = judged(CurveOutcome.ON_CURVE, 2.48, 2.50, UNTOLD)
BELOW = judged(CurveOutcome.BELOW, 2.70, 3.10, UNTOLD)
ABOVE = judged(CurveOutcome.ABOVE, 3.40, 3.10)
INCONCLUSIVE = judged(CurveOutcome.INCONCLUSIVE, 2.38, 2.50)
FAILED = NotMeasured(
    Unmeasured.ENGINE_FAILED, "The engine did not start: exit status 1, see `vllm/engine.py:10` of @octocat."
)


def sweep(*rows: GateRow, **changes: object) -> Sweep:
    """A running, report-only sweep of these rows; a plan without anything unresolved."""
    gates = tuple(row.gate for row in rows)
    points = sum(len(one.concurrencies) for one in gates)
    whole = Sweep(
        id=SweepId(12),
        pr=PR,
        head=HEAD,
        label="full-sweep-enabled",
        sender=Login("mona"),
        cause=Cause.LABEL,
        state=SweepState.RUNNING,
        ended_because=None,
        announced=True,
        enforce=False,
        created=datetime(2026, 11, 30, 12, tzinfo=UTC),
        plan=GatePlan(HEAD, points, gates, (), (), ()),
        rows=rows,
    )
    return replace(whole, **changes)  # type: ignore[arg-type]


def with_leftovers(whole: Sweep) -> Sweep:
    """The sweep, and points without a gate, a config without an entry, and a warning."""
    plan = replace(
        whole.plan,
        points=whole.plan.points + len(UNRESOLVED),
        unresolved=UNRESOLVED,
        uncovered=("tiny-new", "tiny-other"),
        warnings=WARNINGS,
    )
    return replace(whole, plan=plan)


def planned() -> Sweep:
    rows = (GateRow(one, GateState.WAITING, 0) for one in (NEAR, FAR, NO_HEAD))
    return with_leftovers(sweep(*rows, announced=False))


def halfway() -> Sweep:
    return with_leftovers(
        sweep(
            GateRow(NEAR, GateState.JUDGED, 1, ON_CURVE),
            GateRow(FAR, GateState.JUDGED, 1, BELOW),
            GateRow(NO_HEAD, GateState.RUNNING, 2),
            GateRow(SAMPLED, GateState.WAITING, 0),
        )
    )


def failed() -> Sweep:
    tail = (
        "loading model",
        "Traceback (most recent call last):",
        '  File "<string>", line 1',
        "```",
        "@octocat see #12",
    )
    return sweep(
        GateRow(NEAR, GateState.JUDGED, 1, ON_CURVE),
        GateRow(FAR, GateState.JUDGED, 1, ABOVE),
        GateRow(NO_HEAD, GateState.JUDGED, 2, FAILED, tail),
        GateRow(SAMPLED, GateState.JUDGED, 1, INCONCLUSIVE),
        state=SweepState.DONE,
        ended_because="every gate has ended",
        enforce=True,
    )


def all_well() -> Sweep:
    rows = (
        GateRow(NEAR, GateState.JUDGED, 1, ON_CURVE),
        GateRow(SAMPLED, GateState.JUDGED, 1, judged(CurveOutcome.ON_CURVE, 2.5, 2.5)),
    )
    return sweep(*rows, state=SweepState.DONE, ended_because="every gate has ended")


def superseded() -> Sweep:
    rows = (GateRow(NEAR, GateState.JUDGED, 1, ON_CURVE), GateRow(FAR, GateState.CANCELLED, 1))
    return sweep(
        *rows,
        id=SweepId(11),
        head=EARLIER,
        state=SweepState.SUPERSEDED,
        ended_because="the head moved to abc1234",
    )


def cancelled() -> Sweep:
    row = GateRow(NEAR, GateState.CANCELLED, 0)
    because = "the label full-sweep-enabled was removed by mona"
    return sweep(row, state=SweepState.CANCELLED, ended_because=because)


def empty() -> Sweep:
    return sweep(state=SweepState.DONE, ended_because="every gate has ended")


def leftovers_only() -> Sweep:
    return with_leftovers(empty())
