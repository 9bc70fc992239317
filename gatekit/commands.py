"""Commands in comments: one on a line of its own, outside code, quotes and HTML. What is close gets an answer.

A verb is a row of `_VERBS`. Of the commands of one family in a comment the last counts; near misses only where there
is none.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, TypeVar

from gatekit.formats.markdown import SpokenLine

_MOST = 2**63 - 1  # GitHub's ids, and those of our database, fit into 63 bits


@dataclass(frozen=True, slots=True)
class Use:
    """Take this run's measurements. `run` is None where the newest eligible one is to be chosen."""

    run: int | None


class UseSlip(StrEnum):
    """What is wrong with a line that is nearly `/use`."""

    NO_RUN = "no-run"  # `/use` alone
    NOT_A_NUMBER = "not-a-number"  # `/use #12`, an address, a word
    SEVERAL = "several"  # more than one number
    NOT_ALONE = "not-alone"  # something else stands on the line
    SPELLING = "spelling"  # another case, or another name


@dataclass(frozen=True, slots=True)
class UseMiss:
    line: str  # as written: escape before printing
    slip: UseSlip


@dataclass(frozen=True, slots=True)
class Verify:
    url: str  # as written


@dataclass(frozen=True, slots=True)
class Who:
    """Who can sign."""


class SignOffSlip(StrEnum):
    """What is wrong with a line that is nearly `/signoff`."""

    NO_VERB = "no-verb"  # `/signoff` alone, or with a word that is none of ours
    NO_ADDRESS = "no-address"  # `verify` alone, or with something that is no address
    NOT_ALONE = "not-alone"  # something else stands on the line
    SPELLING = "spelling"  # another case, or another name


@dataclass(frozen=True, slots=True)
class SignOffMiss:
    line: str  # as written: escape before printing
    slip: SignOffSlip


@dataclass(frozen=True, slots=True)
class GateHelp:
    """What can be asked for."""


@dataclass(frozen=True, slots=True)
class GateStatus:
    """How the newest sweep stands."""


@dataclass(frozen=True, slots=True)
class GateLater:
    """What is not there yet."""

    verb: str  # as the command names it, e.g. `run --fresh`


@dataclass(frozen=True, slots=True)
class GateMiss:
    line: str  # as written: escape before printing


UseCommand: TypeAlias = Use | UseMiss
SignOffCommand: TypeAlias = Verify | Who | SignOffMiss
GateCommand: TypeAlias = GateHelp | GateStatus | GateLater | GateMiss
Command: TypeAlias = UseCommand | SignOffCommand | GateCommand


def read_commands(lines: Sequence[SpokenLine]) -> tuple[Command, ...]:
    """All commands and near misses that stand in what a comment says, in its order."""
    return tuple(_read(lines))


def may_command(body: str) -> bool:
    """Whether a comment is worth reading at all: quick, and never no where there is a command."""
    lower = body.lower()
    return any(word in lower for word in ("/use", "/reuse", "/sign", "/gate"))


def may_use(body: str) -> bool:
    """The same for `/use` and `/reuse-sweep-run` alone."""
    lower = body.lower()
    return "/use" in lower or "/reuse" in lower


def use_command(found: Sequence[Command]) -> UseCommand | None:
    """The one that counts; None: none."""
    return _that_counts([one for one in found if isinstance(one, UseCommand)])


def signoff_command(found: Sequence[Command]) -> SignOffCommand | None:
    return _that_counts([one for one in found if isinstance(one, SignOffCommand)])


def gate_command(found: Sequence[Command]) -> GateCommand | None:
    return _that_counts([one for one in found if isinstance(one, GateCommand)])


_C = TypeVar("_C", bound=Command)


def _that_counts(found: Sequence[_C]) -> _C | None:
    commands = [one for one in found if not isinstance(one, UseMiss | SignOffMiss | GateMiss)]
    last = (commands or found)[-1:]
    return last[0] if last else None


_Make: TypeAlias = Callable[[re.Match[str]], Command | None]  # None: what stands there can be no such command
_BLANK = r"[^\S\r\n]+"


def _use(said: re.Match[str]) -> Use | None:
    number = said["number"]
    if number is None:
        return Use(None)
    return Use(int(number)) if int(number) <= _MOST else None


def _later(said: re.Match[str]) -> GateLater:
    return GateLater(" ".join(said["verb"].split()))


def _verb(line: str, make: _Make) -> tuple[re.Pattern[str], _Make]:
    """`line`: the whole of it; a blank of it stands for any number of them."""
    return re.compile(line.replace(" ", _BLANK)), make


_VERBS = (
    _verb(r"/use (?P<number>[0-9]{1,19})", _use),
    _verb(r"/reuse-sweep-run(?: (?P<number>[0-9]{1,19}))?", _use),
    _verb(r"/signoff verify (?P<url>https://\S+)", lambda said: Verify(said["url"])),
    _verb(r"/signoff who", lambda _: Who()),
    _verb(r"/gate help", lambda _: GateHelp()),
    _verb(r"/gate status", lambda _: GateStatus()),
    _verb(r"/gate (?P<verb>plan)", _later),
    _verb(r"/gate (?P<verb>run(?: --fresh)?)", _later),
    _verb(r"/gate (?P<verb>cancel)", _later),
    _verb(r"/gate (?P<verb>retry)(?: \S.*)?", _later),
    _verb(r"/gate (?P<verb>accept)(?: \S.*)?", _later),
)


def _miss_of_use(line: str) -> UseMiss:
    return UseMiss(line, _use_slip(line))


def _use_slip(line: str) -> UseSlip:
    name, *words = line.split()
    if name not in ("/use", "/reuse-sweep-run"):
        return UseSlip.SPELLING if name.startswith("/") else UseSlip.NOT_ALONE
    if not words:
        return UseSlip.NO_RUN
    numbers = [word for word in words if word.isascii() and word.isdigit()]
    if len(numbers) > 1 and len(numbers) == len(words):
        return UseSlip.SEVERAL
    if numbers[:1] == words[:1] and len(words) > 1:
        return UseSlip.NOT_ALONE
    return UseSlip.NOT_A_NUMBER


def _miss_of_signoff(line: str) -> SignOffMiss:
    return SignOffMiss(line, _signoff_slip(line))


def _signoff_slip(line: str) -> SignOffSlip:
    name, *said = line.split()
    if name != "/signoff":
        return SignOffSlip.SPELLING if name.startswith("/") else SignOffSlip.NOT_ALONE
    verb, more = (said[0], said[1:]) if said else ("", [])
    if verb.lower() in ("who", "verify") and verb != verb.lower():
        return SignOffSlip.SPELLING
    if verb == "who":
        return SignOffSlip.NOT_ALONE
    if verb != "verify":
        return SignOffSlip.NO_VERB
    return SignOffSlip.NOT_ALONE if more and more[0].startswith("https://") else SignOffSlip.NO_ADDRESS


def _close(names: str) -> re.Pattern[str]:
    """One of the names at the start of a line, or behind the mark of a list or a heading."""
    return re.compile(rf"(?:[-*+]\s+|[0-9]+[.)]\s+|#+\s+)?/(?:{names})(?![A-Za-z0-9_/.])", re.IGNORECASE)


_MISSES: tuple[tuple[re.Pattern[str], Callable[[str], Command]], ...] = (
    (_close("use|reuse"), _miss_of_use),
    (_close("sign-?offs?"), _miss_of_signoff),
    (_close("gates?"), GateMiss),
)


def _read(lines: Sequence[SpokenLine]) -> Iterator[Command]:
    for line in lines:
        found = (_command(line.text) or _miss(line.text)) if "/" in line.text else None
        if found is not None:
            yield found


def _command(line: str) -> Command | None:
    for form, make in _VERBS:
        said = form.fullmatch(line)
        if said is not None:
            return make(said)
    return None


def _miss(line: str) -> Command | None:
    return next((make(line) for close, make in _MISSES if close.match(line) is not None), None)
