"""The App at GitHub: who it is, what it may, what it hears, where it is installed."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace

from bot.doctor.finding import Finding, bad, fine, unknown
from bot.doctor.rights import beyond, lacking, listed, unheard
from bot.github.auth import AppIdentity
from bot.github.client import PAGE, GitHubApp
from bot.github.fields import at, rows, text
from bot.github.limits import GitHubLimits
from bot.github.operations import APP, INSTALLATIONS
from bot.github.outcome import BadCredentials, RestRequest
from handlers.errors import LookupFailed, NotThere

WHO, PERMISSIONS, EVENTS, INSTALLED = "github app", "github permissions", "github events", "github installations"
HASTY = replace(GitHubLimits(), connect_seconds=5, read_seconds=10, call_seconds=15, retries=1, longest_wait=5)


@dataclass(frozen=True, slots=True)
class About:
    """What GitHub says of the App."""

    slug: str
    settings: str  # address of its settings
    permissions: Mapping[str, str]
    events: tuple[str, ...]


async def check_github(identity: AppIdentity, limits: GitHubLimits = HASTY) -> tuple[Finding, ...]:
    """One finding for each of the four, whatever happens."""
    async with GitHubApp(identity, limits) as app:
        try:
            about = _about((await app.ask_itself(RestRequest(APP, {}))).json())
        except LookupFailed as error:
            return (_nobody(error), *(unknown(name, f"see {WHO}", f"mend {WHO}") for name in _OTHERS))
        return (
            fine(WHO, f"{about.slug}, id {identity.app_id}, at {identity.api_url}"),
            _permissions(about),
            _events(about),
            await _installed(app),
        )


_OTHERS = (PERMISSIONS, EVENTS, INSTALLED)


def _nobody(error: LookupFailed) -> Finding:
    if isinstance(error, BadCredentials | NotThere):
        return bad(
            WHO, f"GitHub does not know us: {error}", "set GATEKIT_APP_ID and GATEKIT_PRIVATE_KEY to those of one App"
        )
    return unknown(WHO, str(error), "check the network, and GATEKIT_GITHUB_API_URL")


def _about(answer: object) -> About:
    slug, owner = text(answer, "slug"), text(answer, "owner", "login")
    web = text(answer, "html_url").removesuffix(f"/apps/{slug}")
    account = f"organizations/{owner}/settings" if at(answer, "owner", "type") == "Organization" else "settings"
    events = tuple(str(event) for event in rows(answer, "events"))
    return About(slug, f"{web}/{account}/apps/{slug}", _levels(answer), events)


def _levels(answer: object) -> Mapping[str, str]:
    found = at(answer, "permissions")
    if not isinstance(found, dict):
        raise LookupFailed("GitHub answered with something that we do not understand: permissions is not a mapping")
    return {str(name): str(level) for name, level in found.items()}


def _permissions(about: About) -> Finding:
    missing, extra = lacking(about.permissions), beyond(about.permissions)
    if missing:
        click = f"at {about.settings}/permissions set {listed(missing)}, save, and let every owner accept it"
        return bad(PERMISSIONS, f"missing: {listed(missing)}", click)
    note = f"; also granted, and not needed: {listed(extra)}" if extra else ""
    return fine(PERMISSIONS, f"all that is needed{note}")


def _events(about: About) -> Finding:
    missing = unheard(about.events)
    if missing:
        click = f"at {about.settings}/permissions tick them under 'Subscribe to events', and save"
        return bad(EVENTS, f"not subscribed to: {', '.join(missing)}", click)
    return fine(EVENTS, "all that are handled")


async def _installed(app: GitHubApp) -> Finding:
    try:
        installations = [one async for one in _installations(app)]
        troubles = [trouble for one in installations for trouble in _troubles(one)]
    except LookupFailed as error:
        return unknown(INSTALLED, str(error), "run it again")
    if not installations:
        return bad(INSTALLED, "the App is installed nowhere", "install it on the repositories that it shall serve")
    if troubles:
        return bad(INSTALLED, "; ".join(troubles), "let the owner of each accept or resume it, on its page")
    return fine(INSTALLED, ", ".join(_account(one) for one in installations))


async def _installations(app: GitHubApp) -> AsyncIterator[object]:
    for page in range(1, app.limits.pages + 1):
        answer = await app.ask_itself(RestRequest(INSTALLATIONS, {}, {"per_page": PAGE, "page": page}))
        found = rows(answer.json())
        for one in found:
            yield one
        if 'rel="next"' not in answer.headers.get("link", ""):
            return


def _troubles(installation: object) -> tuple[str, ...]:
    whom = f"{_account(installation)} ({text(installation, 'html_url')})"
    if at(installation, "suspended_at") is not None:
        return (f"{whom} is suspended",)
    missing = lacking(_levels(installation))
    return (f"{whom} has not accepted {listed(missing)}",) if missing else ()


def _account(installation: object) -> str:
    login = at(installation, "account", "login") or at(installation, "account", "slug")  # an enterprise has no login
    return str(login or f"installation {at(installation, 'id')}")
