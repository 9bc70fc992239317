"""A real browser looks at the pages: hostile text stays text, and a person can use them on a telephone too."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.pages.app import guard
from gatekit.domain.ids import SweepId, short
from gatekit.domain.job import Material
from gatekit.domain.sweep import SweepState
from gatekit.signoff.checks.check import CheckFinding, Evidence, Outcome
from tests.bot.pages.house import House, pr, with_leftovers
from tests.bot.pages.test_signoffs import PATH, verdict
from tests.worlds.bench.plans import gate, wish
from tests.worlds.bot.browser import Browser, Trap, browser, trap
from tests.worlds.bot.stories import BELOW, FAILED, FAR, NEAR, NO_HEAD, ON_CURVE, SAMPLED
from tests.worlds.cluster.attempts import Attempt

UNBROKEN = "a-name-without-any-place-to-break-it/" * 8


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


@pytest.fixture
async def caught() -> AsyncIterator[Trap]:
    async with trap() as opened:
        yield opened


async def hostile(house: House, bait: str) -> SweepId:
    evil = gate("evil", title=f"title {bait}", recipe=f"recipe {bait}")
    sweep = await house.plan(new=replace(wish(evil), sender=f"sender {bait}"))
    await house.judge(sweep, evil, replace(FAILED, reason=f"reason {bait}"), f"tail {bait}")
    await house.end(sweep, SweepState.DONE, f"because {bait}")
    house.materials[evil.key] = Material(None, {}, {}, None, f"log {bait}", None)
    finding = CheckFinding(Outcome.FAIL, f"reason {bait}", (Evidence(f"what {bait}", f"where {bait}", f"here {bait}"),))
    await house.sign_offs.keep(pr(7), verdict(finding, author=f"author {bait}"))
    return sweep


async def busy(house: House) -> SweepId:
    """A sweep with something of everything, and names that are too long for a line."""
    long = gate("long", title=UNBROKEN, config_key=UNBROKEN, recipe=UNBROKEN)
    sweep = await house.plan(new=with_leftovers(wish(NEAR, FAR, NO_HEAD, SAMPLED, long)))
    await house.judge(sweep, NEAR, ON_CURVE)
    await house.judge(sweep, FAR, BELOW)
    await house.judge(sweep, NO_HEAD, FAILED, "loading model", UNBROKEN)
    house.materials[NEAR.key] = Attempt(gate=NEAR).material()
    await house.plan(gate(), number=1)
    ended = await house.plan(gate(), number=2)
    await house.end(ended, SweepState.SUPERSEDED, f"the head moved to {UNBROKEN}")
    return sweep


async def test_hostile_text_is_shown_and_does_nothing(house: House, chromium: Browser, caught: Trap) -> None:
    sweep = await hostile(house, caught.bait)
    told = {"/": ("because",), f"/sweeps/{sweep}": ("title", "recipe", "sender", "reason", "tail", "because")}
    told[PATH] = ("reason", "what", "where", "here", "author")
    for path, words in told.items():
        await chromium.open(house.url + path)
        shown = " ".join((await chromium.run("return document.body.innerText")).split())
        for word in words:
            assert f"{word} {' '.join(caught.bait.split())}" in shown, (path, word)
        assert "ran" not in (await chromium.ask(lambda driver: driver.title)).split()
        assert set(await chromium.fetched()) <= {house.url + path, f"{house.url}/style.css", f"{house.url}/favicon.ico"}
    assert caught.hits == []


async def test_the_trap_notices_text_that_became_part_of_a_page(chromium: Browser, caught: Trap) -> None:
    """Without escaping and without our headers."""
    async with _page(caught.bait) as url:
        await chromium.open(url)
        assert await chromium.ask(lambda driver: driver.title) == "ran"
    assert {"/script", "/image", "/style", "/frame"} <= set(caught.hits)


async def test_our_headers_alone_would_stop_it_too(chromium: Browser, caught: Trap) -> None:
    """Text that got past the escaping could run nothing and fetch nothing."""
    async with _page(caught.bait, guarded=True) as url:
        await chromium.open(url)
        assert await chromium.ask(lambda driver: driver.title) == "quiet"
    assert caught.hits == []


async def test_a_fold_opens_by_a_click(house: House, chromium: Browser) -> None:
    sweep = await house.plan(NEAR)
    await house.judge(sweep, NEAR, ON_CURVE)
    house.materials[NEAR.key] = Attempt(gate=NEAR).material()
    await chromium.open(f"{house.url}/sweeps/{sweep}")
    assert "engine says hello" not in await chromium.run("return document.body.innerText")
    await chromium.ask(
        lambda driver: driver.find_element("xpath", "//summary[normalize-space() = 'engine.log']").click()
    )
    assert "engine says hello" in await chromium.run("return document.body.innerText")


async def test_a_person_finds_the_log_of_a_gate_by_following_links(house: House, chromium: Browser) -> None:
    gates = [gate(f"gate-{n}") for n in range(12)]
    sweep = await house.plan(*gates)
    await house.judge(sweep, gates[3], FAILED)
    house.materials[gates[3].key] = Material(None, {}, {}, None, "CUDA is not there", None)
    await chromium.open(house.url)
    for link in (str(sweep), gates[3].title):
        await chromium.ask(lambda driver, link=link: driver.find_element("link text", link).click())
    here = f"//section[@id = '{short(gates[3].key)}']//a[text() = 'Logs and raw scrapes']"
    await chromium.ask(lambda driver: driver.find_element("xpath", here).click())
    await chromium.ask(lambda driver: driver.find_element("tag name", "summary").click())
    assert "CUDA is not there" in await chromium.run("return document.body.innerText")


@pytest.mark.parametrize("width", [400, 1200])
async def test_no_page_is_wider_than_the_window(house: House, chromium: Browser, width: int) -> None:
    sweep = await busy(house)
    await chromium.resize(width)
    for path in ("/", f"/sweeps/{sweep}", f"/sweeps/{sweep}/gates/{short(NEAR.key)}"):
        await chromium.open(house.url + path)
        await chromium.run("document.querySelectorAll('details').forEach(fold => fold.open = true)")
        wide, seen = await chromium.run(
            "const page = document.documentElement; return [page.scrollWidth, page.clientWidth]"
        )
        assert wide <= seen <= width, path
        assert seen > width - 20, path  # a scroll bar's breadth
        assert await chromium.run("return getComputedStyle(document.body).maxWidth") != "none"  # the style came


@asynccontextmanager
async def _page(body: str, guarded: bool = False) -> AsyncIterator[str]:
    """The address of a page that escapes nothing."""

    async def answer(request: web.Request) -> web.Response:
        return web.Response(text=f"<!doctype html><title>quiet</title><p>{body}", content_type="text/html")

    app = web.Application(middlewares=[guard] if guarded else [])
    app.router.add_get("/", answer)
    async with TestServer(app) as server:
        yield str(server.make_url("/"))
