"""The two ports, against real listeners."""

import asyncio
import socket

import pytest
from aiohttp import web
from aiohttp.test_utils import unused_port

from bot.doctor.ports import Port, check_port


def operator_port(port: int, host: str = "127.0.0.1") -> Port:
    return Port("operator port", "OPERATOR_", host, port, "/readyz")


@pytest.mark.parametrize(
    ("page", "answer", "ours"),
    [
        ("/readyz", '{"ready": false, "lease_holder": null}', True),
        ("/readyz", '{"ready": true}', False),
        ("/readyz", "<html>", False),
        ("/healthz", "ok\n", True),
        ("/healthz", "OK", False),
    ],
)
async def test_a_port_in_use_is_fine_where_a_bot_listens(page: str, answer: str, ours: bool) -> None:
    async def say(_request: web.Request) -> web.Response:
        return web.Response(text=answer)

    app = web.Application()
    app.router.add_get(page, say)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        number = runner.addresses[0][1]
        found = await asyncio.to_thread(check_port, Port("port", "", "127.0.0.1", number, page))
    finally:
        await runner.cleanup()
    assert (found.ok, bool(found.mend)) == (ours, not ours)
    assert f"127.0.0.1:{number} is in use" in found.detail


async def test_who_listens_and_speaks_no_http_is_not_known() -> None:
    async def hang_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    async with server:
        found = await asyncio.to_thread(check_port, operator_port(server.sockets[0].getsockname()[1]))
    assert not found.ok
    assert found.detail.startswith("could not find out: ")
    assert "GATEKIT_OPERATOR_PORT" in found.mend


def test_a_free_port_is_left_free() -> None:
    number = unused_port()
    assert check_port(operator_port(number)).detail == f"127.0.0.1:{number} is free"
    with socket.create_server(("127.0.0.1", number)):
        pass


@pytest.mark.parametrize("host", ["192.0.2.1", "no host"])
def test_an_address_of_another_machine_is_none(host: str) -> None:
    found = check_port(operator_port(0, host))
    assert not found.ok
    assert "GATEKIT_OPERATOR_HOST" in found.mend
