"""238 gates from the database to a real SLURM: one connection, every channel granted, one question for each look."""

import contextlib
import logging
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.cluster.executor import RunningCluster
from bot.scheduler.scheduler import GateScheduler, Rhythm
from bot.store.database import Database
from gatekit.comments.audit import gate_notes
from gatekit.domain.ids import SweepId
from gatekit.domain.sweep import GateState
from tests.worlds.bench.plans import gate, wish
from tests.worlds.bot.bot_world import CLUSTER
from tests.worlds.bot.hand_clock import HandClock
from tests.worlds.bot.yard import stores_in
from tests.worlds.slurm.cable import cable_to
from tests.worlds.slurm.world import SlurmWorld

MANY = tuple(gate(f"many-{n}") for n in range(238))
EACH = 16 << 10  # bytes, both ways, for one gate


@contextlib.contextmanager
def usual_sshd(slurm: SlurmWorld) -> Iterator[None]:
    """Its MaxSessions is what sshd has by itself, ten; in the other drills there is none to spare."""
    path = slurm.place.conf / "sshd_config"
    text = path.read_text()
    for now in (text.replace(f"MaxSessions {slurm.place.sessions}", "MaxSessions 10"), text):
        path.write_text(now)
        slurm.tell("sshd", signal.SIGHUP)
        if now is not text:
            yield


async def test_a_sweep_of_238_gates(slurm: SlurmWorld, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "bot.cluster.ssh.client")
    held = slurm.request(options=("--hold",))  # what they would do is not the question here
    with usual_sshd(slurm):
        async with Database(tmp_path / "gatekit.db") as db, cable_to(slurm.address, tmp_path) as cable:
            clock = HandClock()
            stores = stores_in(db, clock)
            executor = slurm.executor(cable.address, request=held, root=slurm.place.shared / "many")
            here = RunningCluster(replace(CLUSTER, name="small"), executor, max_jobs=len(MANY))
            scheduler = GateScheduler(stores, (here,), lambda event: None, Rhythm(clock, 60, sleep=clock.sleep))
            await executor.put_programs()
            await stores.sweeps.announced((await stores.sweeps.create(wish(*MANY), gate_notes)).id)

            submitted, carried = slurm.submissions(), cable.carried
            await scheduler.look()
            assert slurm.submissions() - submitted == len(MANY)
            assert cable.carried - carried <= len(MANY) * EACH
            rows = (await stores.sweeps.get(SweepId(1))).rows
            assert {row.state for row in rows} == {GateState.RUNNING}
            waiting = slurm.slurm("squeue", "-h", "-t", "PENDING", "-u", slurm.place.user, "-o", "%j").split()
            assert len(set(waiting)) == len(waiting) == len(MANY)

            before = slurm.questions()
            await scheduler.look()
            assert slurm.questions() - before == 1
            assert len(scheduler.statuses) == len(MANY)
            assert cable.plugged == 1
    assert [record.getMessage() for record in caplog.records if "refused a channel" in record.getMessage()] == []
