"""A sign-off that is not posted yet, held against a pull request as GitHub has it now. Nothing is written."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.cli.plan_live import identity_of, reaching
from bot.files import SystemClock, own_curves
from bot.github.client import GitHubApp
from bot.github.conversation import comments_of
from bot.github.pulls import GitHubPulls
from bot.github.recipe_pages import Pages
from bot.github.signoffs import GitHubSignOffs
from bot.github.workflow_runs import GitHubRuns
from bot.settings import read_settings
from gatekit.domain.errors import Refusal, Unknown
from gatekit.domain.ids import Login, PrRef
from gatekit.domain.sweep import Sweep
from gatekit.formats.yaml_document import read_yaml
from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.checks.facts import Facts, SignOff
from gatekit.signoff.resource import Access, Resource, Surface
from gatekit.signoff.trigger import PostContext
from gatekit.use.conversation import CommentEdit, PrComment
from handlers.errors import LookupFailed
from handlers.ports.bundle import Clock, CommentReads, EditReads, Site, SweepReads
from handlers.ports.github import Pull, PullRequests, WorkflowRuns
from handlers.ports.signoff import SignOffReads
from handlers.reading import settings_of
from handlers.signoff.verdicts import facts_of

SIGNER = Login("(not said)")  # nobody's login
NOT_SAID = Unknown("say who signs with --author LOGIN")
MAY_WRITE = Access("write", "write")
RUNS_FROM = 10**8  # GitHub's numbers of runs are larger, the bot's own of sweeps smaller


@dataclass(frozen=True, slots=True)
class Live:
    """`facts`: None where the pull request needs no sign-off."""

    pull: Pull
    facts: Facts | None
    standing: PostContext


@dataclass(frozen=True, slots=True)
class _Comments:
    app: GitHubApp

    async def comments(self, pr: PrRef) -> tuple[PrComment, ...]:
        return await comments_of(self.app, pr)


class _NoMemory:
    """What only the bot's own database knows."""

    async def edits(self, pr: PrRef) -> Mapping[int, CommentEdit]:
        return {}

    async def find(self, number: int) -> Sweep | None:
        if number < RUNS_FROM:
            raise LookupFailed(f"{number} may be a sweep of the bot, which only its own database knows")
        return None

    async def history(self, pr: PrRef) -> tuple[Sweep, ...]:
        raise LookupFailed("the bot's own sweeps are only in its database")


@dataclass(frozen=True, slots=True)
class _Reads:
    """Of the ports, those that a verification reads through."""

    pulls: PullRequests
    signoff: SignOffReads
    conversation: CommentReads
    runs: WorkflowRuns
    sweeps: SweepReads
    uses: EditReads
    clock: Clock
    site: Site


def live_facts(ref: PrRef, body: str, author: Login | None) -> Live:
    """`author`: who will post it; None: not said. Raises SettingsError, NotReached and BadInput."""
    with reaching(ref):
        return asyncio.run(_read(ref, body, author))


async def _read(ref: PrRef, body: str, author: Login | None) -> Live:
    async with GitHubApp(identity_of(read_settings())) as app:
        reads = _reads(app)
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


def _reads(app: GitHubApp) -> _Reads:
    memory = _NoMemory()
    return _Reads(
        pulls=GitHubPulls(app),
        signoff=GitHubSignOffs(app, Pages()),
        conversation=_Comments(app),
        runs=GitHubRuns(app),
        sweeps=memory,
        uses=memory,
        clock=SystemClock(),
        site=Site({}, own_curves(), "", None, read_yaml),
    )
