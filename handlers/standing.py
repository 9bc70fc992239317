"""A head for which a selected run stands: no gate is started for it, and its check run says which run answers."""

from gatekit.comments.check import standing_report
from gatekit.settings import RepoSettings
from gatekit.using import Chosen
from handlers.ports import Ports, Pull
from handlers.start import drop_older
from handlers.using import settle_use


async def stands(pull: Pull, settings: RepoSettings, do: Ports) -> bool:
    """Does a run that somebody selected stand for the head? It is checked anew; where it does, that is shown."""
    if await do.uses.kept(pull.ref) is None:
        return False
    decision = await settle_use(pull, settings, do)
    if decision is None or not isinstance(decision.answer, Chosen):
        return False
    await drop_older(pull, do)
    if await do.sweeps.answering(pull.ref, pull.head) is None:
        await do.checks.put(pull.ref.repo, standing_report(pull.head, decision))
    return True
