"""`/gate …`: alone on a line, outside code, quotes and HTML."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from gatekit.formats.markdown import spoken_lines

_BLANK = r"[^\S\r\n]+"
_LATER = rf"plan|run(?:{_BLANK}--fresh)?|cancel|retry|accept"
_COMMAND = re.compile(rf"/gate{_BLANK}(?:(?P<now>help|status)|(?P<later>{_LATER}))")
_WITH_WORDS = re.compile(rf"/gate{_BLANK}(?P<later>retry|accept){_BLANK}\S.*")
_CLOSE = re.compile(r"(?:[-*+]\s+|[0-9]+[.)]\s+|#+\s+)?/gates?(?![A-Za-z0-9_/.])", re.IGNORECASE)


class Ask(StrEnum):
    HELP = "help"
    STATUS = "status"


@dataclass(frozen=True, slots=True)
class Later:
    """What is not there yet."""

    verb: str  # as the command names it, e.g. `run --fresh`


@dataclass(frozen=True, slots=True)
class GateMiss:
    line: str  # as written: escape before printing


GateCommand: TypeAlias = Ask | Later | GateMiss


def gate_command(body: str) -> GateCommand | None:
    """What a comment asks for. The last command counts; near misses only where there is none. None: nothing."""
    if "/gate" not in body.lower():
        return None
    found = tuple(_read(body))
    commands = [one for one in found if not isinstance(one, GateMiss)]
    return commands[-1] if commands else found[-1] if found else None


def _read(body: str) -> Iterator[GateCommand]:
    for line in spoken_lines(body):
        match = _COMMAND.fullmatch(line.text) or _WITH_WORDS.fullmatch(line.text)
        if match is None:
            if _CLOSE.match(line.text) is not None:
                yield GateMiss(line.text)
            continue
        later = match["later"]
        yield Later(" ".join(later.split())) if later else Ask(match["now"])
