"""HTTP to the engine on this machine: no proxy, no redirect, no more than a bound of bytes and of seconds."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from contextlib import contextmanager, suppress
from typing import Any, Collection, Iterator, Mapping
from urllib.parse import urlsplit

from bot.node.failures import Failed

MAX_BYTES = 16 << 20
SECONDS = 10.0


class NoAnswer(Exception):
    """Nothing answered, or not in HTTP."""


def fetch(url: str, body: Mapping[str, Any] | None = None, seconds: float = SECONDS) -> tuple[int, bytes]:
    """Status and body of a GET, or of a POST where there is a body. Raises NoAnswer, at the latest after `seconds`."""
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=seconds)
    try:
        connection.connect()
        with _end(connection.sock, seconds) as late:
            if body is None:
                connection.request("GET", target)
            else:
                connection.request("POST", target, json.dumps(body).encode(), {"Content-Type": "application/json"})
            response = connection.getresponse()
            read = response.read(MAX_BYTES)
            if late.is_set():
                raise NoAnswer(f"the answer had not ended after {seconds:g} s")
            return response.status, read
    except (OSError, http.client.HTTPException) as error:
        raise NoAnswer(f"{type(error).__name__}: {error}") from None
    finally:
        connection.close()


@contextmanager
def _end(connection: socket.socket, seconds: float) -> Iterator[threading.Event]:
    """Hangs up after so many seconds, and sets the event: a socket's own timeout begins anew with every byte."""
    late = threading.Event()

    def hang_up() -> None:
        late.set()
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, hang_up)
    timer.daemon = True
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()


def ask(url: str, body: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    """The JSON object that the engine answers. Raises Failed with one sentence."""
    status, answer = _asked(url, body)
    if answer is None:
        raise Failed(f"the engine answered {status} at {url}, not the JSON object that was asked for")
    return answer


def offered(url: str, body: Mapping[str, Any], refusals: Collection[int]) -> Mapping[str, Any] | None:
    """The same; None where the status is one of `refusals`: the engine does not know the question."""
    status, answer = _asked(url, body)
    if answer is None and status not in refusals:
        raise Failed(f"the engine answered {status} at {url}, not the JSON object that was asked for")
    return answer


def _asked(url: str, body: Mapping[str, Any] | None) -> tuple[int, Mapping[str, Any] | None]:
    """The status, and the JSON object of an answer whose status is 200. Raises Failed where none comes."""
    try:
        status, raw = fetch(url, body, seconds=30.0)
    except NoAnswer as error:
        raise Failed(f"the engine did not answer at {url} ({error})") from None
    try:
        answer = json.loads(raw) if status == 200 else None
    except (ValueError, RecursionError):
        answer = None
    return status, answer if isinstance(answer, dict) else None
