"""What the pages are fed from."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from aiohttp import web
from prometheus_client import CollectorRegistry

from bot.cluster.executor import JobStatus
from bot.pages.readiness import Readiness
from bot.store.audit import AuditStore
from bot.store.signoffs import SignOffStore
from bot.store.sweep_list import SweepList
from bot.store.sweeps import SweepStore
from gatekit.domain.ids import GateKey, JobName
from gatekit.domain.job import Material
from gatekit.domain.sweep import Sweep


@dataclass(frozen=True, slots=True)
class PageSources:
    sweeps: SweepStore
    listing: SweepList
    signoffs: SignOffStore
    audit: AuditStore
    material: Callable[[Sweep, GateKey], Awaitable[Material | None]]  # what there is by now; None: nothing yet
    statuses: Callable[[], Mapping[JobName, JobStatus]]  # what clusters said of their jobs at the last look
    readiness: Callable[[], Awaitable[Readiness]]
    registry: CollectorRegistry
    count: Callable[[], Awaitable[None]]  # brings the gauges up to date
    github_url: str | None  # where people see pull requests; None: not known, so there are no links
    fetch_seconds: float = 10.0  # a page does not wait longer for a cluster's files


SOURCES = web.AppKey("sources", PageSources)


def github_pages(api_url: str) -> str | None:
    """Where people read what an API address serves; None where that is not to be told from the address."""
    if api_url.startswith("https://api."):  # github.com, and subdomains of ghe.com
        return f"https://{api_url.removeprefix('https://api.')}"
    return api_url.removesuffix("/api/v3") if api_url.endswith("/api/v3") else None
