"""HTTP to an engine that a pull request configured: it may answer slowly, endlessly, or with a way elsewhere."""

import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from bot.node import web
from bot.node.failures import Failed

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.fixture
def serve() -> Iterator[Callable[[Iterator[bytes]], str]]:
    """A server that sends these pieces to its first caller, as long as somebody listens. Its URL."""
    listener = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()

    def answer(pieces: Iterator[bytes]) -> None:
        with listener.accept()[0] as caller:
            caller.recv(65536)
            try:
                for piece in pieces:
                    caller.sendall(piece)
                    if over.wait(0.02):
                        return
            except OSError:  # nobody listens any more
                return

    def start(pieces: Iterator[bytes]) -> str:
        threading.Thread(target=answer, args=(pieces,), daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}/x?y=1"

    yield start
    over.set()
    listener.close()


def drip(*parts: bytes) -> Iterator[bytes]:
    """The parts at once, then one byte after the other without end."""
    yield b"".join(parts)
    while True:
        yield b"1"


@pytest.mark.parametrize(
    "sent",
    [
        (b"HTTP/1.1 200 OK\r\nX: ",),
        (HEAD, b"Content-Length: 1000000000\r\n\r\n"),
        (HEAD, b"Connection: close\r\n\r\n"),
        (HEAD, b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 50,),
    ],
)
def test_an_answer_that_never_ends_is_none(serve: Callable[[Iterator[bytes]], str], sent: tuple[bytes, ...]) -> None:
    with pytest.raises(web.NoAnswer):
        web.fetch(serve(drip(*sent)), seconds=0.5)


def test_an_answer_in_time_is_taken_and_a_redirect_is_not_followed(serve: Callable[[Iterator[bytes]], str]) -> None:
    assert web.fetch(serve(iter([HEAD + b'Content-Length: 8\r\n\r\n{"a": 1}']))) == (200, b'{"a": 1}')
    moved = b"HTTP/1.1 302 Found\r\nLocation: http://elsewhere.example/\r\nContent-Length: 0\r\n\r\n"
    assert web.fetch(serve(iter([moved]))) == (302, b"")


@pytest.mark.parametrize("body", [b"[1]", b"null", b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_object_is_refused(serve: Callable[[Iterator[bytes]], str], body: bytes) -> None:
    url = serve(iter([HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body]))
    with pytest.raises(Failed, match="not the JSON object that was asked for"):
        web.ask(url)
