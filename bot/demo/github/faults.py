"""What can go wrong on the way, scripted per operation and call."""

import asyncio
from dataclasses import dataclass, field
from enum import Enum
from fnmatch import fnmatchcase
from typing import TypeAlias


class Moment(Enum):
    BEFORE = "before the state changes"
    AFTER = "after the state changed, before the answer leaves"


@dataclass(frozen=True, slots=True)
class Answer:
    """This status instead of the real answer; nothing is applied."""

    status: int = 502
    message: str = "Server Error"


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection breaks without an answer."""

    when: Moment


@dataclass(frozen=True, slots=True)
class Hold:
    """The call waits for the event."""

    until: asyncio.Event
    when: Moment = Moment.BEFORE


@dataclass(frozen=True, slots=True)
class RateLimit:
    """GitHub's primary limit (403), or a secondary one (403 or 429). `seconds`: until one may ask again."""

    secondary: bool = False
    status: int = 403
    seconds: int = 60


@dataclass(frozen=True, slots=True)
class RevokeTokens:
    """Every installation token dies; the call that carried one gets 401."""


@dataclass(frozen=True, slots=True)
class EmptyPages:
    """The list answers as if it had no rows."""


@dataclass(frozen=True, slots=True)
class Stale:
    """A read answers as it did when the same path was last read in full: webhooks can be faster than reads."""


Trouble: TypeAlias = Answer | Cut | Hold | RateLimit | RevokeTokens | EmptyPages | Stale


@dataclass(slots=True)
class Fault:
    method: str
    path: str
    trouble: Trouble
    nth: int
    times: int
    seen: int = 0


@dataclass(slots=True)
class Faults:
    _scripted: list[Fault] = field(default_factory=list)

    def on(self, method: str, path: str, trouble: Trouble, *, nth: int = 1, times: int = 1) -> None:
        """From the `nth` matching call on, counted from now, `times` calls meet the trouble.

        `path` is a pattern in which `*` stands for anything, e.g. `/repos/*/issues/*/comments`; `*` alone is any call.
        """
        self._scripted.append(Fault(method, path, trouble, nth, times))

    def clear(self) -> None:
        self._scripted.clear()

    def meet(self, method: str, path: str) -> Trouble | None:
        """The trouble that this call runs into; the first scripted one wins, all of them count the call."""
        met: Trouble | None = None
        for fault in self._scripted:
            if fault.method in ("*", method) and fnmatchcase(path, fault.path):
                fault.seen += 1
                if met is None and fault.nth <= fault.seen < fault.nth + fault.times:
                    met = fault.trouble
        return met
