"""A sweep does not stand on its pull request as it is stored."""

from handlers.events import SweepUnshown
from handlers.ports.bundle import Ports
from handlers.start import go_on


async def on_sweep_unshown(event: SweepUnshown, do: Ports) -> None:
    """Goes on where a process died, or where GitHub could not be reached. Often that was done meanwhile."""
    newest = await do.sweeps.newest(event.pr)
    if newest is not None and await do.sweeps.unshown(event.pr):
        await go_on(newest, do)
