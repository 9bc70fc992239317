"""A bot on its two ports."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass

from aiohttp import web

from bot.assembly import Assembly, Parts
from bot.deliveries.webhook import Door, webhook_app
from bot.github.auth import AppIdentity as GitHubIdentity
from bot.github.channel import RequestSeen
from bot.github.client import GitHubApp
from bot.metrics import Metrics, ReachMeter
from bot.pages.app import operator_app
from bot.pages.sources import PageSources, github_pages
from bot.store.audit import AuditStore
from bot.store.database import Database
from bot.store.sweep_list import SweepList

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunningBot:
    webhook_url: str
    operator_url: str
    idle: Callable[[], Awaitable[None]]  # until nothing waits and nothing runs


@asynccontextmanager
async def running(parts: Parts) -> AsyncIterator[RunningBot]:
    """A whole bot on its two ports, until the block is left. Raises StoreUnusable, OSError."""
    metrics, reach = Metrics(), ReachMeter()

    def watch(seen: RequestSeen) -> None:
        metrics.github(seen)
        reach.failed() if seen.status is None or seen.status >= 500 else reach.answered()

    identity = GitHubIdentity(
        parts.identity.app_id, parts.identity.private_key.get_secret_value(), parts.settings.github_api_url
    )
    async with AsyncExitStack() as stack:
        db = await stack.enter_async_context(Database(parts.settings.database))
        github = await stack.enter_async_context(GitHubApp(identity, parts.limits, watch=watch))
        bot = Assembly(parts, db, github, metrics)
        secret = parts.identity.webhook_secret.get_secret_value().encode()
        door = Door(secret, bot.deliveries, bot.clock, bot.dispatcher.wake, lambda: db.alive)
        sources = PageSources(
            sweeps=bot.sweeps,
            listing=SweepList(db),
            audit=AuditStore(db),
            signoffs=bot.sign_offs,
            material=bot.material,
            statuses=lambda: bot.scheduler.statuses,
            readiness=lambda: bot.readiness(reach),
            registry=metrics.registry,
            count=lambda: bot.count(reach),
            github_url=github_pages(parts.settings.github_api_url),
        )
        webhook_url = await _listen(stack, webhook_app(door), parts.settings.host, parts.settings.port)
        operator_url = await _listen(
            stack, operator_app(sources), parts.settings.operator_host, parts.settings.operator_port
        )
        for one in parts.clusters:
            stack.push_async_callback(one.executor.close)
        stack.push_async_callback(bot.lease.give_back)
        stack.push_async_callback(bot.deactivate)
        keeping = asyncio.create_task(bot.lease.keep(bot.activate, bot.stop_at_once), name="lease")
        stack.push_async_callback(_stop, keeping)
        log.info("listening on %s, operator on %s", webhook_url, operator_url)
        yield RunningBot(webhook_url, operator_url, bot.idle)


async def _listen(stack: AsyncExitStack, app: web.Application, host: str, port: int) -> str:
    # bodies stay as they were signed; a connection that says nothing is not kept for an hour
    runner = web.AppRunner(app, access_log=None, auto_decompress=False, keepalive_timeout=75)
    await runner.setup()
    stack.push_async_callback(runner.cleanup)
    await web.TCPSite(runner, host, port).start()
    address = runner.addresses[0]
    return f"http://{address[0]}:{address[1]}"


async def _stop(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
