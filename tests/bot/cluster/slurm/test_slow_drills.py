"""What SLURM itself takes half a minute to notice. All of these happen at once, each on a node of its own."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Mapping

from bot.cluster.executor import JobStatus
from gatekit.domain.sweep import Ending
from tests.worlds.bot.until import until
from tests.worlds.slurm import daemons
from tests.worlds.slurm.allowed import Drilled
from tests.worlds.slurm.world import Drill, SlurmWorld


def on(node: int) -> tuple[str, ...]:
    return (f"--nodelist=node{node}",)


async def limit_comes_at_once(slurm: SlurmWorld) -> tuple[Drill, JobStatus]:
    """No warning: TERM, and KILL soon after. SLURM calls it TIMEOUT."""
    drill = slurm.drill("sit", "daemon", "litter", request=slurm.request(options=on(1)))
    await drill.running()
    slurm.slurm("scontrol", "update", f"jobid={drill.starts[0]}", "EndTime=now+1")
    return drill, await drill.ended()


async def limit_is_near(slurm: SlurmWorld) -> tuple[Drill, JobStatus]:
    """USR1 comes first, and the script ends the job by itself. SLURM calls it FAILED."""
    drill = slurm.drill("deaf", "litter", request=slurm.request(options=on(1), minutes=1))
    await drill.running()
    return drill, await drill.ended()


async def node_dies(slurm: SlurmWorld) -> tuple[Drill, JobStatus]:
    """Its processes live on until the node is back, but nothing that they do counts any more."""
    drill = slurm.drill("sit", request=slurm.request(options=on(3)))
    await drill.running()
    daemons.stop(slurm.place, "slurmd-node3", signal.SIGKILL)
    status = await drill.ended()
    assert drill.processes() != []
    assert await drill.executor.cancel([drill.name]) == {drill.name}
    daemons.start_node(slurm.place, 3)
    await until(lambda: drill.processes() == [])
    return drill, status


async def prolog_fails(slurm: SlurmWorld) -> tuple[Drill, JobStatus]:
    """SLURM calls it CANCELLED, with no word of why."""
    flag = slurm.place.folder / "prolog-fails.node2"
    flag.touch()
    drill = slurm.drill("finish", request=slurm.request(options=on(2)))
    await drill.submitted()
    status = await drill.ended()
    flag.unlink()
    slurm.slurm("scontrol", "update", "nodename=node2", "state=resume")
    assert drill.starts == []
    return drill, status


async def preempted(slurm: SlurmWorld) -> tuple[Drill, JobStatus]:
    await asyncio.sleep(0)
    low = slurm.request(partition="low", options=(*on(1), "--cpus-per-task=12"))
    drill = slurm.drill("sit", "litter", request=low)
    await drill.running()
    high = slurm.drill("finish", request=slurm.request(options=(*on(1), "--cpus-per-task=12")))
    await high.submitted()
    status = await drill.ended()
    assert (await high.ended()).ending is Ending.REPLAYED
    return drill, status


TABLE: Mapping[Drilled, Callable[[SlurmWorld], Awaitable[tuple[Drill, JobStatus]]]] = {
    Drilled.LIMIT: limit_comes_at_once,
    Drilled.LIMIT_WARNED: limit_is_near,
    Drilled.NODE: node_dies,
    Drilled.PROLOG: prolog_fails,
    Drilled.PREEMPTED: preempted,
}


async def test_what_slurm_takes_its_time_for(slurm: SlurmWorld) -> None:
    outcomes = await asyncio.gather(*(drill(slurm) for drill in TABLE.values()))
    for drilled, (drill, status) in zip(TABLE, outcomes, strict=True):
        drilled.value.check(drill, status)
        assert drill.processes() == [], drilled
        assert drilled is Drilled.NODE or drill.scratch() == [], drilled
