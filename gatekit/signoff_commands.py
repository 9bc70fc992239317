"""`/signoff verify <address>` and `/signoff who`: alone on a line, outside code, quotes and HTML."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from gatekit.formats.markdown import spoken_lines

_BLANK = r"[^\S\r\n]+"
_COMMAND = re.compile(rf"/signoff{_BLANK}(?:(?P<who>who)|verify{_BLANK}(?P<url>https://\S+))")
_CLOSE = re.compile(r"(?:[-*+]\s+|[0-9]+[.)]\s+|#+\s+)?/sign-?offs?(?![A-Za-z0-9_/.])", re.IGNORECASE)


class AskSlip(StrEnum):
    """What is wrong with a line that is nearly a command."""

    NO_VERB = "no-verb"  # `/signoff` alone, or with a word that is none of ours
    NO_ADDRESS = "no-address"  # `verify` alone, or with something that is no address
    NOT_ALONE = "not-alone"  # something else stands on the line
    SPELLING = "spelling"  # another case, or another name


@dataclass(frozen=True, slots=True)
class Verify:
    url: str  # as written


@dataclass(frozen=True, slots=True)
class Who:
    """Who can sign."""


@dataclass(frozen=True, slots=True)
class AskMiss:
    line: str  # as written: escape before printing
    slip: AskSlip


SignOffCommand: TypeAlias = Verify | Who | AskMiss


def signoff_command(body: str) -> SignOffCommand | None:
    """What a comment asks for. The last command counts; near misses only where there is none. None: nothing."""
    if "/sign" not in body.lower():
        return None
    found = tuple(_read(body))
    commands = [one for one in found if not isinstance(one, AskMiss)]
    return commands[-1] if commands else found[-1] if found else None


def _read(body: str) -> Iterator[SignOffCommand]:
    for line in spoken_lines(body):
        match = _COMMAND.fullmatch(line.text)
        if match is not None:
            yield Who() if match["url"] is None else Verify(match["url"])
        elif _CLOSE.match(line.text) is not None:
            yield AskMiss(line.text, _slip(line.text))


def _slip(line: str) -> AskSlip:
    name, *said = line.split()
    if name != "/signoff":
        return AskSlip.SPELLING if name.startswith("/") else AskSlip.NOT_ALONE
    verb, more = (said[0], said[1:]) if said else ("", [])
    if verb.lower() in ("who", "verify") and verb != verb.lower():
        return AskSlip.SPELLING
    if verb == "who":
        return AskSlip.NOT_ALONE
    if verb != "verify":
        return AskSlip.NO_VERB
    return AskSlip.NOT_ALONE if more and more[0].startswith("https://") else AskSlip.NO_ADDRESS
