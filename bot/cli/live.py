"""What a command reads of a pull request as GitHub has it now, without the bot's database. Nothing is written."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from bot.errors import NotReached
from bot.files import SystemClock
from bot.github.auth import AppIdentity
from bot.github.client import GitHubApp
from bot.github.conversation import comments_of
from bot.github.outcome import BadCredentials
from bot.github.pulls import GitHubPulls
from bot.github.recipe_pages import Pages
from bot.github.signoffs import GitHubSignOffs
from bot.github.workflow_runs import GitHubRuns
from bot.settings import Settings, SettingsError, app_key
from gatekit.domain.ids import PrRef
from gatekit.domain.sweep import Sweep
from gatekit.use.conversation import CommentEdit, PrComment
from handlers.errors import LookupFailed, NotAllowed, NotThere
from handlers.ports.bundle import ReadPorts, Site

RUNS_FROM = 10**8  # GitHub's numbers of runs are larger, the bot's own of sweeps smaller


@contextmanager
def reaching(pull: PrRef) -> Iterator[None]:
    """What GitHub does not answer becomes NotReached."""
    try:
        yield
    except (BadCredentials, NotAllowed, NotThere) as error:
        raise NotReached(f"{pull} cannot be read: {error}.", ours=True) from None
    except LookupFailed as error:
        raise NotReached(f"{pull} could not be read: {error}. Try again.", ours=False) from None


def identity_of(settings: Settings) -> AppIdentity:
    """Raises SettingsError."""
    app_id, key = app_key(settings)
    try:
        return AppIdentity(app_id, key.get_secret_value(), settings.github_api_url)
    except ValueError as error:
        raise SettingsError(f"GATEKIT_PRIVATE_KEY cannot be used: {error}.") from None


def live_ports(app: GitHubApp, site: Site) -> ReadPorts:
    """What only the bot's own memory knows is out of reach, which is neither a yes nor a no."""
    memory = _NoMemory()
    return ReadPorts(
        pulls=GitHubPulls(app),
        conversation=_Comments(app),
        signoff=GitHubSignOffs(app, Pages()),
        runs=GitHubRuns(app),
        sweeps=memory,
        uses=memory,
        clock=SystemClock(),
        site=site,
    )


@dataclass(frozen=True, slots=True)
class _Comments:
    app: GitHubApp

    async def comments(self, pr: PrRef) -> tuple[PrComment, ...]:
        return await comments_of(self.app, pr)


class _NoMemory:
    """What only the bot's own database knows."""

    async def edits(self, pr: PrRef) -> Mapping[int, CommentEdit]:
        """None that was heard of: a comment that was edited is then one of which nobody saw by whom."""
        return {}

    async def find(self, number: int) -> Sweep | None:
        if number < RUNS_FROM:
            raise LookupFailed(f"{number} may be a sweep of the bot, which only its own database knows")
        return None

    async def history(self, pr: PrRef) -> tuple[Sweep, ...]:
        raise LookupFailed("the bot's own sweeps are only in its database")
