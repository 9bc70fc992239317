"""Sweeps and gates in the store: one row of life after another, and nothing twice."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.store.database import Database
from bot.store.jobs import JobStore, OpenGate
from bot.store.sweeps import SweepStore
from gatekit.comments.audit import gate_notes
from gatekit.domain.sweep import GateState, SweepState
from gatekit.domain.verdict import Band, CurveOutcome, Judged, NotMeasured, Realized, Unmeasured
from tests.worlds.bench.plans import HEAD, NEXT_HEAD, PR, gate, wish

JUDGED = Judged(CurveOutcome.BELOW, Realized(1.51, 1.48, 1.54, 900, 460, 3600), 2.5, Band(2.375, 2.625))
LOST = NotMeasured(Unmeasured.LOST, "no result was found")


class FixedClock:
    def now(self) -> datetime:
        return datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database(tmp_path / "gatekit.db") as db:
        yield db


@pytest.fixture
def sweeps(db: Database) -> SweepStore:
    return SweepStore(db, FixedClock())


@pytest.fixture
def jobs(db: Database) -> JobStore:
    return JobStore(db)


async def ended(sweeps: SweepStore, jobs: JobStore) -> OpenGate:
    """The first open gate, brought to its end."""
    for state in (GateState.SUBMITTING, GateState.RUNNING, GateState.ENDED):
        first = (await jobs.open())[0]
        assert await jobs.move(first, state)
    return (await jobs.open())[0]


async def test_a_sweep_comes_back_as_it_was_stored(sweeps: SweepStore) -> None:
    new = wish(gate("near"), gate("far"))
    stored = await sweeps.create(new, gate_notes)
    assert stored.plan == new.plan
    assert stored.rows == (await sweeps.get(stored.id)).rows
    assert [row.state for row in stored.rows] == [GateState.WAITING, GateState.WAITING]
    assert (stored.head, stored.label, stored.state) == (HEAD, "full-sweep-enabled", SweepState.RUNNING)


async def test_the_same_head_twice_is_one_sweep(sweeps: SweepStore) -> None:
    first = await sweeps.create(wish(gate()), gate_notes)
    assert await sweeps.create(wish(gate()), gate_notes) == first
    assert len(await sweeps.history(PR)) == 1


async def test_a_new_head_supersedes_the_running_sweep(sweeps: SweepStore) -> None:
    old = await sweeps.create(wish(gate()), gate_notes)
    new = await sweeps.create(wish(gate(), head=NEXT_HEAD), gate_notes)
    old = await sweeps.get(old.id)
    assert old.state is SweepState.SUPERSEDED
    assert [row.state for row in old.rows] == [GateState.CANCELLED]
    assert [one.id for one in await sweeps.history(PR)] == [new.id, old.id]


@pytest.mark.parametrize(
    ("then", "answers"),
    [
        ("runs", True),
        ("done", True),
        ("cancelled", False),
        ("retired", False),
        ("another head", False),
        ("older than a newer sweep", False),
    ],
)
async def test_which_sweep_answers_for_a_head(sweeps: SweepStore, then: str, answers: bool) -> None:
    sweep = await sweeps.create(wish(gate()), gate_notes)
    match then:
        case "done":
            await sweeps.end(sweep.id, SweepState.DONE, "all gates ended")
        case "cancelled":
            await sweeps.end(sweep.id, SweepState.CANCELLED, "the label was removed")
        case "retired":
            await sweeps.retire(PR)
        case "older than a newer sweep":
            await sweeps.create(wish(gate(), head=NEXT_HEAD), gate_notes)
    asked = NEXT_HEAD if then == "another head" else HEAD
    assert (await sweeps.answering(PR, asked) is not None) == answers


async def test_nothing_is_open_before_the_plan_stands_on_the_pr(sweeps: SweepStore, jobs: JobStore) -> None:
    sweep = await sweeps.create(wish(gate()), gate_notes)
    assert await jobs.open() == ()
    await sweeps.announced(sweep.id)
    assert [one.state for one in await jobs.open()] == [GateState.WAITING]


async def test_each_submission_is_an_attempt_with_a_name_of_its_own(sweeps: SweepStore, jobs: JobStore) -> None:
    sweep = await sweeps.create(wish(gate()), gate_notes)
    await sweeps.announced(sweep.id)
    (waiting,) = await jobs.open()
    assert await jobs.move(waiting, GateState.SUBMITTING)
    (submitting,) = await jobs.open()
    assert submitting.attempt == 1
    assert submitting.job == f"gk-{sweep.id}-{gate().key[:8]}-1"
    assert not await jobs.move(waiting, GateState.SUBMITTING)  # somebody else's step is not taken again


@pytest.mark.parametrize("verdict", [JUDGED, LOST], ids=["judged", "not measured"])
async def test_a_verdict_is_kept_and_never_replaced(
    sweeps: SweepStore, jobs: JobStore, verdict: Judged | NotMeasured
) -> None:
    sweep = await sweeps.create(wish(gate()), gate_notes)
    await sweeps.announced(sweep.id)
    await ended(sweeps, jobs)
    after = await sweeps.judged(sweep.id, gate().key, verdict, ("the last line",))
    assert (after.rows[0].verdict, after.rows[0].log_tail) == (verdict, ("the last line",))
    assert after.finished
    again = await sweeps.judged(sweep.id, gate().key, NotMeasured(Unmeasured.CANCELLED, "too late"), ())
    assert again.rows[0].verdict == verdict


async def test_a_cancelled_sweep_leaves_its_jobs_to_be_cancelled_until_they_are_gone(
    sweeps: SweepStore, jobs: JobStore
) -> None:
    sweep = await sweeps.create(wish(gate("near"), gate("far")), gate_notes)
    await sweeps.announced(sweep.id)
    await ended(sweeps, jobs)
    await sweeps.end(sweep.id, SweepState.CANCELLED, "the label was removed")
    assert await jobs.open() == ()
    to_cancel = await jobs.to_cancel()
    assert [one.key for one in to_cancel] == [gate("near").key]  # the other was never submitted
    await jobs.gone(to_cancel)
    assert await jobs.to_cancel() == ()


async def test_an_ended_sweep_stays_as_it_ended(sweeps: SweepStore) -> None:
    sweep = await sweeps.create(wish(gate()), gate_notes)
    await sweeps.end(sweep.id, SweepState.DONE, "all gates ended")
    after = await sweeps.end(sweep.id, SweepState.CANCELLED, "closed")
    assert (after.state, after.ended_because) == (SweepState.DONE, "all gates ended")
