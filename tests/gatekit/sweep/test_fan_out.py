"""The canary, and what stops a sweep from starting more."""

from dataclasses import replace

import pytest

from gatekit.domain.gates import Gate
from gatekit.domain.sweep import GateRow, GateState, Sweep
from gatekit.domain.verdict import NotMeasured, Unmeasured
from gatekit.sweep.scheduling import canary, may_start, never_start
from tests.worlds.bench.plans import LAUNCH, gate
from tests.worlds.bot.stories import BELOW, FAILED, ON_CURVE, sweep

HERE = {"cluster:demo": "demo", "cluster:other-runner": "demo", "cluster:away": "away"}


def needs(name: str, gpus: int = 1, nodes: int = 1, **changes: object) -> Gate:
    return gate(name, launch=replace(LAUNCH, gpus=gpus, nodes=nodes), **changes)


def waits(one: Gate) -> GateRow:
    return GateRow(one, GateState.WAITING, 0)


def judged(one: Gate, verdict: object) -> GateRow:
    return GateRow(one, GateState.JUDGED, 1, verdict)  # type: ignore[arg-type]


def keys(*gates: Gate) -> set[str]:
    return {one.key for one in gates}


NEAR, FAR, AWAY = needs("near"), needs("far"), needs("away", cluster="cluster:away")


@pytest.mark.parametrize(
    ("gates", "chosen"),
    [
        ([needs("eight", 8), needs("one", 1), needs("two", 2)], "one"),
        ([needs("busy", representative=64), needs("calm", representative=1)], "calm"),
        ([needs("first"), needs("second")], "first"),
        ([needs("wide", nodes=2), needs("eight", 8)], "eight"),
        ([needs("nowhere", cluster="cluster:nowhere"), needs("eight", 8)], "eight"),
        ([needs("wide", nodes=2), needs("nowhere", cluster="cluster:nowhere")], None),
    ],
)
def test_the_canary_is_the_cheapest_gate_that_can_run(gates: list[Gate], chosen: str | None) -> None:
    found = canary(sweep(*map(waits, gates), canary=True), HERE)
    assert (None if found is None else found.gate.title) == (None if chosen is None else f"tiny {chosen}")
    assert canary(sweep(*map(waits, gates)), HERE) is None


@pytest.mark.parametrize("state", [GateState.WAITING, GateState.SUBMITTING, GateState.RUNNING, GateState.ENDED])
def test_until_the_canary_is_measured_nothing_else_starts(state: GateState) -> None:
    story = sweep(GateRow(NEAR, state, 1), waits(FAR), waits(AWAY), canary=True)
    assert may_start(story, HERE) <= keys(NEAR)
    assert never_start(story, HERE) == {}


def test_the_canary_itself_may_start() -> None:
    assert may_start(sweep(waits(NEAR), waits(FAR), canary=True), HERE) == keys(NEAR)


@pytest.mark.parametrize("verdict", [ON_CURVE, BELOW])
def test_a_measured_canary_lets_the_others_go(verdict: object) -> None:
    """Off the curve is no failure."""
    story = sweep(judged(NEAR, verdict), waits(FAR), waits(AWAY), canary=True, fail_fast=True)
    assert may_start(story, HERE) == keys(FAR, AWAY)
    assert never_start(story, HERE) == {}


def test_a_canary_that_could_not_be_measured_stops_the_whole_sweep() -> None:
    story = sweep(judged(NEAR, FAILED), waits(FAR), waits(AWAY), canary=True)
    reason = "Not started: the canary tiny near could not be measured (engine-failed)."
    assert never_start(story, HERE) == dict.fromkeys(keys(FAR, AWAY), NotMeasured(Unmeasured.CANARY, reason))
    assert may_start(story, HERE) == frozenset()
    assert may_start(passed_over(story), HERE) == frozenset()
    assert never_start(passed_over(story), HERE) == {}


def test_without_a_candidate_all_start() -> None:
    wide = needs("wide", nodes=2)
    assert may_start(sweep(waits(wide), canary=True), HERE) == keys(wide)


def test_fail_fast_stops_what_has_not_started_in_the_same_cluster() -> None:
    same = needs("same", cluster="cluster:other-runner")
    again = GateRow(needs("again"), GateState.WAITING, 1)  # begun, and to be tried again
    runs = GateRow(needs("runs"), GateState.RUNNING, 1)
    story = sweep(judged(NEAR, FAILED), waits(FAR), waits(same), waits(AWAY), again, runs, fail_fast=True)
    reason = "Not started: tiny near could not be measured on the same cluster (engine-failed)."
    assert never_start(story, HERE) == dict.fromkeys(keys(FAR, same), NotMeasured(Unmeasured.FAIL_FAST, reason))
    assert may_start(story, HERE) == keys(AWAY) | {again.gate.key}
    assert never_start(passed_over(story), HERE) == {}


def test_a_gate_that_is_tried_again_is_no_failure_yet() -> None:
    story = sweep(GateRow(NEAR, GateState.WAITING, 1), waits(FAR), fail_fast=True)
    assert (may_start(story, HERE), never_start(story, HERE)) == (keys(NEAR, FAR), {})


def test_until_it_is_known_how_a_gate_ended_nothing_starts_beside_it() -> None:
    rows = (GateRow(NEAR, GateState.ENDED, 1), waits(FAR), waits(AWAY))
    assert may_start(sweep(*rows, fail_fast=True), HERE) == keys(AWAY)
    assert may_start(sweep(*rows), HERE) == keys(FAR, AWAY)


def test_without_fail_fast_a_failure_stops_nothing() -> None:
    story = sweep(judged(NEAR, FAILED), waits(FAR))
    assert (may_start(story, HERE), never_start(story, HERE)) == (keys(FAR), {})


def passed_over(story: Sweep) -> Sweep:
    never = never_start(story, HERE)
    rows = tuple(
        replace(row, state=GateState.JUDGED, verdict=never[row.gate.key]) if row.gate.key in never else row
        for row in story.rows
    )
    return replace(story, rows=rows)
