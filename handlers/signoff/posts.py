"""Sign-offs: a checklist was posted or edited, and its verdict is written beside it."""

import asyncio
from dataclasses import replace

from gatekit.commands import Verify, signoff_command
from gatekit.signoff.edits import Moment, concerns, hear
from gatekit.signoff.resource import Resource, Surface, read_key
from gatekit.signoff.trigger import Action, Person, Post, PostContext, TriggerAnswer, trigger, wants_access
from gatekit.use.conversation import digest
from handlers.errors import LookupFailed
from handlers.events import CommentChanged, Event, HeadMoved, SignOffPosted
from handlers.ports.bundle import Ports, ReadPorts
from handlers.ports.signoff import Filed
from handlers.reads import settings_of
from handlers.signoff.verdicts import answer, say_failed, say_hint, show_moved


def sign_off_posted(event: CommentChanged) -> SignOffPosted:
    """A comment in the conversation, as the same question."""
    posted = Post(
        surface=Surface.CONVERSATION,
        action=Action(event.action.value),
        author=Person(event.author, event.bot),
        sender=Person(event.sender, event.sender_bot),
        body=event.body,
        before=event.before,
    )
    return SignOffPosted(event.pr, Resource(Surface.CONVERSATION, event.comment), posted, event.changed)


async def on_posted(event: SignOffPosted, do: Ports) -> None:
    """Verifies what begins as a sign-off, by somebody who may; what nearly does gets a hint. Others cost nothing."""
    await hear_posted(event, do)
    await answer_posted(event, do)


async def hear_posted(event: SignOffPosted, do: Ports) -> None:
    """Notes who edits what, before anything else may fail: also where it is not verified now, it may be later.

    Texts are read beside the event loop: a stranger may write long ones.
    """
    if await asyncio.to_thread(concerns, event.posted):
        known = (await do.sign_offs.remembered(event.pr, event.resource)).heard
        heard = await asyncio.to_thread(hear, known, event.posted, Moment(event.changed, do.clock.now()))
        if heard != known:
            await do.sign_offs.heard(event.pr, event.resource, heard)


async def answer_posted(event: SignOffPosted, do: Ports) -> None:
    """Follows `hear_posted`, by which the text was read."""
    if wants_access(event.posted):
        await _on_sign_off(event, do)


async def _on_sign_off(event: SignOffPosted, do: Ports) -> None:
    pull = await do.pulls.pull(event.pr)
    settings = await settings_of(pull, do)
    if not settings.signoff.enabled:
        return
    access = await do.signoff.access(event.pr.repo, event.posted.sender.login)
    found = trigger(event.posted, PostContext(access, pull.open, pull.draft))
    match found.answer:
        case TriggerAnswer.VERIFY:
            filed = await _as_told(event, do)
            if filed is not None:
                await answer(pull, settings, filed, do)
        case TriggerAnswer.HINT:
            await say_hint(event.pr, event.resource, found.why, do)
        case TriggerAnswer.UNKNOWN:
            raise LookupFailed(f"what {event.posted.sender.login} may do in {event.pr.repo} could not be found out")
        case TriggerAnswer.SILENT:
            return


async def _as_told(event: SignOffPosted, do: ReadPorts) -> Filed | None:
    """The sign-off as the event tells of it; None: it is gone, or was edited since, of which another event tells."""
    filed = await do.signoff.filed(event.pr, event.resource)
    if filed is None:
        return None
    if digest(filed.body.text) == digest(event.posted.body.text):
        return replace(filed, body=event.posted.body)  # which was read
    says_when = event.resource.surface is not Surface.REVIEW
    if says_when and event.changed is not None and filed.updated < event.changed:
        raise LookupFailed(f"GitHub still shows {event.resource.key} as it was before")
    return None


async def on_signed_head_moved(event: HeadMoved, do: Ports) -> None:
    """What was said of another head says so. Costs nothing where nothing was said."""
    if await do.sign_offs.answered(event.pr):
        await show_moved(await do.pulls.pull(event.pr), do)


async def on_given_up(event: Event, why: str, do: Ports) -> bool:
    """An event failed for the last time. True: it was about a sign-off, and that is said beside it."""
    asked = sign_off_posted(event) if isinstance(event, CommentChanged) else event
    if not isinstance(asked, SignOffPosted):
        return False
    resource = asked.resource if wants_access(asked.posted) else await _asked_for(asked, do)
    if resource is None:
        return False
    await say_failed(asked.pr, resource, why, do)
    return True


async def _asked_for(event: SignOffPosted, do: Ports) -> Resource | None:
    """The sign-off that a command names, where something was said about it before."""
    command = signoff_command(event.posted.body.commands)
    resource = read_key(command.url.rpartition("#")[2]) if isinstance(command, Verify) else None
    if resource is None or (await do.sign_offs.remembered(event.pr, resource)).said is None:
        return None
    return resource
