"""The head of a pull request moved, or it was closed or merged."""

from gatekit.bench.repo.settings import RepoSettings
from gatekit.comments import replies
from gatekit.comments.slots import Slot
from gatekit.domain.errors import Refusal
from gatekit.domain.sweep import Cause
from gatekit.sweep.labels import NoPrimary, Primary, TwoPrimaries, decide
from handlers.errors import LookupFailed
from handlers.events import HeadMoved, PrClosed
from handlers.labels import cancel
from handlers.merges import on_merged
from handlers.ports.bundle import Ports
from handlers.ports.github import Pull
from handlers.reads import settings_of
from handlers.start import Wish, drop_older, start
from handlers.use import settle_use


async def stands(pull: Pull, settings: RepoSettings, do: Ports) -> bool:
    """Does a run that somebody selected stand for the head? It is checked anew, and what came of it is shown."""
    if await do.uses.kept(pull.ref) is None:
        return False
    decision = await settle_use(pull, settings, do)
    if decision is None or decision.chosen is None:
        return False
    await drop_older(pull, do)
    return True


async def on_head_moved(event: HeadMoved, do: Ports) -> None:
    """A push while a primary label is on plans the new head, unless a selected run stands for the pull request.

    Gates of an older head are not left running.
    """
    pull = await do.pulls.pull(event.pr)
    if pull.open and pull.head == event.before:  # webhooks can be faster than what GitHub answers
        raise LookupFailed(f"GitHub still names {event.before[:7]} as the head of {event.pr}, not {event.head[:7]}")
    if not pull.open or pull.head != event.head:
        return  # a newer push has its own delivery
    try:
        settings = await settings_of(pull, do)
    except Refusal:
        await drop_older(pull, do)
        raise
    if await stands(pull, settings, do):
        return
    match decide(pull.labels, settings.labels):
        case NoPrimary():
            return
        case TwoPrimaries(names):
            await cancel(pull, replies.superseded_by(pull.head), do)
            await do.comments.upsert(event.pr, Slot.REPLY, replies.two_primaries(names))
        case Primary(label):
            await start(pull, settings, Wish(label.name, event.sender, Cause.PUSH, event.pushed), do)


async def on_pr_closed(event: PrClosed, do: Ports) -> None:
    """Nobody waits for its gates any more. Where it was merged its commit is answered first: its gates may go on."""
    pull = await do.pulls.pull(event.pr)
    if pull.open:
        return
    because = replies.pull_closed(merged=pull.merged)
    try:
        if pull.merged:
            await on_merged(pull, do)
    except Refusal:  # there will be no answer, however often it is tried
        await cancel(pull, because, do)
        raise
    await cancel(pull, because, do)
