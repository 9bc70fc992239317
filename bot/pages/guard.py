"""Stands before every answer of the operator port: strict headers, and one sentence for whatever cannot be shown."""

import logging
import sqlite3
from collections.abc import Awaitable, Callable

from aiohttp import web

from bot.store.connection import StoreUnusable

log = logging.getLogger(__name__)

# nothing on our pages runs, loads from elsewhere, or may be framed: their text comes from pull requests
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


@web.middleware
async def guard(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    try:
        response = await handler(request)
    except web.HTTPException as said:
        if said.status == 404 and request.match_info.http_exception is not None:
            said.text = "There is no such page: / lists the sweeps.\n"
        said.headers.update(_HEADERS)
        raise
    except (sqlite3.Error, StoreUnusable) as error:
        log.warning("a page could not be made: %s", error, extra={"path": request.path})
        raise web.HTTPServiceUnavailable(
            text="The database could not be read: /readyz says more.\n", headers=_HEADERS
        ) from error
    response.headers.update(_HEADERS)
    return response
