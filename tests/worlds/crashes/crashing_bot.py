"""A bot as a process of its own, which kills itself before or after a step.

`python -m tests.worlds.crashes.crashing_bot` loads everything once and then forks a bot for each line of JSON that it
reads. A bot answers with its pid and its webhook address.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from aiohttp import ClientSession, web
from pydantic import SecretStr, TypeAdapter

from bot.app import running
from bot.settings import AppCredentials
from handlers.ports.bundle import Ports
from tests.worlds.bench.bench_pr import LAWS, Setting
from tests.worlds.bot.bot_world import parts_for
from tests.worlds.bot.hand_clock import ShiftedClock
from tests.worlds.bot.until import PATIENCE, until
from tests.worlds.cluster.scripted_cluster import ScriptedCluster

ROOT = Path(__file__).parents[3]
STORING = "deliveries.store"
T = TypeVar("T")


@dataclass(frozen=True)
class Point:
    """Before or after the n-th call of a step, e.g. `sweeps.create`."""

    step: str
    after: bool
    nth: int = 1


@dataclass(frozen=True)
class Order:
    """What a bot is made of. `ending`: the cluster's jobs end by themselves, at once."""

    folder: str
    api_url: str
    app_id: int
    private_key: str
    webhook_secret: str
    ending: bool
    lasts: float = 0.0  # seconds until a job ends
    point: Point | None = None
    max_jobs: int = 2
    lease_seconds: float = 15.0
    ahead: float = 0.0  # seconds that its clock is ahead: what waits until later is due


class Tripwire:
    """Whatever is asked of `inner` under `name` passes through here; the point's call is the process's last."""

    def __init__(self, inner: object, name: str, point: Point) -> None:
        self._inner, self._name, self._point, self._calls = inner, name, point, 0

    def __getattr__(self, method: str) -> Callable[..., object]:
        call: Callable[..., object] = getattr(self._inner, method)
        if f"{self._name}.{method}" != self._point.step:
            return call

        async def tripping(*args: object, **kwargs: object) -> object:
            self._calls += 1
            if self._calls == self._point.nth and not self._point.after:
                die()
            answer = call(*args, **kwargs)
            assert isinstance(answer, Awaitable)
            value = await answer
            if self._calls == self._point.nth:
                die()
            return value

        return tripping


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def wrapped(ports: Ports, point: Point) -> Ports:
    name = point.step.partition(".")[0]
    if not hasattr(ports, name):
        return ports
    return replace(ports, **{name: Tripwire(getattr(ports, name), name, point)})  # type: ignore[arg-type]


async def serve(order: Order) -> None:
    setting = Setting(
        max_jobs=order.max_jobs,
        laws=LAWS if order.ending else None,
        poll_seconds=0.1,
        show_seconds=0.0 if order.ending else 60.0,  # where nothing ends, a story has the comment's first writing alone
    )
    cluster = ScriptedCluster(Path(order.folder) / "cluster", setting.laws, lasts=order.lasts)
    identity = AppCredentials(order.app_id, SecretStr(order.private_key), SecretStr(order.webhook_secret))
    parts = parts_for(identity, order.api_url, Path(order.folder), cluster, setting)
    clock = ShiftedClock(timedelta(seconds=order.ahead))
    parts = replace(parts, lease_seconds=order.lease_seconds, clock=clock)
    point = order.point
    if point is not None:
        one = replace(parts.clusters[0], executor=Tripwire(cluster, "cluster", point))  # type: ignore[arg-type]
        parts = replace(parts, clusters=(one,), wrap=lambda ports: wrapped(ports, point))
    async with AsyncExitStack() as stack:
        bot = await stack.enter_async_context(running(parts))
        url = f"{bot.webhook_url}/webhook"
        if point is not None and point.step == STORING:
            url = await stack.enter_async_context(front_door(url, point))
        os.write(1, f"{os.getpid()} {url}\n".encode())
        await asyncio.Event().wait()


@asynccontextmanager
async def front_door(url: str, point: Point) -> AsyncIterator[str]:
    """In front of the bot's own door: what arrives is never passed on, or its answer is never given."""

    async def receive(request: web.Request) -> web.Response:
        body = await request.read()
        if not point.after:
            die()
        async with ClientSession() as session, session.post(url, data=body, headers=request.headers) as answer:
            assert answer.status == 202
            die()
        return web.Response()

    app = web.Application()
    app.router.add_post("/webhook", receive)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/webhook"
    await runner.cleanup()


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody has to bury the dead
    orders = TypeAdapter(Order)
    while line := sys.stdin.readline():
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            asyncio.run(serve(orders.validate_json(line)))


@dataclass
class Nursery:
    """The process that bots are forked from."""

    process: "subprocess.Popen[str]"

    async def bot(self, order: Order) -> "BotProcess":
        return await asyncio.wait_for(asyncio.to_thread(self._bot, order), PATIENCE)

    def _bot(self, order: Order) -> "BotProcess":
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(asdict(order)) + "\n")
        self.process.stdin.flush()
        pid, url = self.process.stdout.readline().split()
        return BotProcess(int(pid), url)


@dataclass
class BotProcess:
    pid: int
    url: str

    @property
    def alive(self) -> bool:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    async def died(self) -> None:
        """Until it is gone; fails where it does not die."""
        await until(lambda: not self.alive)

    async def kill(self) -> None:
        if self.alive:
            os.kill(self.pid, signal.SIGKILL)
        await self.died()


@contextmanager
def nursery() -> Iterator[Nursery]:
    words = [sys.executable, "-m", "tests.worlds.crashes.crashing_bot"]
    with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Nursery(process)


if __name__ == "__main__":
    main()
