"""Gates that a canary or fail-fast keeps from ever being started."""

from gatekit.domain.sweep import Sweep, SweepState
from gatekit.sweep.scheduling import never_start
from handlers.ports.bundle import Ports


async def pass_over(sweep: Sweep, do: Ports) -> Sweep:
    """The sweep, once it is stored which of its gates will not be started. Doing it again changes nothing."""
    if sweep.state is not SweepState.RUNNING:
        return sweep
    never = never_start(sweep, {runner: cluster.name for runner, cluster in do.site.clusters.items()})
    return await do.sweeps.passed_over(sweep.id, never) if never else sweep
