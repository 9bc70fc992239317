"""Who we are to GitHub: the App by its key, an installation by a token that lives an hour."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import httpx
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from githubkit import AppAuthStrategy, GitHubCore
from githubkit.auth import BaseAuthStrategy
from githubkit.auth.app import AppAuth

from bot.github.cache import SingleFlight
from bot.github.fields import text
from bot.github.limits import Time

_SPARE_SECONDS = 60.0  # a token is not used in its last minute


@dataclass(frozen=True, slots=True)
class AppIdentity:
    """`private_key` is PEM text; `api_url` has no path for GitHub itself and `/api/v3` for GitHub Enterprise Server."""

    app_id: int
    private_key: str = field(repr=False)
    api_url: str = "https://api.github.com"

    def __post_init__(self) -> None:
        """Raises ValueError where the key cannot sign: later, the error could carry the key's text."""
        try:
            usable = isinstance(load_pem_private_key(self.private_key.encode(), None), RSAPrivateKey)
        except (ValueError, TypeError):
            usable = False
        if not usable:
            raise ValueError("the App's private key is no RSA key in PEM form without a passphrase")


@dataclass(frozen=True, slots=True)
class Token:
    value: str = field(repr=False)
    expires: float  # seconds since the epoch


def read_token(answer: object) -> Token:
    """GitHub's answer to a mint."""
    return Token(text(answer, "token"), datetime.fromisoformat(text(answer, "expires_at")).timestamp())


class TokenKeeper:
    """One installation's token: minted by one of the askers for all of them."""

    def __init__(self, mint: Callable[[], Awaitable[Token]], time: Time) -> None:
        self._mint = mint
        self._time = time
        self._token: Token | None = None
        self._flight: SingleFlight[None, Token] = SingleFlight()

    async def token(self) -> str:
        held = self._token
        if held is None or held.expires - _SPARE_SECONDS <= self._time.now():
            held = await self._flight.run(None, self._fresh)
        return held.value

    def evict(self, value: str) -> None:
        """GitHub does not take this token any more. Another that was minted meanwhile stays."""
        if self._token is not None and self._token.value == value:
            self._token = None

    async def close(self) -> None:
        await self._flight.close()

    async def _fresh(self) -> Token:
        self._token = await self._mint()
        return self._token


class TokenAuth(BaseAuthStrategy, httpx.Auth):
    """Signs with the keeper's token; a 401 evicts it, and the request is sent once more with a new one."""

    def __init__(self, keeper: TokenKeeper) -> None:
        self._keeper = keeper

    def get_auth_flow(self, github: GitHubCore[Any]) -> httpx.Auth:
        return self

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        value = await self._keeper.token()
        request.headers["Authorization"] = f"Bearer {value}"
        response = yield request
        if response.status_code == 401:
            self._keeper.evict(value)
            request.headers["Authorization"] = f"Bearer {await self._keeper.token()}"
            yield request


class _QuietFlow(AppAuth):
    __repr__ = object.__repr__


class KeyAuth(AppAuthStrategy):
    """githubkit's signing, whose values print themselves with the key."""

    __repr__ = object.__repr__

    def get_auth_flow(self, github: GitHubCore[Any]) -> httpx.Auth:
        return _QuietFlow(github, self.app_id, self.private_key)
