"""Comments in the conversation of a pull request: `/use` and `/gate`, posted, changed or taken away."""

import asyncio

from gatekit.commands import may_command
from gatekit.comments import replies
from gatekit.comments.slots import Slot
from gatekit.gate_commands import Ask, GateCommand, GateMiss, Later, gate_command
from gatekit.use.conversation import CommentEdit, digest
from gatekit.use.decision import Reaction
from handlers.events import CommentAction, CommentChanged
from handlers.merges import on_merged
from handlers.ports.bundle import Ports
from handlers.ports.github import Pull
from handlers.reading import settings_of
from handlers.use import settle_use


async def on_gate_command(event: CommentChanged, do: Ports) -> None:
    """A command that was posted, or came by its author's edit. Comments without one cost nothing."""
    command = await asyncio.to_thread(_new_command, event)  # a stranger may write a long comment
    if command is None:
        return
    pull = await do.pulls.pull(event.pr)
    reaction, text = Reaction.REJECTED, replies.gate_not_allowed(event.sender)
    if (await do.pulls.permission(event.pr.repo, event.sender)).may_write:
        reaction = Reaction.ACCEPTED if isinstance(command, Ask) else Reaction.REJECTED
        text = await _answer(command, pull, do)
    await do.comments.upsert(event.pr, Slot.REPLY, text)
    await do.conversation.mark(event.pr, event.comment, reaction, edited=event.action is CommentAction.EDITED)


def _new_command(event: CommentChanged) -> GateCommand | None:
    if event.bot or event.sender_bot or event.action is CommentAction.DELETED:
        return None
    command = gate_command(event.body)
    if event.action is CommentAction.EDITED:
        by_author = event.sender.lower() == event.author.lower()
        return command if by_author and command != gate_command(event.before) else None
    return command


async def _answer(command: GateCommand, pull: Pull, do: Ports) -> str:
    match command:
        case Ask.HELP:
            settings = await settings_of(pull, do)
            return replies.gate_help([one.name for one in settings.labels.primary])
        case Ask.STATUS:
            newest, decision = await do.sweeps.newest(pull.ref), await do.uses.kept(pull.ref)
            return replies.gate_status(newest, decision, do.site.public_url)
        case Later():
            return replies.gate_later(command)
        case GateMiss():
            return replies.gate_miss(command)


async def on_comment_changed(event: CommentChanged, do: Ports) -> None:
    """What the commands of a pull request come to, all of them read anew. Comments without one cost nothing."""
    if event.bot or not (may_command(event.body) or may_command(event.before)):
        return
    if event.action is CommentAction.EDITED:
        await do.uses.edited(event.pr, CommentEdit(event.comment, event.sender, digest(event.body)))
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
