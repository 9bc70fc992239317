"""The slurm executor on a real SLURM behind a real sshd."""

from bot.cluster.executor import JobState
from gatekit.ending import Ending
from tests.worlds.slurm.world import SlurmWorld


async def test_a_gate_goes_from_its_submission_to_its_material(slurm: SlurmWorld) -> None:
    drill = slurm.drill("finish", "litter")
    await drill.submitted()
    status = await drill.ended()
    assert (status.state, status.ending) == (JobState.ENDED, Ending.REPLAYED), status
    material = await drill.executor.material(drill.name)
    assert material.result is not None
    assert await drill.executor.cancel([drill.name]) == {drill.name}
    assert len(drill.starts) == 1
    assert [state for _, state in drill.jobs()] == ["COMPLETED"]
    assert drill.processes() == []
    assert drill.scratch() == []
