"""A head for which a selected run stands: no gate is started for it."""

from gatekit.bench.repo.settings_file import RepoSettings
from handlers.ports.bundle import Ports, Pull
from handlers.start import drop_older
from handlers.using import settle_use


async def stands(pull: Pull, settings: RepoSettings, do: Ports) -> bool:
    """Does a run that somebody selected stand for the head? It is checked anew, and what came of it is shown."""
    if await do.uses.kept(pull.ref) is None:
        return False
    decision = await settle_use(pull, settings, do)
    if decision is None or decision.chosen is None:
        return False
    await drop_older(pull, do)
    return True
