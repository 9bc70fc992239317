"""Which handler answers which event: the list to read first."""

import asyncio
from typing import assert_never

from gatekit.commands import GateHelp, GateLater, GateMiss, GateStatus, SignOffMiss, Verify, Who
from gatekit.comments import replies
from gatekit.comments.slots import Slot
from gatekit.domain.errors import Refusal
from handlers.commands import new_commands, on_gate_command, on_use_changed
from handlers.events import (
    CommentChanged,
    Event,
    GateEnded,
    GroupAsked,
    HeadMoved,
    LabelAdded,
    LabelRemoved,
    PrClosed,
    SignOffPosted,
    SweepUnshown,
)
from handlers.gates import on_gate_ended, on_sweep_unshown
from handlers.labels import on_label_added, on_label_removed
from handlers.merges import on_group_asked
from handlers.ports.bundle import Ports
from handlers.pull_requests import on_head_moved, on_pr_closed
from handlers.signoff.commands import on_signoff_command
from handlers.signoff.posts import answer_posted, hear_posted, on_posted, on_signed_head_moved, sign_off_posted


async def handle(event: Event, do: Ports) -> None:
    """Runs the event's handler. A refusal is not a failure: it is said on the PR, and the event is settled."""
    try:
        await _route(event, do)
    except Refusal as no:
        await do.comments.upsert(event.pr, Slot.REPLY, replies.refused(str(no)))


async def _route(event: Event, do: Ports) -> None:
    match event:
        case LabelAdded():
            await on_label_added(event, do)
        case LabelRemoved():
            await on_label_removed(event, do)
        case HeadMoved():
            await _on_moved(event, do)
        case PrClosed():
            await on_pr_closed(event, do)
        case GroupAsked():
            await on_group_asked(event, do)
        case CommentChanged():
            await _on_comment(event, do)
        case SignOffPosted():
            await on_posted(event, do)
        case GateEnded():
            await on_gate_ended(event, do)
        case SweepUnshown():
            await on_sweep_unshown(event, do)
        case _:
            assert_never(event)


async def _on_comment(event: CommentChanged, do: Ports) -> None:
    """Whose word a sign-off is comes first, before anything else may fail; what it comes to comes last."""
    commands = await asyncio.to_thread(new_commands, event)  # a stranger may write a long comment
    posted = sign_off_posted(event) if _may_sign(event) else None
    if posted is not None:
        await hear_posted(posted, do)
    await on_use_changed(event, do)
    for command in commands:
        match command:
            case Verify() | Who() | SignOffMiss():
                await on_signoff_command(command, event, do)
            case GateHelp() | GateStatus() | GateLater() | GateMiss():
                await on_gate_command(command, event, do)
            case _:
                assert_never(command)
    if posted is not None:
        await answer_posted(posted, do)


def _may_sign(event: CommentChanged) -> bool:
    return event.body.may_open or (event.before is not None and event.before.may_open)


async def _on_moved(event: HeadMoved, do: Ports) -> None:
    """A head that cannot be planned is another one all the same."""
    try:
        await on_head_moved(event, do)
    except Refusal:
        await on_signed_head_moved(event, do)
        raise
    await on_signed_head_moved(event, do)
