"""Comments in the conversation of a pull request: commands that were posted, changed or taken away."""

from gatekit.commands import may_command
from gatekit.comments import replies
from gatekit.comments.slots import Slot
from gatekit.use.conversation import CommentEdit, digest
from handlers.events import CommentAction, CommentChanged
from handlers.merges import on_merged
from handlers.ports.bundle import Ports, Pull
from handlers.reading import settings_of
from handlers.using import settle_use


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
