"""A gate whose node failed goes to another one, where there is another one."""

from bot.cluster.executor import JobState
from gatekit.domain.sweep import Ending
from tests.worlds.slurm import conf
from tests.worlds.slurm.world import Drill, SlurmWorld

ALL = [f"node{number}" for number in range(1, conf.NODES + 1)]


async def ended_on(drill: Drill, avoid: list[str]) -> str | None:
    await drill.executor.submit(drill.job, avoid)
    status = await drill.ended()
    assert (status.state, status.ending) == (JobState.ENDED, Ending.REPLAYED), status
    return status.node


async def test_a_job_keeps_away_from_the_nodes_that_it_is_told_and_says_where_it_ran(slurm: SlurmWorld) -> None:
    assert await ended_on(slurm.drill("finish"), ALL[:-1]) == ALL[-1]
    assert await ended_on(slurm.drill("finish"), ALL[1:]) == ALL[0]


async def test_where_no_other_node_is_left_it_runs_all_the_same(slurm: SlurmWorld) -> None:
    drill = slurm.drill("finish")
    assert await ended_on(drill, ALL) in ALL
    assert len(drill.starts) == 1


async def test_a_node_that_does_not_exist_is_no_reason_to_refuse(slurm: SlurmWorld) -> None:
    """It was taken out of the cluster since it failed."""
    assert await ended_on(slurm.drill("finish"), ["node99"]) in ALL
