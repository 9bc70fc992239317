"""Pages of recipes: from exact hosts only, as they stand, never followed."""

import gzip
from collections.abc import AsyncIterator

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.github.recipe_pages import MOST_BYTES, Pages
from gatekit.signoff.evidence.upstream import UpstreamPage
from handlers.errors import LookupFailed

HOST = "https://recipes.vllm.ai"


async def _answer(request: web.Request) -> web.StreamResponse:
    match request.path.rpartition("/")[2]:
        case "page":
            return web.Response(text="vllm serve it")
        case "gone":
            return web.Response(status=410)
        case "on":
            return web.Response(status=308, headers={"Location": "/recipes.vllm.ai/page"})
        case "busy":
            return web.Response(status=503)
        case "secret":
            return web.Response(status=403)
        case "large":
            return web.Response(body=b"x" * (MOST_BYTES + 1))
        case "packed":
            packed = gzip.compress(b"x" * MOST_BYTES * 4)
            return web.Response(body=packed, headers={"Content-Encoding": "gzip"})
        case _:
            return web.Response(status=404)


@pytest.fixture
async def pages() -> AsyncIterator[Pages]:
    app = web.Application()
    app.router.add_get("/{rest:.*}", _answer)
    async with TestServer(app) as server:
        yield Pages(str(server.make_url("")).rstrip("/"))


async def test_a_page_that_is_there_and_one_that_is_not(pages: Pages) -> None:
    assert await pages.get(f"{HOST}/page") == UpstreamPage(200, "vllm serve it")
    assert (await pages.get("https://docs.sglang.io/nothing")).status == 404
    assert (await pages.get(f"{HOST}/gone")).status == 410


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("on", "leads on to another address, which is not followed"),
        ("busy", "recipes.vllm.ai answered 503"),
        ("secret", "recipes.vllm.ai answered 403"),
        ("large", "answers with more than 2,097,152 bytes"),
    ],
)
async def test_what_is_no_answer(pages: Pages, path: str, why: str) -> None:
    with pytest.raises(LookupFailed, match=why):
        await pages.get(f"{HOST}/{path}")


async def test_nothing_is_unpacked(pages: Pages) -> None:
    assert len((await pages.get(f"{HOST}/packed")).text) < MOST_BYTES


async def test_a_host_that_does_not_answer() -> None:
    with pytest.raises(LookupFailed, match=r"recipes.vllm.ai did not answer: ConnectError"):
        await Pages("http://127.0.0.1:1").get(f"{HOST}/page")


@pytest.mark.parametrize(
    "url",
    [
        "http://recipes.vllm.ai/page",
        "https://recipes.vllm.ai:8443/page",
        "https://recipes.vllm.ai:99999/page",
        "https://recipes.vllm.ai:x/page",
        "https://me@recipes.vllm.ai/page",
        "https://recipes.vllm.ai.evil.example/page",
        "https://recipes.vllm.ai./page",
        "https://evil.example/recipes.vllm.ai",
        "https://[recipes.vllm.ai]/page",
        "https:///page",
        "file:///etc/passwd",
        "https://github.com/page",
    ],
)
async def test_no_other_host_is_asked(pages: Pages, url: str) -> None:
    with pytest.raises(LookupFailed, match="no host that is asked"):
        await pages.get(url)
