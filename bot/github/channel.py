"""One long-lived connection to GitHub as one identity, with our manners: patience, pace, memory, limits of size."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from ssl import SSLContext
from typing import Any, TypeAlias

import httpx
from githubkit import GitHubCore
from githubkit.auth import BaseAuthStrategy
from githubkit.cache import MemCacheStrategy
from githubkit.exception import RequestError, RequestFailed, RequestTimeout
from githubkit.throttling import BaseThrottler

from bot.github.cache import ByteLru
from bot.github.limits import GitHubLimits, Time
from bot.github.outcome import (
    Again,
    Outcome,
    RestAnswer,
    RestRequest,
    RetryRules,
    Silence,
    TooLarge,
    Tried,
    limited_for,
    next_step,
)
from bot.github.pace import Traffic
from gatekit.formats.redact import one_line
from handlers.errors import LookupFailed


@dataclass(frozen=True, slots=True)
class RequestSeen:
    """One request, for whoever counts. `status` is None where no answer came."""

    installation: int | None  # None: the App itself asked
    operation: str  # e.g. GET /repos/{owner}/{repo}
    status: int | None
    remaining: int | None  # of the hour's limit


Watch: TypeAlias = Callable[[RequestSeen], None]


@dataclass(frozen=True, slots=True)
class House:
    """What all channels of one App share."""

    api_url: str
    limits: GitHubLimits
    time: Time
    watch: Watch
    throttler: BaseThrottler
    tls: SSLContext


class LongLived(GitHubCore[Any]):
    """githubkit keeps its HTTP client in a ContextVar, which a task started earlier does not see, and then makes a
    client for each call. Here the client is an attribute, the same for every task."""

    def __init__(self, auth: BaseAuthStrategy, house: House) -> None:
        limits = house.limits
        super().__init__(
            auth,
            base_url=house.api_url,
            user_agent="gatekit",
            timeout=httpx.Timeout(limits.read_seconds, connect=limits.connect_seconds),
            ssl_verify=house.tls,
            cache_strategy=MemCacheStrategy(),  # the default one is shared by all, whatever their address
            http_cache=False,
            throttler=house.throttler,
            auto_retry=False,
        )
        self._stack = AsyncExitStack()
        self._held: httpx.AsyncClient | None = None

    async def open(self) -> None:
        self._held = await self._stack.enter_async_context(super().get_async_client())

    async def close(self) -> None:
        self._held = None
        await self._stack.aclose()

    @asynccontextmanager
    async def get_async_client(self) -> AsyncIterator[httpx.AsyncClient]:
        if self._held is None:
            raise RuntimeError("the channel to GitHub is not open")
        yield self._held


API_VERSION = "2022-11-28"  # the one that GitHub Enterprise Server knows as well


class Channel:
    """`ready` runs before each try, outside its time limit: it sees to the token."""

    def __init__(
        self, auth: BaseAuthStrategy, house: House, ready: Callable[[], Awaitable[object]], installation: int | None
    ) -> None:
        self.busy = 0
        self._github = LongLived(auth, house)
        self._house = house
        self._ready = ready
        self._installation = installation
        self._traffic = Traffic(house.limits, house.time)
        self._remembered: ByteLru[tuple[str, str], RestAnswer] = ByteLru(house.limits.etag_bytes)

    async def open(self) -> None:
        await self._github.open()

    async def close(self) -> None:
        await self._github.close()

    async def call(self, ask: RestRequest) -> RestAnswer:
        """An answer below 400. Raises LookupFailed and its kinds; what creates is never sent again blindly."""
        self.busy += 1
        try:
            tried = Tried()
            while True:
                outcome = await self._turn(ask)
                step = next_step(ask, outcome, tried, self._rules())
                if isinstance(step, LookupFailed):
                    raise step
                if isinstance(step, RestAnswer):
                    return step
                tried = await self._pause(step)
        finally:
            self.busy -= 1

    async def _pause(self, step: Again) -> Tried:
        await self._house.time.sleep(step.after)
        return step.tried

    async def _turn(self, ask: RestRequest) -> Outcome:
        await self._ready()
        async with self._traffic.turn(ask.operation):
            known = self._remembered.get((self._key(ask), ask.accept))
            outcome = await self._try(ask, known)
        self._learn(ask, outcome)
        if isinstance(outcome, RestAnswer) and outcome.status == 304 and known is not None:
            return known
        self._remember(ask, outcome)
        return outcome

    async def _try(self, ask: RestRequest, known: RestAnswer | None) -> Outcome:
        limits = self._house.limits
        seconds = limits.call_seconds if ask.limit is None else limits.archive_seconds
        try:
            async with asyncio.timeout(seconds):
                return await self._exchange(ask, known)
        except (TimeoutError, RequestTimeout, httpx.TimeoutException):
            return Silence("no answer in time")
        except RequestFailed as error:
            return _answer(error.response.raw_response, error.response.content)
        except RequestError as error:
            if isinstance(error.exc, LookupFailed):  # from the mint of a token, inside the request
                raise error.exc from None
            return Silence(f"the connection failed ({_told(error.exc)})")
        except httpx.HTTPError as error:
            return Silence(f"the connection broke ({_told(error)})")
        except ValueError:  # githubkit reads the rate limit's headers as numbers
            return Silence("the answer's headers make no sense")

    async def _exchange(self, ask: RestRequest, known: RestAnswer | None) -> RestAnswer:
        headers = {"Accept": ask.accept, "X-GitHub-Api-Version": API_VERSION}
        if known is not None:
            headers["If-None-Match"] = known.headers["etag"]
        response = await self._github.arequest(
            ask.operation.method,
            ask.url,
            params=dict(ask.query) or None,
            json=ask.body,
            headers=headers,
            stream=True,
        )
        raw = response.raw_response
        try:
            return _answer(raw, await _read(raw, ask.limit or self._house.limits.json_bytes))
        finally:
            await raw.aclose()

    def _learn(self, ask: RestRequest, outcome: Outcome) -> None:
        answer = outcome if isinstance(outcome, RestAnswer) else None
        if answer is not None:
            self._traffic.budget.learn(answer)
            wait = limited_for(answer, 0, self._rules())
            if wait is not None:
                self._traffic.budget.block(self._house.time.now() + wait)
        operation = f"{ask.operation.method} {ask.operation.path}"
        remaining = self._traffic.budget.remaining
        self._house.watch(RequestSeen(self._installation, operation, answer.status if answer else None, remaining))

    def _remember(self, ask: RestRequest, outcome: Outcome) -> None:
        if not isinstance(outcome, RestAnswer) or outcome.status != 200 or ask.operation.method != "GET":
            return
        if "etag" in outcome.headers and len(outcome.body) <= self._house.limits.etag_bytes // 8:
            self._remembered.put((self._key(ask), ask.accept), outcome, len(outcome.body))

    def _rules(self) -> RetryRules:
        return RetryRules(self._house.limits, self._house.time.now())

    @staticmethod
    def _key(ask: RestRequest) -> str:
        return f"{ask.url}?{sorted(ask.query.items())}"


async def _read(response: httpx.Response, limit: int) -> bytes:
    read = bytearray()
    async for part in response.aiter_bytes():
        read += part
        if len(read) > limit:
            raise TooLarge(f"the answer is larger than {limit // 1024} KiB")
    return bytes(read)


def _answer(response: httpx.Response, body: bytes) -> RestAnswer:
    return RestAnswer(response.status_code, {name.lower(): value for name, value in response.headers.items()}, body)


def _told(error: Exception) -> str:
    return one_line(f"{type(error).__name__}: {error}".removesuffix(": "))
