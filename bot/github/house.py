"""What all channels of one App share, and the client that each of them keeps open."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from ssl import SSLContext
from typing import Any, TypeAlias

import httpx
from githubkit import GitHubCore
from githubkit.auth import BaseAuthStrategy
from githubkit.cache import MemCacheStrategy
from githubkit.throttling import BaseThrottler

from bot.github.limits import Limits, Time


@dataclass(frozen=True, slots=True)
class Seen:
    """One request, for whoever counts. `status` is None where no answer came."""

    installation: int | None  # None: the App itself asked
    operation: str  # e.g. GET /repos/{owner}/{repo}
    status: int | None
    remaining: int | None  # of the hour's limit


Watch: TypeAlias = Callable[[Seen], None]


@dataclass(frozen=True, slots=True)
class House:
    """What all channels of one App share."""

    api_url: str
    limits: Limits
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
