"""The operator port: pages, the same as JSON, readiness, metrics; strict headers before every answer."""

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable

from aiohttp import web
from prometheus_client.aiohttp import make_aiohttp_handler

from bot.cluster.executor import JobStatus
from bot.pages import as_json, sweeps
from bot.pages.signoffs import add_signoffs
from bot.pages.sources import SOURCES, PageSources
from bot.pages.texts import TEMPLATES, page, style, templates, texts, whole_texts
from bot.store.audit import AuditLine
from bot.store.connection import StoreUnusable
from gatekit.domain.ids import SweepId, short
from gatekit.domain.job import Material
from gatekit.domain.sweep import GateRow, Sweep, job_of

log = logging.getLogger(__name__)

# nothing on our pages runs, loads from elsewhere, or may be framed: their text comes from pull requests
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


@web.middleware
async def guard(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    try:
        response = await handler(request)
    except web.HTTPException as said:
        if said.status == 404 and request.match_info.http_exception is not None:
            said.text = "There is no such page: / lists the sweeps.\n"
        said.headers.update(_HEADERS)
        raise
    except (sqlite3.Error, StoreUnusable) as error:
        log.warning("a page could not be made: %s", error, extra={"path": request.path})
        raise web.HTTPServiceUnavailable(
            text="The database could not be read: /readyz says more.\n", headers=_HEADERS
        ) from error
    response.headers.update(_HEADERS)
    return response


RECENT = 50  # sweeps that have ended, in the list
WITH_LOGS = 8  # gates: the page of a larger sweep leaves logs and scrapes to the pages of its gates
_MAX_ID = 2**63 - 1


def operator_app(sources: PageSources) -> web.Application:
    app = web.Application(middlewares=[guard])
    app[SOURCES] = sources
    app[TEMPLATES] = templates()
    app.router.add_get("/", _index)
    app.router.add_get("/style.css", style)
    app.router.add_get("/sweeps/{id}", _sweep_page)
    app.router.add_get("/sweeps/{id}/gates/{gate}", _gate_page)
    app.router.add_get("/api/", _index_json)
    app.router.add_get("/api/sweeps", _sweeps_json)
    app.router.add_get("/api/sweeps/{id}", _sweep_json)
    app.router.add_get("/api/sweeps/{id}/gates/{gate}", _gate_json)
    app.router.add_get("/api/sweeps/{id}/audit", _audit_json)
    add_signoffs(app.router)
    app.router.add_get("/readyz", _readyz)
    app.router.add_get("/metrics", _metrics)
    return app


async def _index(request: web.Request) -> web.Response:
    sources = request.app[SOURCES]
    listing, status = await sources.listing.read(RECENT), await sources.readiness()
    lines = {
        name: [sweeps.line_view(line, sources.github_url) for line in lines]
        for name, lines in (("open", listing.open), ("recent", listing.recent))
    }
    return await page(request, "sweeps.html", **lines, status=status)


async def _index_json(request: web.Request) -> web.Response:
    sources = request.app[SOURCES]
    listing, readiness = await sources.listing.read(RECENT), await sources.readiness()
    return web.json_response({"status": readiness.as_json(), "sweeps": as_json.sweep_lines(listing)})


async def _sweeps_json(request: web.Request) -> web.Response:
    return web.json_response(as_json.sweep_lines(await request.app[SOURCES].listing.read(RECENT)))


async def _sweep_page(request: web.Request) -> web.Response:
    sweep = await _sweep(request)
    logs = len(sweep.rows) <= WITH_LOGS
    gates = await asyncio.gather(*(_gate_view(request, sweep, row, logs=logs) for row in sweep.rows))
    view = sweeps.sweep_view(sweep, gates, request.app[SOURCES].github_url)
    return await page(request, "sweep.html", view=view, decisions=await _decisions(request, sweep))


async def _gate_page(request: web.Request) -> web.Response:
    sweep = await _sweep(request)
    gate = await _gate_view(request, sweep, _row(request, sweep), logs=True)
    return await page(request, "gate.html", sweep=sweep, gate=gate)


async def _sweep_json(request: web.Request) -> web.Response:
    return web.json_response(await asyncio.to_thread(as_json.sweep_json, await _sweep(request)))


async def _audit_json(request: web.Request) -> web.Response:
    return web.json_response([as_json.audit_json(line) for line in await _decisions(request, await _sweep(request))])


async def _decisions(request: web.Request, sweep: Sweep) -> tuple[AuditLine, ...]:
    return await request.app[SOURCES].audit.of_sweep(sweep.id, sweep.pr)


async def _gate_json(request: web.Request) -> web.Response:
    sweep = await _sweep(request)
    row = _row(request, sweep)
    whole = await asyncio.to_thread(whole_texts, await _material(request, sweep, row))
    return web.json_response(as_json.gate_json(sweep, row, _status(request, sweep, row), whole))


async def _readyz(request: web.Request) -> web.Response:
    readiness = await request.app[SOURCES].readiness()
    return web.json_response(readiness.as_json(), status=200 if readiness.ready else 503)


async def _metrics(request: web.Request) -> web.StreamResponse:
    await request.app[SOURCES].count()
    return await make_aiohttp_handler(registry=request.app[SOURCES].registry)(request)


async def _sweep(request: web.Request) -> Sweep:
    named = request.match_info["id"]
    number = int(named) if named.isascii() and named.isdigit() and len(named) < 20 else 0
    try:
        return await request.app[SOURCES].sweeps.get(SweepId(min(number, _MAX_ID)))
    except KeyError as error:
        raise web.HTTPNotFound(text=f"There is no sweep {named}: / lists the newest ones.\n") from error


def _row(request: web.Request, sweep: Sweep) -> GateRow:
    """By the gate's short id, or by its whole key."""
    named = request.match_info["gate"]
    for row in sweep.rows:
        if named in (short(row.gate.key), row.gate.key):
            return row
    raise web.HTTPNotFound(text=f"Sweep {sweep.id} has no gate {named}: /sweeps/{sweep.id} lists its gates.\n")


async def _gate_view(request: web.Request, sweep: Sweep, row: GateRow, *, logs: bool) -> sweeps.GateView:
    shown = await asyncio.to_thread(texts, await _material(request, sweep, row)) if logs else None
    return sweeps.gate_view(sweep, row, _status(request, sweep, row), shown)


def _status(request: web.Request, sweep: Sweep, row: GateRow) -> JobStatus | None:
    job = job_of(sweep, row)
    return None if job is None else request.app[SOURCES].statuses().get(job)


async def _material(request: web.Request, sweep: Sweep, row: GateRow) -> Material | None:
    """None also where the cluster takes too long to give it."""
    sources = request.app[SOURCES]
    try:
        async with asyncio.timeout(sources.fetch_seconds):
            return await sources.material(sweep, row.gate.key)
    except TimeoutError:
        return None
