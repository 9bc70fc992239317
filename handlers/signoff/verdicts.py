"""The verdict on a sign-off: reached for one head, and kept current beside the sign-off."""

import asyncio
from dataclasses import replace

from gatekit.bench.repo.settings import RepoSettings
from gatekit.comments.signoff import (
    Circumstances,
    could_not_verify,
    hint,
    not_needed,
    not_needed_then,
    render_signoff,
    state_changed,
)
from gatekit.comments.slots import SignOffSlot
from gatekit.domain.errors import Unknown
from gatekit.domain.ids import PrRef
from gatekit.signoff.checks.facts import Facts, SignOff
from gatekit.signoff.checks.verdict import SignOffVerdict, verify
from gatekit.signoff.edits import Heard, not_theirs
from gatekit.signoff.resource import Resource, Surface
from gatekit.signoff.scope import Need, scope
from gatekit.signoff.trigger import TriggerReason
from handlers.errors import LookupFailed
from handlers.ports.bundle import Ports, ReadPorts, Site
from handlers.ports.github import Pull
from handlers.ports.memory import SignOffComment, SignOffMemory
from handlers.ports.signoff import Filed
from handlers.signoff.facts import gather
from handlers.signoff.ground import ground, known, ownership

STARTS = 3  # a head that moves more often while it is looked at is left for later


async def facts_of(pull: Pull, settings: RepoSettings, sign_off: SignOff, do: ReadPorts) -> Facts | None:
    """What there is to know for this head; None: no sign-off is needed. Nothing is written."""
    at = await ground(pull, settings, do)
    owned = await ownership(at, do)
    return None if scope(owned).need is Need.NOT_NEEDED else await gather(at, sign_off, owned, do)


async def answer(pull: Pull, settings: RepoSettings, filed: Filed, do: Ports) -> None:
    """Writes what the sign-off comes to as it stands now, for the head of now. Doing it again changes nothing."""
    before = await do.sign_offs.remembered(pull.ref, filed.resource)
    sign_off = await asyncio.to_thread(_sign_off, filed, before)
    by_another = await _by_another(pull.ref, sign_off, before.heard, do)
    for _ in range(STARTS):
        facts = await facts_of(pull, settings, sign_off, do)
        now = await do.pulls.pull(pull.ref)
        if (now.head, now.base_ref) == (pull.head, pull.base_ref):
            break
        pull = now
    else:
        raise LookupFailed(f"the head of {pull.ref} moved again and again while its sign-off was verified")
    if facts is None:
        await do.comments.upsert(pull.ref, SignOffSlot(filed.resource.key), not_needed())
        await do.sign_offs.say(pull.ref, filed.resource, SignOffComment.NOT_NEEDED, pull.head)
        return
    verdict = await asyncio.to_thread(verify, facts, pull.head, pull.author)
    around = Circumstances(edited_by_other=by_another, page=page(do.site, pull.ref, verdict))
    await do.comments.upsert(pull.ref, SignOffSlot(filed.resource.key), render_signoff(verdict, around))
    await _tell(pull.ref, before.verdict, verdict, do)
    await do.sign_offs.keep(pull.ref, verdict)


async def say_hint(pr: PrRef, resource: Resource, why: TriggerReason, do: Ports) -> None:
    await do.comments.upsert(pr, SignOffSlot(resource.key), hint(why))
    await do.sign_offs.say(pr, resource, SignOffComment.HINT, None)


async def say_failed(pr: PrRef, resource: Resource, why: str, do: Ports) -> None:
    """Takes the place of whatever was said: an earlier yes is not known to hold."""
    await do.comments.upsert(pr, SignOffSlot(resource.key), could_not_verify(why))
    await do.sign_offs.say(pr, resource, SignOffComment.FAILED, None)


async def show_moved(pull: Pull, do: Ports) -> None:
    """The head moved: each verdict says how far, and what was not needed is not known to be so any more."""
    for resource, before in (await do.sign_offs.answered(pull.ref)).items():
        slot = SignOffSlot(resource.key)
        if before.said is SignOffComment.NOT_NEEDED and before.head is not None and before.head != pull.head:
            await do.comments.upsert(pull.ref, slot, not_needed_then(before.head))
        elif before.said is SignOffComment.VERDICT and before.verdict is not None:
            around = Circumstances(
                newer_commits=await _newer(pull, before.verdict, do),
                edited_by_other=before.heard is not None and before.heard.by_another,
                page=page(do.site, pull.ref, before.verdict),
            )
            await do.comments.upsert(pull.ref, slot, render_signoff(before.verdict, around))


def page(site: Site, pr: PrRef, verdict: SignOffVerdict) -> str | None:
    """Where the evidence of a verdict stands; None: the operator publishes no pages."""
    if site.public_url is None:
        return None
    return f"{site.public_url.rstrip('/')}/signoffs/{pr.repo.owner}/{pr.repo.name}/{pr.number}/{verdict.resource.key}"


def _sign_off(filed: Filed, before: SignOffMemory) -> SignOff:
    heard = before.heard
    is_review = filed.resource.surface is Surface.REVIEW
    edited = heard.edited if heard is not None and is_review else filed.updated
    return SignOff(filed.resource, filed.author, filed.body, edited, not_theirs(heard, filed.body))


async def _by_another(pr: PrRef, sign_off: SignOff, heard: Heard | None, do: Ports) -> bool:
    """Did somebody else edit it since its author did? Also where nobody told, and there are ticks that are not his."""
    if heard is not None and sign_off.not_theirs and not heard.by_another:
        heard = replace(heard, by_another=True)
        await do.sign_offs.heard(pr, sign_off.resource, heard)
    return heard is not None and heard.by_another


async def _newer(pull: Pull, verdict: SignOffVerdict, do: ReadPorts) -> int | None:
    """Commits that came since; None: it could not be found out how many."""
    if verdict.assessed == pull.head:
        return 0
    parting = await known(lambda: do.pulls.parting(pull.ref.repo, verdict.assessed, pull.head))
    if isinstance(parting, Unknown) or not parting.commits.complete:
        return None
    return len(parting.commits.known) or None


async def _tell(pr: PrRef, before: SignOffVerdict | None, now: SignOffVerdict, do: Ports) -> None:
    """An edited comment notifies nobody: a change of state is one line of its own, once for each state and commit."""
    if before is None or before.overall is now.overall:
        return
    slot = SignOffSlot(f"{now.resource.key} {now.overall} {now.assessed[:12]}")
    await do.comments.upsert(pr, slot, state_changed(now.author, before.overall, now.overall, now.assessed))
