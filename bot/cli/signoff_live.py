"""A sign-off that is not posted yet, held against a pull request as GitHub has it now. Nothing is written."""

import asyncio
from dataclasses import dataclass, replace

from bot.cli.live import identity_of, live_ports, reaching
from bot.files import own_curves
from bot.github.client import GitHubApp
from bot.settings import read_settings
from gatekit.domain.errors import Refusal, Unknown
from gatekit.domain.ids import Login, PrRef
from gatekit.formats.yaml_document import read_yaml
from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.checks.facts import Facts, SignOff
from gatekit.signoff.resource import Access, Resource, Surface
from gatekit.signoff.trigger import PostContext
from handlers.ports.bundle import Site
from handlers.ports.github import Pull
from handlers.reads import settings_of
from handlers.signoff.verdicts import facts_of

SIGNER = Login("(not said)")  # nobody's login
NOT_SAID = Unknown("say who signs with --author LOGIN")
MAY_WRITE = Access("write", "write")


@dataclass(frozen=True, slots=True)
class Live:
    """`facts`: None where the pull request needs no sign-off."""

    pull: Pull
    facts: Facts | None
    standing: PostContext


def live_facts(ref: PrRef, body: str, author: Login | None) -> Live:
    """`author`: who will post it; None: not said. Raises SettingsError, NotReached and BadInput."""
    with reaching(ref):
        return asyncio.run(_read(ref, body, author))


async def _read(ref: PrRef, body: str, author: Login | None) -> Live:
    async with GitHubApp(identity_of(read_settings())) as app:
        reads = live_ports(app, Site({}, own_curves(), "", None, read_yaml))
        pull = await reads.pulls.pull(ref)
        settings = await settings_of(pull, reads)
        if not settings.signoff.enabled:
            raise Refusal(f"{ref.repo} has sign-offs switched off: `signoff.enabled` in its settings.")
        access = MAY_WRITE if author is None else await reads.signoff.access(ref.repo, author)
        sign_off = SignOff(Resource(Surface.CONVERSATION, 1), author or SIGNER, CommentText(body), reads.clock.now())
        facts = await facts_of(pull, settings, sign_off, reads)
    if facts is not None and author is None:
        facts = replace(facts, rules=NOT_SAID)
    return Live(pull, facts, PostContext(access, pull.open, pull.draft))
