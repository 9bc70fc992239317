"""Log lines, for a terminal or as JSON, without secrets."""

import json
import logging
import re
import sys
import threading
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from enum import StrEnum
from types import TracebackType
from typing import TextIO

from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web_protocol import RequestPayloadError

from gatekit.formats.redact import without_tokens

REDACTED = "[redacted]"

_SHORTEST_SECRET = 8  # shorter texts would also be cut out of ordinary words

# Control characters but tab and line feed, and signs that turn the direction of a text.
_STEERING = dict.fromkeys(
    {*range(32), *range(127, 160), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A)} - {9, 10}, "\ufffd"
)
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class LogFormat(StrEnum):
    CONSOLE = "console"
    JSON = "json"


def redact_tokens(text: str) -> str:
    """Without what is a secret by its own look."""
    return without_tokens(text, REDACTED)


def redactor(secrets: Collection[str]) -> Callable[[str], str]:
    """Cuts tokens and these secrets out of a text; of a secret of several lines, each line by itself too."""
    pieces = {piece for secret in secrets for piece in (secret, *secret.splitlines()) if not piece.startswith("-----")}
    written = {form for piece in pieces for form in (piece, json.dumps(piece)[1:-1], repr(piece)[1:-1])}
    known = sorted((form for form in written if len(form) >= _SHORTEST_SECRET), key=len, reverse=True)
    if not known:
        return redact_tokens
    pattern = re.compile("|".join(map(re.escape, known)))
    return lambda text: pattern.sub(REDACTED, redact_tokens(text))


def set_up_logging(form: LogFormat | None, secrets: Collection[str], stream: TextIO | None = None) -> None:
    """Every log line of the process goes to `stream` (stderr) in this form; None: console on a terminal, else JSON."""
    stream = stream or sys.stderr
    form = form or (LogFormat.CONSOLE if stream.isatty() else LogFormat.JSON)
    handler = logging.StreamHandler(stream)
    handler.setFormatter((Console if form is LogFormat.CONSOLE else Json)(redactor(secrets)))
    handler.addFilter(_ours)
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
    for talkative in ("asyncssh", "httpx", "httpcore", "hishel"):
        logging.getLogger(talkative).setLevel(logging.WARNING)
    logging.captureWarnings(True)
    sys.excepthook = _crashed
    threading.excepthook = lambda args: _crashed(args.exc_type, args.exc_value or args.exc_type(), args.exc_traceback)


def _ours(record: logging.LogRecord) -> bool:
    """Bytes of strangers that are no HTTP are answered with 400 and are no error of ours, however many they send."""
    error = record.exc_info[1] if record.exc_info else None
    return not (record.name == "aiohttp.server" and isinstance(error, HttpProcessingError | RequestPayloadError))


def _crashed(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """What nobody caught is a log line too: Python's own way of printing it knows no secrets."""
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    logging.getLogger(__name__).critical("crashed", exc_info=(kind, error, trace))


class Console(logging.Formatter):
    """`12:00:01 WARNING bot.deliveries.dispatcher: text  key=value`, then the traceback.

    Nothing of it steers a terminal.
    """

    def __init__(self, redact: Callable[[str], str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s", "%H:%M:%S")
        self._redact = redact

    def formatMessage(self, record: logging.LogRecord) -> str:
        named = "".join(f"  {name}={value}" for name, value in _extras(record).items())
        return " ".join((super().formatMessage(record) + named).splitlines())

    def format(self, record: logging.LogRecord) -> str:
        return self._redact(super().format(record).translate(_STEERING))


class Json(logging.Formatter):
    """One object a line: `time` (UTC), `level`, `logger`, `message`, what the call named, and `trace`."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        super().__init__()
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self._redact(record.getMessage()),
        }
        line |= {name: self._redact(str(value)) for name, value in _extras(record).items() if name not in line}
        if record.exc_info:
            line["trace"] = self._redact(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False)


def _extras(record: logging.LogRecord) -> dict[str, object]:
    return {name: value for name, value in vars(record).items() if name not in _STANDARD}
