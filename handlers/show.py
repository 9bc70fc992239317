"""Brings what stands on a PR up to date with what is stored."""

from gatekit.comments.check import check_report
from gatekit.comments.gates import render_gates
from gatekit.comments.slots import Slot
from gatekit.ids import PrRef
from handlers.ports import Ports


async def show(pr: PrRef, do: Ports, *, first: bool = False) -> None:
    """Writes the `gates` comment and the check run of the PR's newest sweep. Writing the same twice changes nothing.

    `first`: the newest sweep was stored a moment ago, by this very handler.
    """
    history = await do.sweeps.history(pr)
    if not history:
        return
    newest, *earlier = history
    await do.comments.upsert(pr, Slot.GATES, render_gates(newest, earlier, do.site.public_url))
    await do.checks.put(pr.repo, check_report(newest, do.site.public_url), first=first)
    await do.sweeps.shown(newest.id, newest.changes)


async def show_earlier(pr: PrRef, do: Ports) -> None:
    """Brings the check runs of earlier sweeps to their end: on an older head nobody else would."""
    unshown = await do.sweeps.unshown(pr)
    for sweep in (await do.sweeps.history(pr))[1:]:
        if sweep.id in unshown:
            await do.checks.put(pr.repo, check_report(sweep, do.site.public_url))
            await do.sweeps.shown(sweep.id, sweep.changes)
