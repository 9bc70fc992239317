"""Comments in the conversation of a pull request: `/use` and `/gate`, posted, changed or taken away."""

from gatekit.commands import (
    GateCommand,
    GateHelp,
    GateLater,
    GateMiss,
    GateStatus,
    SignOffCommand,
    gate_command,
    may_use,
    signoff_command,
)
from gatekit.comments import replies
from gatekit.comments.slots import Slot
from gatekit.signoff.checklist.comment import CommentText
from gatekit.use.conversation import CommentEdit, digest
from gatekit.use.decision import Reaction
from handlers.events import CommentAction, CommentChanged
from handlers.merges import on_merged
from handlers.ports.bundle import Ports
from handlers.ports.github import Pull
from handlers.reads import settings_of
from handlers.use import settle_use


def new_commands(event: CommentChanged) -> tuple[SignOffCommand | GateCommand, ...]:
    """Those that are done once: posted, or come by their author's edit. `/use` is not: what stands there counts.

    It reads texts of strangers: call it beside an event loop.
    """
    edited = event.action is CommentAction.EDITED
    if event.bot or event.sender_bot or event.action is CommentAction.DELETED:
        return ()
    if edited and event.sender.lower() != event.author.lower():
        return ()
    found = _done_once(event.body)
    before = _done_once(event.before) if found and edited and event.before is not None else ()
    return tuple(one for one in found if one not in before)


def _done_once(body: CommentText) -> tuple[SignOffCommand | GateCommand, ...]:
    found = (signoff_command(body.commands), gate_command(body.commands))
    return tuple(one for one in found if one is not None)


async def on_gate_command(command: GateCommand, event: CommentChanged, do: Ports) -> None:
    pull = await do.pulls.pull(event.pr)
    reaction, text = Reaction.REJECTED, replies.gate_not_allowed(event.sender)
    if (await do.pulls.permission(event.pr.repo, event.sender)).may_write:
        reaction = Reaction.ACCEPTED if isinstance(command, GateHelp | GateStatus) else Reaction.REJECTED
        text = await _answer(command, pull, do)
    await do.comments.upsert(event.pr, Slot.REPLY, text)
    await do.conversation.mark(event.pr, event.comment, reaction, edited=event.action is CommentAction.EDITED)


async def _answer(command: GateCommand, pull: Pull, do: Ports) -> str:
    match command:
        case GateHelp():
            settings = await settings_of(pull, do)
            return replies.gate_help([one.name for one in settings.labels.primary])
        case GateStatus():
            newest, decision = await do.sweeps.newest(pull.ref), await do.uses.kept(pull.ref)
            return replies.gate_status(newest, decision, do.site.public_url)
        case GateLater():
            return replies.gate_later(command)
        case GateMiss():
            return replies.gate_miss(command)


async def on_use_changed(event: CommentChanged, do: Ports) -> None:
    """What the `/use` of a pull request come to, all comments read anew. Those without one cost nothing."""
    if event.bot or not (may_use(event.body.text) or (event.before is not None and may_use(event.before.text))):
        return
    if event.action is CommentAction.EDITED:
        await do.uses.edited(event.pr, CommentEdit(event.comment, event.sender, digest(event.body.text)))
    pull = await do.pulls.pull(event.pr)
    if pull.open:
        await settle_use(pull, await settings_of(pull, do), do)
        return
    if pull.merged and await _concerned(pull, do):  # where nobody told us of the merge, this is the first look
        await on_merged(pull, do)
    if event.action is CommentAction.CREATED:
        await do.comments.upsert(event.pr, Slot.REPLY, replies.use_on_closed(event.sender))


async def _concerned(pull: Pull, do: Ports) -> bool:
    """Did anybody who may ever want something of us here? Else a stranger's comment would gate a merge of long ago."""
    return await do.uses.kept(pull.ref) is not None or await do.sweeps.newest(pull.ref) is not None
