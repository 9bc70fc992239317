import asyncio
import io
import json
import logging
import sys
import threading
from collections.abc import Iterator

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.logs import REDACTED, LogFormat, redact_tokens, redactor, set_up_logging

SECRET = 'hook "secret" é'
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAzyx\nGEBwdqu3k0kFAAAA\n-----END RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMiJ9.c2lnbmF0dXJl-_x"


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    hooks = sys.excepthook, threading.excepthook
    yield
    sys.excepthook, threading.excepthook = hooks
    logging.captureWarnings(False)
    root.handlers[:], root.level = before[0], before[1]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("token ghs_16C7e42F292c6912E7710c838347Ae178B4a end", f"token {REDACTED} end"),
        ("ghs_1234_eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIx.c2ln end", f"{REDACTED} end"),
        ("ghp_abcd1234", REDACTED),
        ("github_pat_11ABCDEFG0_abc", REDACTED),
        (f"Authorization: Bearer {JWT}", f"Authorization: Bearer {REDACTED}"),
        (f"key {KEY} end", f"key {REDACTED} end"),
        (repr(KEY), f"'{REDACTED}'"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE", REDACTED),
        ("fetch with hf_AbCdEfGhIjKlMnOpQrStUvWx failed", f"fetch with {REDACTED} failed"),
        ("AKIAIOSFODNN7EXAMPLE", REDACTED),
        ("ghost_writer and eyJ alone, high_score, 40 hex 16c7e42f292c6912e7710c838347ae178b4a", None),
    ],
)
def test_what_looks_like_a_secret_is_cut_out(text: str, left: str | None) -> None:
    assert redact_tokens(text) == (text if left is None else left)


@pytest.mark.parametrize("piece", ["ghs_", "ghs_.", "eyJ-", "eyJaaaa.", "-----BEGIN PRIVATE KEY-----"])
def test_a_hostile_line_takes_no_time(piece: str) -> None:
    """A line of the log has no fixed length: what is tried again at each piece must end soon."""
    redact_tokens(piece * 20_000)


@pytest.mark.parametrize(
    "text",
    [
        f"secret={SECRET}",
        f"secret={SECRET!r}",
        json.dumps({"secret": SECRET}),
        "one line of it: GEBwdqu3k0kFAAAA",
        KEY,
        json.dumps(KEY),
    ],
)
def test_known_secrets_are_cut_out_however_they_are_written(text: str) -> None:
    left = redactor([SECRET, KEY])(text)
    assert REDACTED in left
    for piece in ("hook", "MIIEpAIBAAKCAQEAzyx", "GEBwdqu3k0kFAAAA"):
        assert piece not in left


def test_a_short_secret_does_not_eat_words() -> None:
    assert redactor(["a"])("a banana") == "a banana"


@pytest.mark.parametrize("form", LogFormat)
def test_no_part_of_a_log_line_holds_a_secret(form: LogFormat) -> None:
    stream = io.StringIO()
    set_up_logging(form, [SECRET, KEY], stream)
    log = logging.getLogger("bot.test")
    log.info("said %s", SECRET, extra={"delivery": f"d-{SECRET}"})
    try:
        raise RuntimeError(f"Authorization: Bearer {JWT}") from ValueError(KEY)
    except RuntimeError:
        log.exception("failed")
    written = stream.getvalue()
    assert written.count(REDACTED) >= 4
    for piece in ("hook", "MIIEpA", "GEBwdqu3k0kFAAAA", "eyJhbG"):
        assert piece not in written


def test_json_lines_can_be_read_by_programs() -> None:
    stream = io.StringIO()
    set_up_logging(LogFormat.JSON, [], stream)
    logging.getLogger("bot.test").warning("two\nlines %d", 7, extra={"pr": "o/r#1", "tries": 3, "level": "mine"})
    (line,) = stream.getvalue().splitlines()
    read = json.loads(line)
    assert read.pop("time").endswith("+00:00")
    assert read == {"level": "warning", "logger": "bot.test", "message": "two\nlines 7", "pr": "o/r#1", "tries": "3"}


def test_a_traceback_is_one_json_line() -> None:
    stream = io.StringIO()
    set_up_logging(None, [], stream)  # not a terminal
    try:
        raise LookupError("x")
    except LookupError:
        logging.getLogger("bot.test").exception("failed")
    assert "LookupError: x" in json.loads(stream.getvalue())["trace"]


def test_console_lines_name_what_they_speak_of() -> None:
    stream = io.StringIO()
    set_up_logging(LogFormat.CONSOLE, [], stream)
    logging.getLogger("bot.test").info("stored", extra={"delivery": "d-1"})
    assert stream.getvalue().endswith("INFO bot.test: stored  delivery=d-1\n")


def test_a_stranger_can_neither_forge_a_line_nor_steer_the_terminal() -> None:
    stream = io.StringIO()
    set_up_logging(LogFormat.CONSOLE, [], stream)
    nasty = "\x1b[2J\n12:00:00 INFO bot.app: all is well \u202e\x9b31m\r"
    try:
        raise LookupError(nasty)
    except LookupError:
        logging.getLogger("bot.test").exception("said %s", nasty, extra={"gate": nasty})
    written = stream.getvalue()
    assert all(sign.isprintable() or sign == "\n" for sign in written)
    first, *trace = written.splitlines()
    assert "ERROR bot.test: said" in first
    assert first.count("all is well") == 2
    assert trace[0].startswith("Traceback")


async def test_what_strangers_send_instead_of_http_is_no_error_of_ours() -> None:
    stream = io.StringIO()
    set_up_logging(LogFormat.JSON, [], stream)
    app = web.Application()
    app.router.add_get("/bug", _bug)
    async with TestServer(app) as server:
        for sent in (
            b"GET / HTTP/9.9\r\n\r\n",
            b"\x16\x03\x01\x00\x05\x01\r\n\r\n",
            b"GET /bug HTTP/1.1\r\nHost: x\r\n\r\n",
        ):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(sent)
            assert await reader.readline()
            writer.close()
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    (error,) = (line for line in lines if line["level"] == "error")
    assert "RuntimeError: a bug" in error["trace"]


async def _bug(request: web.Request) -> web.Response:
    raise RuntimeError("a bug")


def test_a_crash_is_a_log_line_without_secrets() -> None:
    stream = io.StringIO()
    set_up_logging(LogFormat.JSON, [SECRET], stream)

    def crash() -> None:
        raise RuntimeError(f"with {SECRET} and {JWT}")

    thread = threading.Thread(target=crash)
    thread.start()
    thread.join()
    try:
        crash()
    except RuntimeError as error:
        sys.excepthook(RuntimeError, error, error.__traceback__)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line["message"] for line in lines] == ["crashed", "crashed"]
    assert all("RuntimeError: with [redacted] and [redacted]" in line["trace"] for line in lines)
