"""The stand-in as a server: HTTP on a free port in front of the world."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType
from typing import Self

from aiohttp import web

from bot.demo.github.ask import ApiError, Ask, Reply, Route, json_body, not_found
from bot.demo.github.door import Door
from bot.demo.github.downloads import downloads
from bot.demo.github.faults import (
    Answer,
    Cut,
    EmptyPages,
    Faults,
    Hold,
    Moment,
    RateLimit,
    RevokeTokens,
    Stale,
    Trouble,
)
from bot.demo.github.hooks import Hooks
from bot.demo.github.people import People
from bot.demo.github.routes import ROUTES
from bot.demo.github.urls import Urls
from bot.demo.github.world import World

WITH_SLASHES = ("path", "ref", "basehead", "tree_sha")  # parameters that may hold slashes


@dataclass(slots=True)
class Call:
    """One call to the REST interface. `route` is None where the stand-in knows no such operation; `status` is None
    until the answer left, and stays so where none did."""

    method: str
    path: str
    route: Route | None
    query: Mapping[str, str]
    body: bytes
    params: Mapping[str, str]
    status: int | None = None
    reply: Reply | None = None


class _Broken(Exception):
    """The connection is to break here."""


@dataclass(slots=True)
class StandIn:
    """`async with StandIn(world) as github:` serves until the block ends. One event loop, one thread."""

    world: World
    faults: Faults = field(default_factory=Faults)
    calls: list[Call] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)  # downloads that carried an Authorization header
    hooks: Hooks = field(init=False)
    door: Door = field(init=False)
    _closers: list[Callable[[], Awaitable[object]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.hooks, self.door = Hooks(self.world), Door(self.world)
        self.world.emit = self.hooks.emit

    @property
    def url(self) -> str:
        return self.world.urls.api

    @property
    def people(self) -> People:
        return People(self.world)

    async def __aenter__(self) -> Self:
        self.world.urls = Urls(await self._listen(self._api()), await self._listen(downloads(self.world, self.leaks)))
        postman = asyncio.create_task(self.hooks.run())
        self._closers.append(partial(_stop, postman))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for close in reversed(self._closers):
            await close()
        self._closers.clear()

    async def _listen(self, app: web.Application) -> str:
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        self._closers.append(runner.cleanup)
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        return f"http://{host}:{port}"

    def _api(self) -> web.Application:
        app = web.Application(client_max_size=2**24)
        for route in ROUTES:
            pattern = route.template
            for name in WITH_SLASHES:
                if pattern.endswith(f"{{{name}}}"):
                    pattern = pattern.removesuffix("}") + ":.+}"
            app.router.add_route(route.method, pattern.replace("{ref}/", "{ref:.+}/"), partial(self._serve, route))
        app.router.add_route("*", "/{anything:.*}", partial(self._serve, None))
        return app

    async def _serve(self, route: Route | None, request: web.Request) -> web.Response:
        call = Call(request.method, request.path, route, dict(request.query), await request.read(), request.match_info)
        self.calls.append(call)
        trouble = self.faults.meet(call.method, call.path)
        try:
            await self.on_the_way(Moment.BEFORE, call, trouble)
            reply = self._reply(call, request.headers, trouble)
            call.reply = reply = self.door.dress(call.method, request.headers, reply)
            await self.on_the_way(Moment.AFTER, call, trouble)
        except _Broken:
            if request.transport is not None:
                request.transport.abort()
            return web.Response()
        call.status = reply.status
        headers = {"Content-Type": reply.content_type, **reply.headers}
        return web.Response(status=reply.status, body=reply.payload, headers=headers)

    async def on_the_way(self, moment: Moment, call: Call, trouble: Trouble | None) -> None:
        """Before each call is applied, and again before its answer leaves."""
        if isinstance(trouble, Hold) and trouble.when is moment:
            await trouble.until.wait()
        if isinstance(trouble, Cut) and trouble.when is moment:
            raise _Broken

    def _read_before(self, call: Call) -> Reply:
        read = [one.reply for one in self.calls if (one.method, one.path) == (call.method, call.path)]
        return [reply for reply in read if reply is not None and reply.status == 200][-1]

    def _reply(self, call: Call, headers: Mapping[str, str], trouble: Trouble | None) -> Reply:
        """The answer to the call, applied to the world unless trouble stands before it."""
        if isinstance(trouble, RevokeTokens):
            self.world.tokens.revoke_all()
        try:
            if isinstance(trouble, Answer):
                raise ApiError(trouble.status, trouble.message)
            if isinstance(trouble, RateLimit):
                return self.door.limited(trouble)
            if isinstance(trouble, Stale):
                return self._read_before(call)
            token = self.door.admit(call.route, headers)
            if call.route is None:
                raise not_found()
            ask = Ask(
                world=self.world,
                hooks=self.hooks,
                params=call.params,
                query=call.query,
                body=json_body(call.body),
                accept=headers.get("Accept", ""),
                path=call.path,
                token=token,
                empty_pages=isinstance(trouble, EmptyPages),
            )
            return call.route.answer(ask)
        except ApiError as error:
            return Reply(error.status, error.body)


async def _stop(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.wait([task])
