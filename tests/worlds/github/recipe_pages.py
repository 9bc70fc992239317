"""A server that stands in for the sites of published recipes: `/<host>/<path>`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web
from aiohttp.test_utils import TestServer


@dataclass
class RecipePages:
    """`pages`: what is published, by host and path, e.g. `recipes.vllm.ai/example/glow`."""

    pages: dict[str, str] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)  # where an address redirects to
    asked: list[str] = field(default_factory=list)
    url: str = ""

    async def answer(self, request: web.Request) -> web.Response:
        place = request.path.lstrip("/")
        self.asked.append(place)
        if place in self.moved:
            return web.Response(status=302, headers={"Location": self.moved[place]})
        text = self.pages.get(place)
        return web.Response(status=404) if text is None else web.Response(text=text)


@asynccontextmanager
async def recipe_pages(**pages: str) -> AsyncIterator[RecipePages]:
    found = RecipePages()
    app = web.Application()
    app.router.add_get("/{place:.*}", found.answer)
    async with TestServer(app) as server:
        found.url = str(server.make_url("")).rstrip("/")
        yield found
