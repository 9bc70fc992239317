"""A real browser to look at pages with, and a trap that notices whatever a page fetches or runs."""

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from aiohttp import web
from aiohttp.test_utils import TestServer
from selenium.webdriver import Chrome, ChromeOptions, ChromeService

T = TypeVar("T")

_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
)


@dataclass
class Browser:
    """Debian's Chromium. Its driver blocks, so it is asked beside the event loop, which serves the pages meanwhile."""

    driver: Chrome

    async def open(self, url: str) -> None:
        self.driver.get_log("performance")  # what earlier pages fetched
        await self.ask(lambda driver: driver.get(url))

    async def ask(self, what: Callable[[Chrome], T]) -> T:
        return await asyncio.to_thread(what, self.driver)

    async def run(self, script: str, *arguments: object) -> Any:
        return await self.ask(lambda driver: driver.execute_script(script, *arguments))

    async def resize(self, width: int, height: int = 900) -> None:
        """The size of the page itself: a window cannot be as narrow as a telephone."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        await self.ask(lambda driver: driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size))

    async def fetched(self) -> list[str]:
        """The address of every request since `open`, the page's own included."""
        entries = await self.ask(lambda driver: driver.get_log("performance"))
        messages = [json.loads(entry["message"])["message"] for entry in entries]
        sent = [one["params"] for one in messages if one["method"] == "Network.requestWillBeSent"]
        return [one["request"]["url"] for one in sent]


@contextmanager
def browser() -> Iterator[Browser]:
    with tempfile.TemporaryDirectory(prefix="gatekit-browser-", ignore_cleanup_errors=True) as profile:
        options = ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for flag in (*_FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
        driver = Chrome(options, ChromeService("/usr/bin/chromedriver"))
        try:
            driver.get("about:blank")  # the start page fetches much of its own
            yield Browser(driver)
        finally:
            driver.quit()


@dataclass
class Trap:
    """A server on another port. Text that became part of a page asks it for something."""

    url: str
    hits: list[str] = field(default_factory=list)

    @property
    def bait(self) -> str:
        """HTML that runs a script and fetches from the trap in every way that needs no click."""
        return (
            f"\"'><script>document.title = 'ran'</script><script src={self.url}/script></script>"
            f"<img src={self.url}/image onerror=\"document.title='ran'\"><link rel=stylesheet href={self.url}/style>"
            f"<iframe src={self.url}/frame></iframe><object data={self.url}/object></object>"
            f"<style>@import url({self.url}/import);</style><svg onload=\"document.title='ran'\"></svg>"
        )


@asynccontextmanager
async def trap() -> AsyncIterator[Trap]:
    found = Trap("")

    async def caught(request: web.Request) -> web.Response:
        found.hits.append(request.path)
        return web.Response(text="document.title = 'ran'", content_type="text/javascript")

    app = web.Application()
    app.router.add_get("/{path}", caught)
    async with TestServer(app) as server:
        found.url = str(server.make_url("")).rstrip("/")
        yield found
