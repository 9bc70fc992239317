"""Pages outside GitHub that a sign-off may link to: a list of exact hosts, never followed anywhere else."""

import asyncio
import ssl
from typing import Final
from urllib.parse import urlsplit

import httpx

from gatekit.signoff.evidence.upstream import HOSTS, UpstreamPage
from handlers.errors import LookupFailed

SECONDS: Final = 10.0
MOST_BYTES: Final = 2 * 1024 * 1024
_DEFINITE: Final = frozenset({200, 404, 410})
_HEADERS: Final = {"accept-encoding": "identity", "user-agent": "gatekit"}


class Pages:
    """`base` stands in for every host where a world brings its own; else they are asked themselves, over HTTPS."""

    def __init__(self, base: str | None = None) -> None:
        self._base = base
        self._tls: ssl.SSLContext | None = None  # takes a while to make: only where a page is asked for

    async def get(self, url: str) -> UpstreamPage:
        """Raises LookupFailed where the host is none of ours, or did not say whether there is such a page."""
        host, path = _place(url)
        wanted = f"https://{host}{path}" if self._base is None else f"{self._base}/{host}{path}"
        self._tls = self._tls or httpx.create_ssl_context()
        try:
            async with (
                asyncio.timeout(SECONDS),
                httpx.AsyncClient(verify=self._tls, timeout=SECONDS, follow_redirects=False) as client,
                client.stream("GET", wanted, headers=_HEADERS) as answer,
            ):
                if answer.is_redirect:
                    raise LookupFailed(
                        f"{host} leads on to another address, which is not followed: link the page itself"
                    )
                if answer.status_code not in _DEFINITE:
                    raise LookupFailed(f"{host} answered {answer.status_code}")
                return UpstreamPage(answer.status_code, (await _bounded(answer, host)).decode("utf-8", "replace"))
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            raise LookupFailed(f"{host} did not answer: {type(error).__name__}") from None


def _place(url: str) -> tuple[str, str]:
    """Host and path of an address that may be asked for. Raises LookupFailed."""
    try:
        parts = urlsplit(url)
        fine = parts.scheme == "https" and parts.hostname in HOSTS and parts.netloc == parts.hostname
    except ValueError:
        fine = False
    if not fine:
        raise LookupFailed("the link leads to no host that is asked")
    return parts.netloc, parts.path


async def _bounded(answer: httpx.Response, host: str) -> bytes:
    """As it came: nothing is unpacked."""
    body = b""
    async for piece in answer.aiter_raw():
        body += piece
        if len(body) > MOST_BYTES:
            raise LookupFailed(f"{host} answers with more than {MOST_BYTES:,} bytes")
    return body
