"""Who is let in, and the headers that every answer carries."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count

from bot.demo.github.app import TOKEN, BadCredentials, Token
from bot.demo.github.ask import ApiError, Reply, Route
from bot.demo.github.faults import RateLimit
from bot.demo.github.world import World

VERSIONS = ("2022-11-28", "2026-03-10")  # of the REST interface
WINDOW = 3600  # seconds of a rate limit


@dataclass(slots=True)
class Door:
    """`limit` is the number of calls an hour that the installation has."""

    world: World
    limit: int = 5000
    used: int = 0
    _opened: float | None = None  # when the first call of the window came
    _requests: "count[int]" = field(default_factory=lambda: count(1))

    def admit(self, route: Route | None, headers: Mapping[str, str]) -> Token | None:
        """The installation token of the call, None for the App itself. Raises ApiError."""
        if "User-Agent" not in headers:
            raise ApiError(403, "Request forbidden by administrative rules. Please make sure you send a User-Agent.")
        version = headers.get("X-GitHub-Api-Version", VERSIONS[-1])
        if version not in VERSIONS:
            raise ApiError(400, f"{version} is not a supported version of the API")
        kind, _, text = headers.get("Authorization", "").partition(" ")
        if kind.lower() not in ("bearer", "token") or not text:
            raise ApiError(401, "Requires authentication")
        try:
            if route is not None and route.as_app:
                self.world.tokens.check_app(text)
                return None
            token = self.world.tokens.check(text)
        except BadCredentials as error:
            raise ApiError(401, str(error)) from error
        self._count()
        if route is not None and not any(token.may(need) for need in route.needs):
            raise ApiError(403, "Resource not accessible by integration")
        return token

    def limited(self, trouble: RateLimit) -> Reply:
        """GitHub's words for a limit that was reached."""
        installation = self.world.app.installation
        if trouble.secondary:
            message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
            return Reply(trouble.status, ApiError(trouble.status, message).body, {"Retry-After": str(trouble.seconds)})
        message = f"API rate limit exceeded for installation ID {installation}."
        reset = str(int(self.world.tokens.now().timestamp()) + trouble.seconds)
        headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Used": str(self.limit), "X-RateLimit-Reset": reset}
        return Reply(trouble.status, ApiError(trouble.status, message).body, headers)

    def dress(self, method: str, asked: Mapping[str, str], reply: Reply) -> Reply:
        """Adds the request id, the account of the rate limit and, on reads, an ETag that can answer 304."""
        headers = {
            "X-GitHub-Request-Id": f"C0DE:{next(self._requests):08X}",
            "X-GitHub-Media-Type": "github.v3; format=json",
            "X-GitHub-Api-Version-Selected": asked.get("X-GitHub-Api-Version", VERSIONS[-1]),
            **self._account(),
            **reply.headers,
        }
        if method == "GET" and reply.status == 200:
            tag = f'W/"{hashlib.sha256(reply.payload).hexdigest()}"'
            headers |= {
                "ETag": tag,
                "Cache-Control": "private, max-age=60, s-maxage=60",
                "Vary": "Accept, Authorization",
            }
            if tag.removeprefix("W/") in asked.get("If-None-Match", ""):
                if TOKEN in asked.get("Authorization", ""):
                    self.used -= 1  # it was counted, and "not modified" is free
                return Reply(304, None, headers | self._account(), reply.content_type)
        return Reply(reply.status, reply.body, headers, reply.content_type)

    def _count(self) -> None:
        now = self.world.tokens.now().timestamp()
        if self._opened is None or now >= self._opened + WINDOW:
            self._opened, self.used = now, 0
        if self.used >= self.limit:
            raise ApiError(403, f"API rate limit exceeded for installation ID {self.world.app.installation}.")
        self.used += 1

    def _account(self) -> dict[str, str]:
        opened = self._opened if self._opened is not None else self.world.tokens.now().timestamp()
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Used": str(self.used),
            "X-RateLimit-Remaining": str(self.limit - self.used),
            "X-RateLimit-Reset": str(int(opened) + WINDOW),
            "X-RateLimit-Resource": "core",
        }
