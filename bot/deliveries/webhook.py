"""The door: proves that GitHub sent it, stores it, and only then says 202."""

import asyncio
import hmac
import logging
import re
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from aiohttp import web

from bot.deliveries.skim import NotJson, route
from bot.github.fields import storable
from bot.store.connection import StoreUnusable
from bot.store.deliveries import Arrival, Deliveries
from gatekit.domain.ids import DeliveryId
from handlers.ports.bundle import Clock

log = logging.getLogger(__name__)

MAX_BODY = 26 * 1024 * 1024  # GitHub sends at most 25 MB

_SIGNATURE = re.compile(r"sha256=[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Door:
    secret: bytes  # the App's webhook secret
    deliveries: Deliveries
    clock: Clock
    arrived: Callable[[], None]  # called after a commit: there is something to dispatch
    healthy: Callable[[], bool]  # does the store still take work?
    body_seconds: float = 30.0  # for the whole body; GitHub itself gives up after 10


DOOR = web.AppKey("door", Door)


def webhook_app(door: Door) -> web.Application:
    """`POST /webhook` and `GET /healthz`."""
    if not door.secret:
        raise ValueError("a webhook secret is needed: without it everybody could send deliveries")
    app = web.Application(client_max_size=MAX_BODY)
    app[DOOR] = door
    app.router.add_post("/webhook", receive)
    app.router.add_get("/healthz", healthz)
    return app


async def receive(request: web.Request) -> web.Response:
    """202 stored; 401 not signed with our secret; 400 no JSON or no name; 413 too large; 503 could not be stored.

    408 the body did not come in time; 415 it is packed: the signature is one of the bytes as they were sent.
    """
    door = request.app[DOOR]
    signature, *others = request.headers.getall("X-Hub-Signature-256", [""])
    if others or _SIGNATURE.fullmatch(signature) is None:
        return web.Response(status=401, text="X-Hub-Signature-256 is missing or is no sha256 signature.\n")
    if request.headers.get("Content-Encoding", "identity") != "identity":
        return web.Response(status=415, text="Content-Encoding is set: send the body as it is.\n")
    try:
        async with asyncio.timeout(door.body_seconds):
            body = await request.read()
    except TimeoutError:
        return web.Response(status=408, text="The body did not come in time; send it again.\n")
    if not signed(door.secret, body, signature):
        return web.Response(status=401, text="The signature does not belong to this body and our webhook secret.\n")
    try:
        arrival = _arrival(request.headers, body, signature.removeprefix("sha256="), door.clock)
    except _Unusable as no:
        return web.Response(status=400, text=f"{no}\n")
    try:
        new = await door.deliveries.store(arrival)
    except (sqlite3.Error, StoreUnusable):
        log.exception("a delivery could not be stored", extra={"delivery": arrival.id})
        return web.Response(status=503, text="The delivery could not be stored; send it again.\n")
    if new:
        door.arrived()
    return web.Response(status=202, text="stored\n" if new else "stored before\n")


async def healthz(request: web.Request) -> web.Response:
    """200 while deliveries can be taken."""
    if request.app[DOOR].healthy():
        return web.Response(text="ok\n")
    return web.Response(status=503, text="the database takes no work\n")


def signed(secret: bytes, body: bytes, signature: str) -> bool:
    """Is `signature` (`sha256=` and 64 hex digits) the HMAC of the raw body?"""
    return hmac.compare_digest("sha256=" + hmac.digest(secret, body, "sha256").hex(), signature)


class _Unusable(Exception):
    """A signed request that is no delivery; the text says what is missing."""


def _arrival(headers: Mapping[str, str], body: bytes, signature: str, clock: Clock) -> Arrival:
    event, delivery = headers.get("X-GitHub-Event"), headers.get("X-GitHub-Delivery")
    if not event or not delivery:
        raise _Unusable("X-GitHub-Event and X-GitHub-Delivery are needed.")
    try:
        where = route(body)
    except NotJson as error:
        raise _Unusable("The body is no JSON: set the webhook's content type to application/json.") from error
    return Arrival(DeliveryId(storable(delivery)), storable(event), where, body, signature, clock.now())
