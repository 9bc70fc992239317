"""What the doctor says of a SLURM that answers otherwise: it holds jobs to limits, or its controller is silent."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.doctor.finding import FindingState
from tests.bot.doctor.slurm.far import findings, wrong
from tests.worlds.bot.until import wait_until
from tests.worlds.slurm import daemons
from tests.worlds.slurm.conf import NODES
from tests.worlds.slurm.up import idle_nodes
from tests.worlds.slurm.world import SlurmWorld


@pytest.fixture
def enforcing(slurm: SlurmWorld) -> Iterator[None]:
    """A SLURM that holds jobs to associations and limits: our user may run two jobs for bench, and submit three."""
    place, conf = slurm.place, slurm.place.conf / "slurm.conf"
    usual = conf.read_text()
    slurm.slurm("sacctmgr", "-i", "add", "account", "bench")
    slurm.slurm("sacctmgr", "-i", "add", "user", place.user, "account=bench", "MaxJobs=2", "MaxWall=03:00:00")
    slurm.slurm("sacctmgr", "-i", "modify", "account", "bench", "set", "GrpSubmitJobs=3")
    conf.write_text(f"{usual}AccountingStorageEnforce=associations,limits\n")
    restart(slurm)
    yield
    conf.write_text(usual)
    slurm.slurm("sacctmgr", "-i", "delete", "user", place.user, "account=bench")
    slurm.slurm("sacctmgr", "-i", "delete", "account", "bench")
    restart(slurm)


def restart(slurm: SlurmWorld) -> None:
    daemons.stop(slurm.place, "slurmctld")
    daemons.start_controller(slurm.place)
    wait_until(lambda: idle_nodes(slurm.place) == NODES, "idle nodes")


async def test_limits_of_a_slurm_that_enforces_them(
    slurm: SlurmWorld, line: str, text: str, enforcing: None, tmp_path: Path
) -> None:
    found = await findings(tmp_path, text)
    assert {"time limit", "max_jobs"} <= wrong(found) <= {"time limit", "max_jobs", "trial"}, found
    assert found["account"].detail == f"{slurm.place.user} may charge bench"
    assert "account bench allows 180" in found["time limit"].detail
    assert "account bench lets 3 be submitted" in found["max_jobs"].detail
    found = await findings(tmp_path, text.replace('account = "bench"', 'account = "nobody"\nmax_jobs = 1'))
    assert {"account", "trial"} == wrong(found), found
    assert f"{slurm.place.user} may not charge nobody" in found["account"].detail
    assert "bench" in found["account"].mend


async def test_a_controller_that_is_silent(slurm: SlurmWorld, line: str, text: str, tmp_path: Path) -> None:
    """What accounting and files tell is told all the same."""
    slurm.tell("slurmctld", signal.SIGSTOP)
    try:
        found = await findings(tmp_path, text)
    finally:
        slurm.tell("slurmctld", signal.SIGCONT)
    assert (found["controller"].state, "squeue --me failed" in found["controller"].detail) == (FindingState.BAD, True)
    asked = ("partition", "gpus", "trial", "kill wait", "epilog", "account", "time limit", "max_jobs")
    assert {found[name].state for name in asked} == {FindingState.UNKNOWN}
    assert wrong(found) == {"controller", *asked}
    assert found["accounting"].detail == "answers"
