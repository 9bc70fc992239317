"""Sign-offs: a checklist was posted or edited, and its verdict is written beside it."""

from gatekit.comments.signoff import Circumstances, render_signoff
from gatekit.comments.signoff_replies import hint, not_needed, state_changed
from gatekit.comments.slots import SignOffSlot
from gatekit.ids import PrRef
from gatekit.signoff.items import ticked_since
from gatekit.signoff.resource import Resource, Surface
from gatekit.signoff.scope import Need, scope
from gatekit.signoff.trigger import Action, Answer, Person, Posted, Standing, Why, trigger, wants_access
from gatekit.signoff_checks.facts import SignOff
from gatekit.signoff_checks.verdict import SignOffVerdict, verify
from handlers.errors import LookupFailed
from handlers.events import CommentChanged, SignOffPosted
from handlers.ports import Ports, Pull
from handlers.reading import settings_of
from handlers.signoff_facts import gather
from handlers.signoff_ground import ground, ownership


def sign_off_posted(event: CommentChanged) -> SignOffPosted:
    """A comment in the conversation, as the same question."""
    posted = Posted(
        surface=Surface.CONVERSATION,
        action=Action(event.action.value),
        author=Person(event.author, event.bot),
        sender=Person(event.sender, event.sender_bot),
        body=event.body,
        before=event.before or None,
    )
    return SignOffPosted(event.pr, Resource(Surface.CONVERSATION, event.comment), posted)


async def on_posted(event: SignOffPosted, do: Ports) -> None:
    """Verifies what begins as a sign-off, by somebody who may; what nearly does gets a hint. Others cost nothing."""
    if not wants_access(event.posted):
        return
    pull = await do.pulls.pull(event.pr)
    settings = await settings_of(pull, do)
    if not settings.signoff.enabled:
        return
    access = await do.signoff.access(event.pr.repo, event.posted.sender.login)
    found = trigger(event.posted, Standing(access, pull.open, pull.draft))
    match found.answer:
        case Answer.VERIFY:
            await _doubt(event, found.why, do)
            await verify_now(pull, event.resource, do)
        case Answer.HINT:
            await do.comments.upsert(event.pr, SignOffSlot(event.resource.key), hint(found.why))
        case Answer.UNKNOWN:
            raise LookupFailed(f"what {event.posted.sender.login} may do in {event.pr.repo} could not be found out")
        case Answer.SILENT:
            return


async def verify_now(pull: Pull, resource: Resource, do: Ports) -> bool:
    """The verdict of a sign-off as it stands now, for the head of now; False where it is not there any more.

    Raises LookupFailed where the head moved meanwhile: then it begins anew.
    """
    filed = await do.signoff.filed(pull.ref, resource)
    if filed is None:
        return False
    at = await ground(pull, await settings_of(pull, do), do)
    owned = await ownership(at, do)
    if scope(owned).need is Need.NOT_NEEDED:
        await do.comments.upsert(pull.ref, SignOffSlot(resource.key), not_needed())
        return True
    remembered = await do.sign_offs.remembered(pull.ref, resource)
    edited = max(filed.updated, remembered.edited or filed.updated)
    sign_off = SignOff(resource, filed.author, filed.body, edited, remembered.not_theirs)
    verdict = verify(await gather(at, sign_off, owned, do), pull.head, pull.author)
    if (await do.pulls.pull(pull.ref)).head != pull.head:
        raise LookupFailed(f"the head of {pull.ref} moved while its sign-off was verified")
    await do.sign_offs.keep(pull.ref, verdict)
    await _show(pull.ref, verdict, bool(remembered.not_theirs), do)
    await _tell(pull.ref, remembered.verdict, verdict, do)
    return True


async def _show(pr: PrRef, verdict: SignOffVerdict, edited_by_other: bool, do: Ports) -> None:
    page = None if do.site.public_url is None else f"{do.site.public_url.rstrip('/')}/signoffs/{verdict.resource.key}"
    text = render_signoff(verdict, Circumstances(edited_by_other=edited_by_other, page=page))
    await do.comments.upsert(pr, SignOffSlot(verdict.resource.key), text)


async def _tell(pr: PrRef, before: SignOffVerdict | None, now: SignOffVerdict, do: Ports) -> None:
    """An edited comment notifies nobody: a change of state is one line of its own, once for each state and commit."""
    if before is None or before.overall is now.overall:
        return
    slot = SignOffSlot(f"{now.resource.key} {now.overall} {now.assessed[:12]}")
    await do.comments.upsert(pr, slot, state_changed(now.author, before.overall, now.overall, now.assessed))


async def _doubt(event: SignOffPosted, why: Why, do: Ports) -> None:
    """What somebody else's edit ticks is not the author's word, until the author edits it."""
    posted: Posted = event.posted
    if posted.action is not Action.EDITED:
        return
    if why is not Why.EDITED_BY_ANOTHER:
        await do.sign_offs.edited(event.pr, event.resource, frozenset())
        return
    known = (await do.sign_offs.remembered(event.pr, event.resource)).not_theirs
    since = ticked_since(posted.before or "", posted.body)
    await do.sign_offs.edited(event.pr, event.resource, known | since)
