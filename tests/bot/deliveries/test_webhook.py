import asyncio
import gzip
import hashlib
import hmac
import io
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient, TestServer

from bot.deliveries.webhook import Door, webhook_app
from bot.store.database import Database
from bot.store.deliveries import Deliveries, DeliveryRow, DeliveryState
from tests.worlds.bot.hand_clock import HandClock
from tests.worlds.github.hooks import SECRET, headers, labeled, other_texts, pull_request_texts, signature

BODY = labeled("full-sweep-enabled", 7)


@dataclass
class World:
    client: TestClient
    db: Database
    arrivals: list[int] = field(default_factory=list)

    async def post(self, body: bytes, sent: dict[str, str]) -> int:
        async with self.client.post("/webhook", data=io.BytesIO(body), headers=sent) as answer:
            return answer.status

    async def stored(self) -> tuple[DeliveryRow, ...]:
        return await Deliveries(self.db).listing(list(DeliveryState), 1000)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with Database(tmp_path / "a.db") as db:
        arrivals: list[int] = []
        door = Door(SECRET, Deliveries(db), HandClock(), lambda: arrivals.append(1), lambda: db.alive, body_seconds=3)
        async with TestClient(TestServer(webhook_app(door))) as client:
            yield World(client, db, arrivals)


async def test_a_signed_delivery_is_stored_with_its_lane(world: World) -> None:
    assert await world.post(BODY, headers(BODY, delivery="d-1")) == 202
    (row,) = await world.stored()
    assert (row.id, row.event, row.action, row.lane, row.state) == (
        "d-1",
        "pull_request",
        "labeled",
        "codertocat/hello-world#7",
        DeliveryState.WAITING,
    )
    assert await Deliveries(world.db).body(1) == BODY
    assert world.arrivals == [1]


async def test_a_repeat_is_answered_alike_and_changes_nothing(world: World) -> None:
    first, second = labeled("first"), labeled("second")
    assert await world.post(first, headers(first, delivery="d-1")) == 202
    assert await world.post(second, headers(second, delivery="d-1")) == 202
    assert len(await world.stored()) == 1
    assert await Deliveries(world.db).body(1) == first
    assert world.arrivals == [1]


def _sha1(body: bytes) -> str:
    return "sha1=" + hmac.new(SECRET, body, hashlib.sha1).hexdigest()


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"X-Hub-Signature-256": ""},
        {"X-Hub-Signature-256": signature(BODY, b"another secret")},
        {"X-Hub-Signature-256": signature(BODY + b" ")},
        {"X-Hub-Signature-256": signature(BODY).removeprefix("sha256=")},
        {"X-Hub-Signature-256": signature(BODY).upper()},
        {"X-Hub-Signature-256": signature(BODY) + "\u00e9"},
        {"X-Hub-Signature-256": _sha1(BODY)},
        {"X-Hub-Signature": _sha1(BODY)},
        {"X-Hub-Signature": signature(BODY)},
    ],
)
async def test_what_is_not_signed_with_our_secret_is_refused(world: World, sent: dict[str, str]) -> None:
    named = {"X-GitHub-Event": "pull_request", "X-GitHub-Delivery": "d-1"}
    assert await world.post(BODY, named | sent) == 401
    assert await world.stored() == ()


def _without(name: str, body: bytes = BODY) -> dict[str, str]:
    return {key: value for key, value in headers(body).items() if key != name}


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        (BODY, _without("X-GitHub-Event")),
        (BODY, _without("X-GitHub-Delivery")),
        (b"", headers(b"")),
        (b"payload=%7B%7D", headers(b"payload=%7B%7D")),
        (b'{"action": ', headers(b'{"action": ')),
        (b'"\xff"', headers(b'"\xff"')),
    ],
)
async def test_only_a_missing_name_or_a_body_that_is_no_json_is_400(
    world: World, body: bytes, sent: dict[str, str]
) -> None:
    assert await world.post(body, sent) == 400
    assert await world.stored() == ()


STRANGE = [
    b"[]",
    b"null",
    b"7",
    b'"text"',
    b"{}",
    b'{"action": 7, "repository": "x", "pull_request": []}',
    b'{"action": null, "repository": null, "pull_request": null, "issue": null}',
    b'{"repository": {"id": "seven", "full_name": 7}, "pull_request": {"number": "2"}}',
    b'{"repository": {"id": -1}, "pull_request": {"number": true}}',
    b'{"repository": {"id": 123456789012345678901234567890}}',
    b'{"pull_request": {"number": 1e400}}',
    b'{"action": "\\ud800", "repository": {"id": 1, "full_name": "\\udfff/x"}, "pull_request": {"number": 1}}',
    b'{"check_run": {"pull_requests": {}}, "check_suite": 1}',
    b'{"action": "\\u0000"}',
    b"[" * 5000 + b"]" * 5000,
    b"[" * 200_000 + b"]" * 200_000,
    b"1" * 10_000,
    b"NaN",
]


@pytest.mark.parametrize("body", STRANGE, ids=lambda body: body[:60].decode())
async def test_a_signed_delivery_is_never_refused_for_its_shape(world: World, body: bytes) -> None:
    assert await world.post(body, headers(body)) == 202
    assert await Deliveries(world.db).body(1) == body


async def test_strange_names_are_only_text(world: World) -> None:
    """Event and id are not under the signature."""
    sent = headers(BODY, "'; DROP TABLE deliveries --", "x" * 4000) | {"X-GitHub-Hook-ID": "7"}
    assert await world.post(BODY, sent) == 202
    (row,) = await world.stored()
    assert (row.event, row.id) == ("'; DROP TABLE deliveries --", "x" * 4000)


async def raw(world: World, sent: dict[str, str], head: str, body: bytes) -> bytes:
    """The first line of the answer to a request of these bytes; `head`: more lines of its head."""
    reader, writer = await asyncio.open_connection("127.0.0.1", world.client.port)
    lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
    whole = f"POST /webhook HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{lines}{head}\r\n"
    writer.write(whole.encode("latin-1") + body)
    line = await reader.readline()
    writer.close()
    return line


async def test_a_header_that_is_no_text_can_be_stored(world: World) -> None:
    sent = headers(BODY, delivery="d-\xff\xfe")
    assert b" 202 " in await raw(world, sent, f"Content-Length: {len(BODY)}\r\n", BODY)
    assert [row.id for row in await world.stored()] == ["d-??"]


async def test_a_body_that_does_not_come_is_not_waited_for(world: World) -> None:
    assert b" 408 " in await raw(world, headers(BODY), f"Content-Length: {len(BODY)}\r\n", BODY[:-1])
    assert await world.stored() == ()


async def test_a_body_in_chunks_is_a_body(world: World) -> None:
    chunks = b"%x\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n" % (5, BODY[:5], len(BODY) - 5, BODY[5:])
    assert b" 202 " in await raw(world, headers(BODY), "Transfer-Encoding: chunked\r\n", chunks)


async def test_a_length_beside_chunks_is_refused(world: World) -> None:
    """Whoever stands before us might end the request elsewhere."""
    head = f"Content-Length: {len(BODY)}\r\nTransfer-Encoding: chunked\r\n"
    assert b" 400 " in await raw(world, headers(BODY), head, b"0\r\n\r\n")


async def test_a_second_signature_is_one_too_many(world: World) -> None:
    head = f"Content-Length: {len(BODY)}\r\nX-Hub-Signature-256: {signature(BODY)}\r\n"
    assert b" 401 " in await raw(world, headers(BODY), head, BODY)


@pytest.mark.parametrize("packing", ["gzip", "br", "zstd"])
async def test_a_packed_body_is_not_unpacked(world: World, packing: str) -> None:
    packed = gzip.compress(BODY)
    for signing in (BODY, packed):
        sent = headers(signing) | {"Content-Encoding": packing}
        assert await world.post(packed, sent) in (400, 415)
    assert await world.stored() == ()


@pytest.mark.parametrize(("size", "status"), [(25 * 1024 * 1024, 202), (26 * 1024 * 1024 + 1, 413)])
async def test_what_github_can_send_is_taken_and_more_is_not(world: World, size: int, status: int) -> None:
    body = b'"' + b"x" * (size - 2) + b'"'
    assert await world.post(body, headers(body)) == status
    assert len(await world.stored()) == (status == 202)


async def test_every_real_payload_is_stored(world: World) -> None:
    bodies = [("pull_request", text) for text in pull_request_texts()] + list(other_texts())
    for event, text in bodies:
        assert await world.post(text.encode(), headers(text.encode(), event)) == 202
    rows = await world.stored()
    assert len(rows) == len(bodies) == 39
    assert all(row.lane is not None for row in rows if row.event.startswith(("pull_request", "check_")))
    assert {row.action for row in rows if row.event == "pull_request"} >= {
        "labeled",
        "synchronize",
        "closed",
        "reopened",
    }


@pytest.mark.parametrize(
    ("payload", "lane"),
    [
        ({"pull_request": {"number": 3}}, "o/r#3"),
        ({"issue": {"number": 3, "pull_request": {"url": "x"}}}, "o/r#3"),
        ({"issue": {"number": 3}}, None),
        ({"check_run": {"pull_requests": [{"number": 3}, {"number": 4}]}}, "o/r#3"),
        ({"check_run": {"pull_requests": []}}, None),
        ({"check_suite": {"pull_requests": [{"number": 3}]}}, "o/r#3"),
        ({"ref": "refs/heads/main"}, None),
    ],
)
async def test_the_lane_is_the_pull_request(world: World, payload: dict[str, object], lane: str | None) -> None:
    body = json.dumps({"repository": {"id": 1, "full_name": "O/R"}} | payload).encode()
    assert await world.post(body, headers(body, "any")) == 202
    assert (await world.stored())[0].lane == lane


async def test_a_store_that_fails_is_503_and_github_will_send_it_again(world: World) -> None:
    await world.db.write(lambda conn: conn.execute("DROP TABLE deliveries"))
    assert await world.post(BODY, headers(BODY)) == 503
    assert world.arrivals == []


async def test_healthz_says_whether_deliveries_can_be_taken(world: World) -> None:
    async with world.client.get("/healthz") as answer:
        assert answer.status == 200
    await world.db.close()
    async with world.client.get("/healthz") as answer:
        assert answer.status == 503


@pytest.mark.parametrize("path", ["/", "/metrics", "/readyz", "/sweeps/1", "/api/"])
async def test_nothing_else_is_on_this_port(world: World, path: str) -> None:
    async with world.client.get(path) as answer:
        assert answer.status == 404


async def test_without_a_secret_there_is_no_door(world: World) -> None:
    with pytest.raises(ValueError, match="secret"):
        webhook_app(Door(b"", Deliveries(world.db), HandClock(), lambda: None, lambda: True))
