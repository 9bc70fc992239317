"""Sweep labels: added, removed."""

from gatekit.bench.repo.settings import RepoSettings
from gatekit.comments import replies
from gatekit.comments.slots import Slot
from gatekit.domain.sweep import Cause, SweepState
from gatekit.sweep.labels import NoPrimary, Primary, TwoPrimaries, decide, is_primary
from handlers.events import LabelAdded, LabelRemoved
from handlers.ports.bundle import Ports
from handlers.ports.github import Pull
from handlers.reads import settings_of
from handlers.show import show
from handlers.start import Wish, start
from handlers.use import settle_use


async def on_label_added(event: LabelAdded, do: Ports) -> None:
    """A primary label by someone with write access on an open PR starts a sweep; any other label does nothing."""
    pull = await do.pulls.pull(event.pr)
    settings = await settings_of(pull, do)
    if not pull.open:
        return
    await _check_use(event.label, pull, settings, do)
    if not is_primary(event.label, settings.labels):
        return
    match decide(pull.labels, settings.labels):
        case NoPrimary():  # taken off again before we looked
            await _without_primary(pull, replies.label_gone(event.label), do)
        case TwoPrimaries(names):
            await do.comments.upsert(event.pr, Slot.REPLY, replies.two_primaries(names))
        case Primary(label):
            await start(pull, settings, Wish(label.name, event.sender, Cause.LABEL), do)


async def on_label_removed(event: LabelRemoved, do: Ports) -> None:
    """Without a primary the running sweep is cancelled; where one of two is left, that one counts."""
    pull = await do.pulls.pull(event.pr)
    settings = await settings_of(pull, do)
    if pull.open:
        await _check_use(event.label, pull, settings, do)
    if not is_primary(event.label, settings.labels):
        return
    match decide(pull.labels, settings.labels):
        case NoPrimary():
            await _without_primary(pull, replies.label_removed(event.label, event.sender), do)
        case Primary(label) if label.name == event.label:
            await _on_again(pull, do)
        case Primary(label) if pull.open:
            await start(pull, settings, Wish(label.name, event.sender, Cause.LABEL), do)
        case _:
            return


async def _check_use(label: str, pull: Pull, settings: RepoSettings, do: Ports) -> None:
    """A label that forbids reuse came or went: a command that stands on the pull request is read again."""
    if label in settings.labels.block_reuse and await do.uses.kept(pull.ref) is not None:
        await settle_use(pull, settings, do)


async def _on_again(pull: Pull, do: Ports) -> None:
    """Taken off and added again before we looked: the next event measures anew. What measured nothing yet is new."""
    newest = await do.sweeps.newest(pull.ref)
    if newest is not None and any(row.verdict is not None for row in newest.rows):
        await do.sweeps.retire(pull.ref)


async def _without_primary(pull: Pull, because: str, do: Ports) -> None:
    await cancel(pull, because, do)
    await do.sweeps.retire(pull.ref)


async def cancel(pull: Pull, because: str, do: Ports) -> None:
    """Ends the PR's running sweep, if there is one, and says so on the PR. One of the merge commit goes on."""
    newest = await do.sweeps.newest(pull.ref)
    if newest is not None and newest.state is SweepState.RUNNING and newest.cause is not Cause.MERGE:
        await do.sweeps.end(newest.id, SweepState.CANCELLED, because)
        do.scheduler.wake()
        await show(pull.ref, do)
