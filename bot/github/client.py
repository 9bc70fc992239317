"""The App at GitHub: finds the installation that speaks for a repository and asks through it."""

import logging
from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import dataclass
from types import TracebackType

import httpx
from githubkit.throttling import LocalThrottler

from bot.github.auth import AppIdentity, KeyAuth, Token, TokenAuth, TokenKeeper, read_token
from bot.github.cache import SingleFlight
from bot.github.channel import Channel, House, RequestSeen, Watch
from bot.github.fields import rows, whole
from bot.github.limits import GitHubLimits, SystemTime, Time
from bot.github.operations import INSTALLATION, TOKEN
from bot.github.outcome import BadCredentials, InstallationGone, RestAnswer, RestRequest, names
from gatekit.domain.ids import Repo
from handlers.errors import LookupFailed, NotThere

PAGE = 100
_CONCURRENT = 50  # of the 100 that GitHub allows


def nobody(seen: RequestSeen) -> None:
    """Nobody counts."""


@dataclass(frozen=True, slots=True)
class _Installation:
    channel: Channel
    keeper: TokenKeeper

    async def close(self) -> None:
        await self.keeper.close()
        await self.channel.close()


class GitHubApp:
    """Use as `async with GitHubApp(identity) as app`. Any task may then call it, also one that started before."""

    def __init__(
        self,
        identity: AppIdentity,
        limits: GitHubLimits | None = None,
        time: Time | None = None,
        watch: Watch = nobody,
    ) -> None:
        self.app_id = identity.app_id
        self.limits = limits or GitHubLimits()
        self.time = time or SystemTime()
        tls = httpx.create_ssl_context()
        self._house = House(identity.api_url, self.limits, self.time, watch, LocalThrottler(_CONCURRENT), tls)
        self._itself = Channel(KeyAuth(identity.app_id, identity.private_key), self._house, _at_once, None)
        self._installations: OrderedDict[int, _Installation] = OrderedDict()
        self._numbers: dict[Repo, tuple[int, float]] = {}  # with the moment until which it is believed
        self._lookups: SingleFlight[Repo, int] = SingleFlight()
        self._openings: SingleFlight[int, None] = SingleFlight()

    async def __aenter__(self) -> "GitHubApp":
        for name in ("httpx", "httpcore"):  # they log whole addresses, and an archive's address carries a token
            logging.getLogger(name).setLevel(logging.WARNING)
        await self._itself.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._lookups.close()
        await self._openings.close()
        for installation in self._installations.values():
            await installation.close()
        self._installations.clear()
        await self._itself.close()

    async def call(self, repo: Repo, ask: RestRequest) -> RestAnswer:
        """One question about a repository. Raises LookupFailed and its kinds."""
        try:
            return await self._through(repo, ask)
        except InstallationGone:  # nothing was sent yet: the App was installed anew under another number
            self.forget(repo)
            return await self._through(repo, ask)
        except BadCredentials:
            self.forget(repo)
            raise

    async def ask_itself(self, ask: RestRequest) -> RestAnswer:
        """One question of the App itself, signed by its key. Raises LookupFailed and its kinds."""
        return await self._itself.call(ask)

    async def listed(self, repo: Repo, ask: RestRequest, *under: str) -> AsyncIterator[object]:
        """Every item on every page; `under` names the list in the answer. LookupFailed where not all can be had."""
        for page in range(1, self.limits.pages + 1):
            query = {**ask.query, "per_page": PAGE, "page": page}
            answer = await self.call(repo, RestRequest(ask.operation, ask.path, query))
            items = rows(answer.json(), *under)
            for item in items:
                yield item
            link = answer.headers.get("link", "")
            if 'rel="next"' not in link and (link or len(items) < PAGE):
                return
        raise LookupFailed(f"{ask}: more than {self.limits.pages} pages of {PAGE}")

    def forget(self, repo: Repo) -> None:
        """The next question about this repository looks its installation up again."""
        self._numbers.pop(repo, None)

    async def _through(self, repo: Repo, ask: RestRequest) -> RestAnswer:
        number = await self._number(repo)
        while (installation := self._installations.get(number)) is None:
            await self._openings.run(number, lambda: self._open(number))
        self._installations.move_to_end(number)
        return await installation.channel.call(ask)

    async def _number(self, repo: Repo) -> int:
        known = self._numbers.get(repo)
        if known is not None and known[1] > self.time.now():
            return known[0]
        return await self._lookups.run(repo, lambda: self._look_up(repo))

    async def _look_up(self, repo: Repo) -> int:
        try:
            answer = await self._itself.call(RestRequest(INSTALLATION, names(repo)))
        except NotThere:
            raise NotThere(f"the App is not installed on {repo}") from None
        number = whole(answer.json(), "id")
        self._numbers[repo] = (number, self.time.now() + self.limits.installation_seconds)
        return number

    async def _open(self, number: int) -> None:
        await self._make_room()
        keeper = TokenKeeper(lambda: self._mint(number), self.time)
        installation = _Installation(Channel(TokenAuth(keeper), self._house, keeper.token, number), keeper)
        await installation.channel.open()
        self._installations[number] = installation

    async def _make_room(self) -> None:
        """Closes the channels that were not used for longest; never one that is in use."""
        spare = len(self._installations) - self.limits.installations + 1
        idle = [number for number, held in self._installations.items() if held.channel.busy == 0]
        for number in idle[: max(spare, 0)]:
            await self._installations.pop(number).close()

    async def _mint(self, number: int) -> Token:
        try:
            answer = await self._itself.call(RestRequest(TOKEN, {"installation_id": number}, body={}))
        except NotThere as error:
            raise InstallationGone(str(error)) from None
        return read_token(answer.json())


async def _at_once() -> None:
    """The App's own signature is made when it is needed."""
