"""The operator port: pages, the same as JSON, readiness, metrics."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import jinja2
from aiohttp import web
from prometheus_client import CollectorRegistry
from prometheus_client.aiohttp import make_aiohttp_handler
from pydantic import TypeAdapter

from bot.pages.readiness import Readiness
from bot.pages.views import gate_view
from bot.store.sweeps import SweepStore
from gatekit.ids import GateKey, SweepId
from gatekit.job import Material
from gatekit.sweep import Sweep

RECENT = 100
_SWEEP: TypeAdapter[Sweep] = TypeAdapter(Sweep)
# nothing on our pages runs, loads from elsewhere, or may be framed: their text comes from pull requests
_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


@dataclass(frozen=True, slots=True)
class Sources:
    sweeps: SweepStore
    material: Callable[[Sweep, GateKey], Awaitable[Material | None]]  # what there is by now; None: nothing yet
    readiness: Callable[[], Awaitable[Readiness]]
    registry: CollectorRegistry
    count: Callable[[], Awaitable[None]]  # brings the gauges up to date


SOURCES = web.AppKey("sources", Sources)
TEMPLATES = web.AppKey("templates", jinja2.Environment)


def operator_app(sources: Sources) -> web.Application:
    app = web.Application(middlewares=[_safe_headers])
    app[SOURCES] = sources
    app[TEMPLATES] = jinja2.Environment(
        loader=jinja2.PackageLoader("bot.pages"), autoescape=True, undefined=jinja2.StrictUndefined
    )
    app.router.add_get("/", _index)
    app.router.add_get("/style.css", _style)
    app.router.add_get(r"/sweeps/{id:[0-9]{1,18}}", _sweep_page)
    app.router.add_get("/api/sweeps", _index_json)
    app.router.add_get(r"/api/sweeps/{id:[0-9]{1,18}}", _sweep_json)
    app.router.add_get("/readyz", _readyz)
    app.router.add_get("/metrics", _metrics)
    return app


@web.middleware
async def _safe_headers(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    response = await handler(request)
    response.headers["Content-Security-Policy"] = _POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def _page(request: web.Request, template: str, **values: object) -> web.Response:
    text = request.app[TEMPLATES].get_template(template).render(**values)
    return web.Response(text=text, content_type="text/html")


async def _index(request: web.Request) -> web.Response:
    return _page(request, "sweeps.html", sweeps=await request.app[SOURCES].sweeps.recent(RECENT))


async def _index_json(request: web.Request) -> web.Response:
    sweeps = await request.app[SOURCES].sweeps.recent(RECENT)
    return web.json_response(
        [_SWEEP.dump_python(sweep, mode="json", fallback=dict, warnings=False) for sweep in sweeps]
    )


async def _sweep_of(request: web.Request) -> Sweep:
    try:
        return await request.app[SOURCES].sweeps.get(SweepId(int(request.match_info["id"])))
    except KeyError as error:
        raise web.HTTPNotFound(text=f"there is no sweep {request.match_info['id']}") from error


async def _sweep_page(request: web.Request) -> web.Response:
    sweep = await _sweep_of(request)
    material = request.app[SOURCES].material
    gates = [gate_view(sweep, row, await material(sweep, row.gate.key)) for row in sweep.rows]
    return _page(request, "sweep.html", sweep=sweep, gates=gates)


async def _sweep_json(request: web.Request) -> web.Response:
    return web.json_response(_as_json(await _sweep_of(request)))


def _as_json(sweep: Sweep) -> object:
    return _SWEEP.dump_python(sweep, mode="json", fallback=dict, warnings=False)  # read-only mappings are plain ones


async def _readyz(request: web.Request) -> web.Response:
    readiness = await request.app[SOURCES].readiness()
    return web.json_response(readiness.as_json(), status=200 if readiness.ready else 503)


async def _metrics(request: web.Request) -> web.StreamResponse:
    await request.app[SOURCES].count()
    return await make_aiohttp_handler(registry=request.app[SOURCES].registry)(request)


async def _style(request: web.Request) -> web.Response:
    loader = request.app[TEMPLATES].loader
    assert loader is not None
    text, _, _ = loader.get_source(request.app[TEMPLATES], "style.css")
    return web.Response(text=text, content_type="text/css")
