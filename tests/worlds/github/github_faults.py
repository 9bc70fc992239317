"""A GitHub of one repository that fails on demand: what it holds is real, when it answers is the test's script."""

import asyncio
import hashlib
import json
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum, auto
from typing import Any

import jwt
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

OWNER, NAME = "octo", "bench"
REPO = f"/repos/{OWNER}/{NAME}"
APP_ID = 4711
HEAD, BASE = "a" * 40, "b" * 40


class Fault(Enum):
    CUT = auto()  # the connection breaks before anything happened
    CUT_AFTER = auto()  # it was applied, then the connection breaks
    HANG = auto()
    HANG_AFTER = auto()
    NONE = auto()  # answers as it should


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    json: object = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Applied:
    """It is applied, and then this is answered instead."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class Asked:
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any


class FakeTime:
    """Time that passes when somebody waits."""

    def __init__(self) -> None:
        self.moment = 1_800_000_000.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.moment

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.moment += seconds
        await asyncio.sleep(0)


def new_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


class FaultyGitHub:
    """`async with FaultyGitHub(time) as github`: then script it, ask it, and look at `asked`."""

    def __init__(self, time: FakeTime) -> None:
        self.url = ""
        self.asked: list[Asked] = []
        self.comments: list[dict[str, Any]] = []
        self.checks: list[dict[str, Any]] = []
        self.installation = 1
        self.tokens: list[str] = []  # that are taken
        self.connections: set[object] = set()
        self.prefix = ""  # of every path, as on GitHub Enterprise Server
        self.page = 100  # most items on a page, whatever is asked for
        self._time = time
        self._minted = 0
        self._next_id = 1000
        self._script: dict[tuple[str, str], deque[Reply | Applied | Fault]] = defaultdict(deque)
        self._always: dict[tuple[str, str], Reply] = {}
        self._end = asyncio.Event()

    async def __aenter__(self) -> "FaultyGitHub":
        app = web.Application(client_max_size=2**24)
        app.router.add_route("*", "/{rest:.*}", self._answer)
        self._runner = web.AppRunner(app, access_log=None)  # the code under test is held to its own logs
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(self, *error: object) -> None:
        self._end.set()
        await self._runner.cleanup()

    def next(self, method: str, path: str, *steps: Reply | Applied | Fault) -> None:
        """What the next requests to this path get, one after the other; afterwards it answers as it should."""
        self._script[method, path].extend(steps)

    def always(self, method: str, path: str, reply: Reply) -> None:
        self._always[method, path] = reply

    def count(self, method: str, path: str) -> int:
        return sum((asked.method, asked.path) == (method, path) for asked in self.asked)

    def comment(self, body: str, app: int | None = APP_ID, kind: str = "Bot") -> int:
        """A comment that stands there already."""
        self._next_id += 1
        through = None if app is None else {"id": app}
        self.comments.append(
            {"id": self._next_id, "body": body, "user": {"type": kind}, "performed_via_github_app": through}
        )
        return self._next_id

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        path = request.path.removeprefix(self.prefix)
        if path == request.path and self.prefix:
            return _response(Reply(404, {"message": "Not Found"}))
        body = json.loads(raw) if raw else None
        asked = Asked(request.method, path, dict(request.query), dict(request.headers), body)
        self.asked.append(asked)
        self.connections.add(request.get_extra_info("peername"))
        steps = self._script[asked.method, asked.path]
        step = steps.popleft() if steps else Fault.NONE
        if isinstance(step, Reply):
            return _response(step)
        if step in (Fault.CUT, Fault.HANG):
            return await self._fail(request, step)
        reply = self._apply(asked)
        if isinstance(step, Applied):
            return _response(step.reply)
        if step is Fault.NONE:
            return _response(reply)
        return await self._fail(request, step)

    async def _fail(self, request: web.Request, step: Fault) -> web.StreamResponse:
        if step in (Fault.HANG, Fault.HANG_AFTER):
            await self._end.wait()
        assert request.transport is not None or self._end.is_set()
        if request.transport is not None:
            request.transport.abort()
        return web.Response(status=500)

    def _apply(self, asked: Asked) -> Reply:
        match asked.method, asked.path.removeprefix(REPO).split("/")[1:]:
            case "GET", ["installation"]:
                return self._signed(asked) or Reply(200, {"id": self.installation})
            case "POST", ["app", "installations", number, "access_tokens"]:
                return self._signed(asked) or self._mint(int(number))
        bearer = asked.headers.get("Authorization", "")
        if bearer.removeprefix("Bearer ") not in self.tokens:
            return Reply(401, {"message": "Bad credentials"})
        if (asked.method, asked.path) in self._always:
            return _unless_known(asked, self._always[asked.method, asked.path])
        return self._resource(asked)

    def _resource(self, asked: Asked) -> Reply:
        match asked.method, asked.path.removeprefix(REPO).split("/")[1:]:
            case "GET", ["issues", _, "comments"]:
                return self._page(asked, self.comments)
            case "POST", ["issues", _, "comments"]:
                self.comment(asked.body["body"])
                return Reply(201, self.comments[-1])
            case "PATCH", ["issues", "comments", number]:
                return self._patch(self.comments, int(number), asked.body)
            case "GET", ["commits", _, "check-runs"]:
                return self._page(asked, self.checks, "check_runs")
            case "POST", ["check-runs"]:
                self._next_id += 1
                self.checks.append({"id": self._next_id, "app": {"id": APP_ID}, **asked.body})
                return Reply(201, self.checks[-1])
            case "PATCH", ["check-runs", number]:
                return self._patch(self.checks, int(number), asked.body)
        return Reply(404, {"message": "Not Found"})

    def _signed(self, asked: Asked) -> Reply | None:
        """Only the App's own signature may ask this."""
        claims = jwt.decode(asked.headers["Authorization"].removeprefix("Bearer "), options={"verify_signature": False})
        return None if claims["iss"] == str(APP_ID) else Reply(401, {"message": "Bad signature"})

    def _mint(self, number: int) -> Reply:
        if number != self.installation:
            return Reply(404, {"message": "Not Found"})
        self._minted += 1
        token = f"ghs_{self._minted:036d}"
        self.tokens.append(token)
        expires = datetime.fromtimestamp(self._time.now() + 3600, UTC)
        return Reply(201, {"token": token, "expires_at": f"{expires:%Y-%m-%dT%H:%M:%SZ}"})

    def _page(self, asked: Asked, items: list[dict[str, Any]], under: str | None = None) -> Reply:
        size = min(int(asked.query.get("per_page", "30")), self.page)
        start = (int(asked.query.get("page", "1")) - 1) * size
        shown, more = items[start : start + size], len(items) > start + size
        relations = (["prev"] if start else []) + (["next"] if more else [])
        link = {"Link": ", ".join(f'<{self.url}{asked.path}>; rel="{name}"' for name in relations)} if relations else {}
        return Reply(200, {under: shown, "total_count": len(items)} if under else shown, link)

    @staticmethod
    def _patch(items: list[dict[str, Any]], number: int, body: dict[str, Any]) -> Reply:
        for item in items:
            if item["id"] == number:
                item.update(body)
                return Reply(200, item)
        return Reply(404, {"message": "Not Found"})


def _unless_known(asked: Asked, reply: Reply) -> Reply:
    etag = '"' + hashlib.sha256(json.dumps(reply.json).encode()).hexdigest()[:12] + '"'
    if reply.status != 200:
        return reply
    if asked.headers.get("If-None-Match") == etag:
        return Reply(304, None, {"ETag": etag, **reply.headers}, b"")
    return Reply(200, reply.json, {"ETag": etag, **reply.headers}, reply.body)


def _response(reply: Reply) -> web.Response:
    body = reply.body if reply.body is not None else json.dumps(reply.json).encode()
    headers = {"Content-Type": "application/json; charset=utf-8", **reply.headers}
    return web.Response(status=reply.status, body=body, headers=headers)
