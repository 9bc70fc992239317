"""The receiver of gidgethub's own manual, on aiohttp, with one route that does nothing. Prints its port."""

import asyncio

import gidgethub.routing
import gidgethub.sansio
from aiohttp import web

router = gidgethub.routing.Router()


@router.register("pull_request", action="labeled")
async def labeled(event: gidgethub.sansio.Event) -> None:
    del event


async def receive(request: web.Request) -> web.Response:
    body = await request.read()
    event = gidgethub.sansio.Event.from_http(request.headers, body, secret="a secret of the benchmark")
    await router.dispatch(event)
    return web.Response(status=200)


async def main() -> None:
    app = web.Application(client_max_size=26 * 1024 * 1024)
    app.router.add_post("/webhook", receive)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
