"""Stands between a client and an engine, and writes down what each answer says about its drafts.

usage: python run.py recording_proxy --port P --record FILE -- ENGINE COMMAND … --port P …
The engine is started behind the proxy, on a free port instead of P, and ends with it. One JSON line per answer goes to
FILE, with the last `timings` (llama.cpp), `metrics` (vLLM) and `usage` that the answer carried, streamed or not.
"""

import argparse
import asyncio
import contextlib
import json
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from aiohttp import ClientError, ClientSession, ClientTimeout, web

from tests.worlds.bot.ports import free_port

KEPT = ("timings", "metrics", "usage")
FORWARD = web.AppKey("forward", object)
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding", "date", "server"}


@dataclass(frozen=True, slots=True)
class Proxy:
    upstream: str
    record: Path
    client: ClientSession

    async def forward(self, request: web.Request) -> web.StreamResponse:
        headers = {name: value for name, value in request.headers.items() if name.lower() not in {"host", *HOP_BY_HOP}}
        headers["Accept-Encoding"] = "identity"
        body, url = await request.read(), self.upstream + request.raw_path
        try:
            answered = self.client.request(request.method, url, data=body or None, headers=headers)
            async with answered as answer:
                return await self._carry(request, answer)
        except ClientError as error:
            return web.Response(status=502, text=str(error))

    async def _carry(self, request: web.Request, answer) -> web.StreamResponse:
        passed = {name: value for name, value in answer.headers.items() if name.lower() not in HOP_BY_HOP}
        response = web.StreamResponse(status=answer.status, headers=passed)
        await response.prepare(request)
        body = bytearray()
        async for piece in answer.content.iter_any():
            body += piece
            await response.write(piece)
        if request.method == "POST":
            self._write_down(request.path, answer.status, bytes(body))
        await response.write_eof()
        return response

    def _write_down(self, path: str, status: int, body: bytes) -> None:
        line = {"path": path, "status": status, **{name: last(body, name) for name in KEPT}}
        with self.record.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def last(body: bytes, name: str) -> dict | None:
    """What an answer says under this name, the last time: a JSON object, or the events of a stream."""
    found = None
    for line in body.splitlines():
        text = line.removeprefix(b"data:").strip()
        with contextlib.suppress(ValueError):
            value = json.loads(text)
            found = value.get(name, found) if isinstance(value, dict) else found
    return found


def recorded(file: Path) -> list[dict]:
    """What was written down, an answer each."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def application(upstream: str, record: Path) -> web.Application:
    app = web.Application(client_max_size=2**26)

    async def client(app: web.Application) -> AsyncIterator[None]:
        async with ClientSession(timeout=ClientTimeout(total=None), auto_decompress=False) as session:
            proxy = Proxy(upstream, record, session)
            app[FORWARD] = proxy.forward
            yield

    async def forward(request: web.Request) -> web.StreamResponse:
        return await request.app[FORWARD](request)

    app.cleanup_ctx.append(client)
    app.router.add_route("*", "/{path:.*}", forward)
    return app


async def run(port: int, record: Path, command: list[str]) -> int:
    """Serves until SIGTERM, or until the engine ends; then its exit status is ours."""
    upstream = free_port()
    behind = [str(upstream) if word == str(port) else word for word in command]
    runner = web.AppRunner(application(f"http://127.0.0.1:{upstream}", record), shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    engine = await asyncio.create_subprocess_exec(*behind)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, engine.terminate)
    status = await engine.wait()
    await runner.cleanup()
    return status


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="recording_proxy")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--record", type=Path, required=True)
    split = argv.index("--")
    given = parser.parse_args(argv[:split])
    return asyncio.run(run(given.port, given.record, argv[split + 1 :]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
