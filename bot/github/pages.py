"""Pages outside GitHub that a sign-off may link to: a list of exact hosts, never followed anywhere else."""

from typing import Final
from urllib.parse import urlsplit

import httpx

from gatekit.signoff.upstream import HOSTS, UpstreamPage
from handlers.errors import LookupFailed

SECONDS: Final = 10.0
MOST_BYTES: Final = 2 * 1024 * 1024


class Pages:
    """`base` stands in for every host where a world brings its own; else they are asked themselves, over HTTPS."""

    def __init__(self, base: str | None = None) -> None:
        self._base = base

    async def get(self, url: str) -> UpstreamPage:
        """Raises LookupFailed where the host is none of ours, or did not answer."""
        parts = urlsplit(url)
        if parts.scheme != "https" or parts.hostname not in HOSTS or parts.port not in (None, 443) or parts.username:
            raise LookupFailed(f"{parts.hostname or 'this address'} is no host that is asked")
        wanted = url if self._base is None else f"{self._base}/{parts.hostname}{parts.path}"
        try:
            async with (
                httpx.AsyncClient(timeout=SECONDS, follow_redirects=False) as client,
                client.stream("GET", wanted) as answer,
            ):
                return UpstreamPage(answer.status_code, (await _bounded(answer)).decode("utf-8", "replace"))
        except httpx.HTTPError as error:
            raise LookupFailed(f"{parts.hostname} did not answer: {type(error).__name__}") from None


async def _bounded(answer: httpx.Response) -> bytes:
    body = b""
    async for piece in answer.aiter_bytes():
        body += piece
        if len(body) > MOST_BYTES:
            raise LookupFailed(f"{answer.url.host} answers with more than {MOST_BYTES:,} bytes")
    return body
