"""What an attempt left behind: fetched once, kept, and never guessed."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.files import SystemClock
from bot.scheduler.results import ClusterResults
from bot.store.database import Database
from bot.store.measurements import MaterialStore
from bot.store.sweeps import SweepStore
from gatekit.cluster.job import job_for
from gatekit.comments.audit import gate_notes
from gatekit.domain.ids import JobName, SweepId, job_name
from gatekit.domain.job import Material
from gatekit.domain.sweep import Sweep
from handlers.errors import LookupFailed
from tests.worlds.bench import plans
from tests.worlds.bot.bot_world import CLUSTER
from tests.worlds.cluster.scripted_cluster import NOTHING, ScriptedCluster

GATE = plans.gate()
NAME = job_name(SweepId(1), GATE.key, 1)
LEFT = Material("{}", {"agg-0": "a 1\n"}, {"agg-0": "a 2\n"}, None, "hello\n", None)


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database(tmp_path / "gatekit.db") as db:
        yield db


@pytest.fixture
async def sweep(db: Database) -> Sweep:
    return await SweepStore(db, SystemClock()).create(plans.wish(GATE), gate_notes)


@pytest.fixture
async def cluster(tmp_path: Path) -> ScriptedCluster:
    cluster = ScriptedCluster(tmp_path / "cluster")
    await cluster.submit(job_for(GATE, SweepId(1), 1, CLUSTER))
    cluster.leave(JobName(NAME), LEFT)
    return cluster


async def test_it_is_fetched_once_and_kept(db: Database, sweep: Sweep, cluster: ScriptedCluster) -> None:
    results = ClusterResults({GATE.cluster: cluster}, MaterialStore(db))
    assert await results.material(sweep, GATE.key, 1) == LEFT
    cluster.out_of_reach = True
    assert await results.material(sweep, GATE.key, 1) == LEFT
    assert await ClusterResults({}, MaterialStore(db)).material(sweep, GATE.key, 1) == LEFT


async def test_out_of_reach_is_no_answer(db: Database, sweep: Sweep, cluster: ScriptedCluster) -> None:
    cluster.out_of_reach = True
    with pytest.raises(LookupFailed, match=f"the result of {NAME} could not be fetched: the cluster does not answer"):
        await ClusterResults({GATE.cluster: cluster}, MaterialStore(db)).material(sweep, GATE.key, 1)


async def test_a_cluster_that_was_taken_away_is_no_answer(db: Database, sweep: Sweep) -> None:
    with pytest.raises(LookupFailed, match="no cluster serves cluster:demo any more: put it back"):
        await ClusterResults({}, MaterialStore(db)).material(sweep, GATE.key, 1)


async def test_another_attempt_has_its_own(db: Database, sweep: Sweep, cluster: ScriptedCluster) -> None:
    results = ClusterResults({GATE.cluster: cluster}, MaterialStore(db))
    assert await results.material(sweep, GATE.key, 1) == LEFT
    await cluster.submit(replace(job_for(GATE, SweepId(1), 2, CLUSTER)))
    assert await results.material(sweep, GATE.key, 2) == NOTHING
