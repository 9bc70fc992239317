"""A client that costs little: raw HTTP/1.1 over kept connections, one payload, ever new ids, each body its own."""

import asyncio
import hmac
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import cast

SECRET = "a secret of the benchmark"


@dataclass(frozen=True)
class Result:
    answered: int
    seconds: float
    latencies: list[float]  # seconds, sorted

    @property
    def rate(self) -> float:
        return self.answered / self.seconds

    def quantile_ms(self, part: float) -> float:
        return 1000 * self.latencies[min(int(part * len(self.latencies)), len(self.latencies) - 1)]


@dataclass
class Requests:
    """The next request with its delivery id."""

    port: int
    path: str
    body: bytes
    numbers: Iterator[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        self.run = time.time_ns()
        self._begin = self.body.rstrip().removesuffix(b"}")
        length = len(self._signed(f"{self.run:x}-{0:08d}")[0])
        self._head = (
            f"POST {self.path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAccept: */*\r\nUser-Agent: bench\r\n"
            f"Content-Type: application/json\r\nContent-Length: {length}\r\nX-GitHub-Event: pull_request\r\n"
        )

    def next(self) -> tuple[str, bytes]:
        delivery = f"{self.run:x}-{next(self.numbers):08d}"
        body, signature = self._signed(delivery)
        head = f"{self._head}X-Hub-Signature-256: sha256={signature}\r\nX-GitHub-Delivery: {delivery}\r\n\r\n"
        return delivery, head.encode() + body

    def _signed(self, delivery: str) -> tuple[bytes, str]:
        """GitHub never sends one body under two ids, and a bot may refuse that."""
        body = b'%s,"bench":"%s"}' % (self._begin, delivery.encode())
        return body, hmac.digest(SECRET.encode(), body, "sha256").hex()


class Connection(asyncio.Protocol):
    """One request at a time; `answer` is called with its status."""

    def __init__(self) -> None:
        self._got = b""
        self._answer: asyncio.Future[int] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def send(self, request: bytes) -> "asyncio.Future[int]":
        """The status of the answer; ConnectionError where the server is gone."""
        assert self._transport is not None
        self._answer = asyncio.get_running_loop().create_future()
        if self._transport.is_closing():
            self._answer.set_exception(ConnectionError("closed"))
        else:
            self._transport.write(request)
        return self._answer

    def data_received(self, data: bytes) -> None:
        self._got += data
        head, end, rest = self._got.partition(b"\r\n\r\n")
        if end and len(rest) >= _length(head) and self._answer is not None and not self._answer.done():
            self._got = b""
            self._answer.set_result(int(head[9:12]))

    def connection_lost(self, error: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(ConnectionError("lost"))

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


def _length(head: bytes) -> int:
    lower = head.lower()
    if b"transfer-encoding: chunked" in lower:
        return len(b"0\r\n\r\n")
    at = lower.find(b"content-length:")
    return 0 if at < 0 else int(lower[at + 15 :].split(b"\r\n", 1)[0])


async def connect(port: int, connections: int) -> list[Connection]:
    loop = asyncio.get_running_loop()
    made = [await loop.create_connection(Connection, "127.0.0.1", port) for _ in range(connections)]
    return [protocol for _, protocol in made]


async def closed_loop(requests: Requests, connections: int, total: int) -> Result:
    """Each connection sends its next request after the answer."""
    open_ = await connect(requests.port, connections)
    left, latencies = iter(range(total)), list[float]()

    async def work(connection: Connection) -> None:
        for _ in left:
            begun = time.perf_counter()
            status = await connection.send(requests.next()[1])
            latencies.append(time.perf_counter() - begun)
            if not 200 <= status < 300:
                raise RuntimeError(f"answered {status}")

    begun = time.perf_counter()
    await asyncio.gather(*(work(connection) for connection in open_))
    seconds = time.perf_counter() - begun
    for connection in open_:
        connection.close()
    return Result(len(latencies), seconds, sorted(latencies))


async def paced(requests: Requests, per_second: float, seconds: float) -> Result:
    """One request at each tick, whatever became of those before; latency counts from the tick."""
    idle = deque(await connect(requests.port, 64))
    latencies, begun, running = list[float](), time.perf_counter(), set[asyncio.Task[None]]()

    async def one(connection: Connection, due: float) -> None:
        await connection.send(requests.next()[1])
        latencies.append(time.perf_counter() - due)
        idle.append(connection)

    for tick in range(int(per_second * seconds)):
        due = begun + tick / per_second
        if (wait := due - time.perf_counter()) > 0:
            await asyncio.sleep(wait)
        connection = idle.popleft() if idle else (await connect(requests.port, 1))[0]
        task = asyncio.create_task(one(connection, due))
        running.add(task)
        task.add_done_callback(running.discard)
    await asyncio.gather(*running)
    for connection in idle:
        connection.close()
    return Result(len(latencies), time.perf_counter() - begun, sorted(latencies))


async def until_gone(requests: Requests, connections: int, answered: Callable[[str], None]) -> None:
    """Posts until the server is gone; calls `answered` with every id that got a 2xx, at once."""

    async def work(connection: Connection) -> None:
        while True:
            delivery, request = requests.next()
            try:
                status = await connection.send(request)
            except ConnectionError:
                return
            if 200 <= status < 300:
                answered(delivery)

    await asyncio.gather(*(work(connection) for connection in await connect(requests.port, connections)))
