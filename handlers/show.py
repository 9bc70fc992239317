"""Brings what stands on a PR up to date with what is stored."""

from gatekit.comments.check_runs import check_report
from gatekit.comments.slots import Slot
from gatekit.comments.sweep import render_gates
from gatekit.domain.ids import PrRef
from gatekit.domain.sweep import Sweep
from handlers.ports.bundle import Ports


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


async def show_earlier(newest: Sweep, do: Ports) -> None:
    """Brings the check runs of earlier sweeps to their end: on an older head nobody else would."""
    for number in sorted(await do.sweeps.unshown(newest.pr) - {newest.id}):
        sweep = await do.sweeps.get(number)
        await do.checks.put(newest.pr.repo, check_report(sweep, do.site.public_url))
        await do.sweeps.shown(sweep.id, sweep.changes)
