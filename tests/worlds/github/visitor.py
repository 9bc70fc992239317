"""Somebody who asks the stand-in over HTTP with the App's real credentials, and uses none of the bot's code."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
import jwt

from bot.demo.github.app import App
from tests.worlds.github.standin import REPO, WatchedGitHub


def signed(app: App, *, life: int = 540, key: str | None = None, issuer: int | None = None) -> str:
    now = int(time.time())
    claims = {"iat": now - 60, "exp": now + life, "iss": str(issuer or app.id)}
    return jwt.encode(claims, key or app.private_key, algorithm="RS256")


@dataclass(slots=True)
class Visitor:
    """Paths are below the repository unless the App itself asks."""

    github: WatchedGitHub
    client: httpx.AsyncClient
    token: str = ""

    async def as_app(self, method: str, path: str, body: object = None, token: str | None = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token or signed(self.github.world.app)}"}
        return await self.client.request(method, path, json=body, headers=headers)

    async def log_in(self, **wanted: object) -> httpx.Response:
        installation = self.github.world.app.installation
        answer = await self.as_app("POST", f"/app/installations/{installation}/access_tokens", wanted or None)
        self.token = answer.json().get("token", "")
        return answer

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self.send("GET", path, None, **headers)

    async def send(self, method: str, path: str, body: object = None, **headers: str) -> httpx.Response:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        given = {"Authorization": f"Bearer {self.token}", **names}
        return await self.client.request(method, f"/repos/{REPO}{path}", headers=given, json=body)


@asynccontextmanager
async def visiting(github: WatchedGitHub) -> AsyncIterator[Visitor]:
    async with httpx.AsyncClient(base_url=github.url, trust_env=False) as client:
        visitor = Visitor(github, client)
        await visitor.log_in()
        yield visitor
