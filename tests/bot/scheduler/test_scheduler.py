"""The scheduler alone: what it asks of clusters, and what it never lets one of them do to the others."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.cluster.executor import ClusterUnreachable
from bot.store.database import Database
from gatekit.comments.audit import gate_notes
from gatekit.domain.errors import Refusal
from gatekit.domain.ids import SweepId
from gatekit.domain.sweep import GateState, SweepState
from handlers.events import GateEnded, SweepUnshown
from tests.worlds.bench.plans import PR, gate, wish
from tests.worlds.bot.yard import AWAY, FAR, HERE, LAST, NEAR, NOWHERE, Yard, yard_in


@pytest.fixture
async def yard(tmp_path: Path) -> AsyncIterator[Yard]:
    async with Database(tmp_path / "gatekit.db") as db:
        yield yard_in(tmp_path, db)


async def test_nothing_is_submitted_before_the_plan_stands_on_the_pull_request(yard: Yard) -> None:
    new = await yard.stores.sweeps.create(wish(NEAR), gate_notes)
    await yard.scheduler.look()
    assert yard.here.submitted == []
    await yard.stores.sweeps.announced(new.id)
    await yard.scheduler.look()
    assert yard.here.started == [yard.name(NEAR)]


async def test_gates_go_to_the_cluster_that_serves_them_as_far_as_there_is_room(yard: Yard) -> None:
    await yard.sweep(NEAR, FAR, LAST, AWAY, NOWHERE)
    await yard.scheduler.look()
    assert yard.here.started == [yard.name(NEAR), yard.name(FAR)]
    assert yard.away.started == [yard.name(AWAY)]
    assert await yard.states() == ["running", "running", "waiting", "running", "waiting"]
    yard.here.finish(yard.name(NEAR), 2.5)
    await yard.scheduler.look()
    assert yard.here.started[2:] == [yard.name(LAST)]


async def test_a_gate_that_ended_is_told_until_it_is_judged(yard: Yard) -> None:
    await yard.sweep(NEAR)
    await yard.scheduler.look()
    yard.here.finish(yard.name(NEAR), 2.5)
    await yard.scheduler.look()
    await yard.scheduler.look()
    assert yard.posted == [GateEnded(PR, SweepId(1), NEAR.key, 1)] * 2


async def test_a_job_that_the_cluster_does_not_know_any_more_has_ended(yard: Yard) -> None:
    await yard.sweep(NEAR)
    await yard.scheduler.look()
    yard.here.lose(yard.name(NEAR))
    await yard.scheduler.look()
    assert await yard.states() == ["ended"]


async def test_a_cluster_out_of_reach_holds_up_nobody_else(yard: Yard) -> None:
    await yard.sweep(NEAR, AWAY)
    yard.here.out_of_reach = True
    await yard.scheduler.look()
    assert yard.away.started == [yard.name(AWAY)]
    assert yard.scheduler.out_of_reach_seconds()["demo"] > 0
    assert yard.scheduler.out_of_reach_seconds()["away"] == 0
    yard.here.out_of_reach = False
    await yard.scheduler.look()
    assert yard.here.started == [yard.name(NEAR)]
    assert yard.scheduler.out_of_reach_seconds()["demo"] == 0


async def test_a_lost_answer_to_a_submission_is_asked_for_again_under_the_same_name(yard: Yard) -> None:
    await yard.sweep(NEAR)
    yard.here.refusals = {"draft-near": ClusterUnreachable("the answer was lost")}
    await yard.scheduler.look()
    assert await yard.states() == ["submitting"]
    yard.here.refusals = {}
    await yard.scheduler.look()
    assert yard.here.submitted == [yard.name(NEAR)] * 2
    assert await yard.states() == ["running"]


async def test_a_gate_that_cannot_be_submitted_ends_with_the_reason_and_holds_up_nobody_else(yard: Yard) -> None:
    odd = gate("odd", launch=replace(HERE, args=(("model-draft", "gatekit-demo/odd.gguf"), ("draft-max", 4))))
    await yard.sweep(odd, NEAR)
    yard.here.refusals = {"odd.gguf": Refusal("the clusters file does not say how")}
    await yard.scheduler.look()
    assert await yard.states() == ["ended", "running"]
    material = await yard.stores.materials.get(yard.name(odd))
    assert material is not None
    assert material.job_log == "not submitted: the clusters file does not say how\n"
    await yard.scheduler.look()
    assert yard.here.submitted.count(yard.name(odd)) == 1


async def test_an_unexpected_failure_of_one_submission_is_tried_again_and_holds_up_nobody_else(yard: Yard) -> None:
    odd = gate("odd", launch=replace(HERE, args=(("model-draft", "gatekit-demo/odd.gguf"), ("draft-max", 4))))
    await yard.sweep(odd, NEAR, AWAY)
    yard.here.refusals = {"odd.gguf": OSError("no space left on device")}
    await yard.scheduler.look()
    assert await yard.states() == ["submitting", "running", "running"]
    yard.here.refusals = {}
    await yard.scheduler.look()
    assert await yard.states() == ["running", "running", "running"]


async def test_what_is_cancelled_is_asked_to_end_until_it_is_gone_and_keeps_its_place_so_long(yard: Yard) -> None:
    await yard.sweep(NEAR, FAR)
    await yard.scheduler.look()
    await yard.stores.sweeps.end(SweepId(1), SweepState.CANCELLED, "the label was removed")
    await yard.sweep(LAST)
    yard.here.stubborn = True
    await yard.scheduler.look()
    assert await yard.states(2) == ["waiting"]
    yard.here.stubborn = False
    await yard.scheduler.look()
    assert yard.here.running == [yard.name(LAST, 2)]
    asked = len(yard.here.cancelled)
    await yard.scheduler.look()
    assert len(yard.here.cancelled) == asked == 4


async def test_a_gate_that_was_never_submitted_is_not_asked_about_when_it_is_cancelled(yard: Yard) -> None:
    await yard.sweep(NEAR, FAR, LAST)
    await yard.scheduler.look()
    await yard.stores.sweeps.end(SweepId(1), SweepState.CANCELLED, "the label was removed")
    await yard.scheduler.look()
    assert sorted(yard.here.cancelled) == sorted([yard.name(NEAR), yard.name(FAR)])


async def test_a_sweep_that_changed_and_was_not_shown_is_told(yard: Yard) -> None:
    new = await yard.stores.sweeps.create(wish(NEAR), gate_notes)
    await yard.scheduler.look()
    assert yard.posted == [SweepUnshown(PR)]
    await yard.stores.sweeps.shown(new.id, new.changes)
    await yard.scheduler.look()
    assert yard.posted == [SweepUnshown(PR)]
    await yard.stores.sweeps.end(new.id, SweepState.CANCELLED, "the label was removed")
    await yard.scheduler.look()
    assert yard.posted == [SweepUnshown(PR)] * 2


async def test_another_process_goes_on_from_the_stored_state(tmp_path: Path, yard: Yard) -> None:
    await yard.sweep(NEAR, FAR)
    await yard.scheduler.look()
    yard.here.finish(yard.name(FAR), 2.5)
    async with Database(tmp_path / "gatekit.db") as db:
        other = yard_in(tmp_path, db)
        await other.scheduler.look()
        assert other.posted == [GateEnded(PR, SweepId(1), FAR.key, 1)]
    assert yard.here.submitted == [yard.name(NEAR), yard.name(FAR)]
    assert (await yard.stores.jobs.open())[1].state is GateState.ENDED
