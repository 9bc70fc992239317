"""Commands in comments: one on a line of its own, outside code, quotes and HTML. What is close gets an answer."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from gatekit.formats.markdown import spoken_lines

_BLANK = r"[^\S\r\n]+"
_NUMBER = r"([0-9]{1,19})"
_MOST = 2**63 - 1  # GitHub's ids, and those of our database, fit into 63 bits
_COMMAND = re.compile(rf"/use{_BLANK}{_NUMBER}|/reuse-sweep-run(?:{_BLANK}{_NUMBER})?")
_CLOSE = re.compile(r"(?:[-*+]\s+|[0-9]+[.)]\s+|#+\s+)?/(use|reuse)(?![A-Za-z0-9_/.])", re.IGNORECASE)


class Slip(StrEnum):
    """What is wrong with a line that is nearly a command."""

    NO_RUN = "no-run"  # `/use` alone
    NOT_A_NUMBER = "not-a-number"  # `/use #12`, an address, a word
    SEVERAL = "several"  # more than one number
    NOT_ALONE = "not-alone"  # something else stands on the line
    SPELLING = "spelling"  # another case, or another name


@dataclass(frozen=True, slots=True)
class Use:
    """Take this run's measurements. `run` is None where the newest eligible one is to be chosen."""

    run: int | None


@dataclass(frozen=True, slots=True)
class NearMiss:
    line: str  # as written: escape before printing
    slip: Slip


UseCommand: TypeAlias = Use | NearMiss


def use_command(body: str) -> UseCommand | None:
    """What a comment asks for. The last command counts; near misses only where there is none. None: nothing."""
    found = tuple(_read(body))
    commands = [one for one in found if isinstance(one, Use)]
    return commands[-1] if commands else found[-1] if found else None


def may_command(body: str) -> bool:
    """Whether it is worth reading at all: quick, and never no where there is a command."""
    lower = body.lower()
    return "/use" in lower or "/reuse" in lower


def _read(body: str) -> Iterator[UseCommand]:
    for line in spoken_lines(body):
        match = _COMMAND.fullmatch(line.text)
        number = None if match is None else match[1] or match[2]
        if match is not None and (number is None or int(number) <= _MOST):
            yield Use(None if number is None else int(number))
        elif _CLOSE.match(line.text) is not None:
            yield NearMiss(line.text, _slip(line.text))


def _slip(line: str) -> Slip:
    name, *words = line.split()
    if name not in ("/use", "/reuse-sweep-run"):
        return Slip.SPELLING if name.startswith("/") else Slip.NOT_ALONE
    if not words:
        return Slip.NO_RUN
    numbers = [word for word in words if word.isascii() and word.isdigit()]
    if len(numbers) > 1 and len(numbers) == len(words):
        return Slip.SEVERAL
    if numbers[:1] == words[:1] and len(words) > 1:
        return Slip.NOT_ALONE
    return Slip.NOT_A_NUMBER
