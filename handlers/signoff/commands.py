"""`/signoff verify` and `/signoff who`: asked for by somebody with write access, on a pull request in any state."""

import asyncio
from dataclasses import dataclass

from gatekit.bench.repo.settings import RepoSettings
from gatekit.commands import SignOffCommand, SignOffMiss, Verify
from gatekit.comments import signoff as replies
from gatekit.comments.replies import refused
from gatekit.comments.slots import SignOffSlot
from gatekit.domain.errors import Refusal, Unknown
from gatekit.signoff.resource import Access, read_url
from gatekit.signoff.scope import paths_of, scope
from gatekit.signoff.signers import groups, smallest_set
from gatekit.signoff.trigger import Action, Person, Post, PostContext, TriggerAnswer, trigger
from gatekit.use.decision import Reaction
from handlers.events import CommentAction, CommentChanged
from handlers.ports.bundle import Ports, ReadPorts
from handlers.ports.github import Pull
from handlers.ports.signoff import Filed
from handlers.reads import settings_of
from handlers.signoff.ground import ground, ownership
from handlers.signoff.verdicts import answer

ANSWER = SignOffSlot("answer")  # to commands, one for each pull request


@dataclass(frozen=True, slots=True)
class _Asked:
    pull: Pull
    settings: RepoSettings
    access: Access  # of who asks
    sender: Person


@dataclass(frozen=True, slots=True)
class _Reply:
    reaction: Reaction
    text: str
    only_instead: bool = False  # it needs no words, but where others stand they are out of date


async def on_signoff_command(command: SignOffCommand, event: CommentChanged, do: Ports) -> None:
    """Is done once, unless the repository has no sign-offs."""
    pull = await do.pulls.pull(event.pr)
    settings = await settings_of(pull, do)
    if not settings.signoff.enabled:
        return
    access = await do.signoff.access(pull.ref.repo, event.sender)
    reply = await _done(command, _Asked(pull, settings, access, Person(event.sender)), do)
    write = do.comments.amend if reply.only_instead else do.comments.upsert
    await write(pull.ref, ANSWER, reply.text)
    await do.conversation.mark(pull.ref, event.comment, reply.reaction, edited=event.action is CommentAction.EDITED)


async def _done(command: SignOffCommand, asked: _Asked, do: Ports) -> _Reply:
    if not asked.access.may_write:
        return _no(replies.no_write_access(asked.sender.login))
    if isinstance(command, SignOffMiss):
        return _no(replies.miss(command))
    if isinstance(command, Verify):
        return await _verified(command, asked, do)
    return _Reply(Reaction.ACCEPTED, await _who(asked, do))


async def _verified(command: Verify, asked: _Asked, do: Ports) -> _Reply:
    """Both ways: the address names this pull request, and what it leads to belongs to it."""
    pull = asked.pull
    try:
        ref, resource = read_url(command.url, pull.ref.repo, "/".join(pull.url.split("/")[:3]))
    except Refusal as no:
        return _no(refused(str(no)))
    if ref.number != pull.ref.number:
        return _no(replies.other_pull(resource))
    filed = await do.signoff.filed(pull.ref, resource)
    if filed is None:
        return _no(replies.gone(resource))
    if filed.pull != pull.ref.number:
        return _no(replies.other_pull(resource))
    context = PostContext(asked.access, pull.open, pull.draft)
    found = await asyncio.to_thread(trigger, _as_posted(filed, asked.sender), context)  # it may be a long text
    if found.answer is TriggerAnswer.HINT:
        return _no(replies.hint(found.why))
    if found.answer is not TriggerAnswer.VERIFY:
        return _no(replies.not_a_sign_off(resource))
    await answer(pull, asked.settings, filed, do)
    return _Reply(Reaction.ACCEPTED, replies.asked(resource), only_instead=True)


def _as_posted(filed: Filed, sender: Person) -> Post:
    author = Person(filed.author, filed.bot)
    return Post(filed.resource.surface, Action.ASKED, author, sender, filed.body, review=filed.review)


async def _who(asked: _Asked, do: ReadPorts) -> str:
    owned = await ownership(await ground(asked.pull, asked.settings, do), do)
    found = scope(owned)
    if isinstance(owned.files, Unknown) or isinstance(owned.rules, Unknown):
        return replies.need_unknown(found)
    of_files = groups(paths_of(owned.files), owned.rules)
    return replies.who(found, of_files, smallest_set(of_files, asked.pull.author))


def _no(text: str) -> _Reply:
    return _Reply(Reaction.REJECTED, text)
