"""The name of each bot comment on a PR, and the hidden first line that carries it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class Slot(StrEnum):
    GATES = "gates"  # the plan and its verdicts, one per PR
    USE = "use"  # which run stands for the pull request
    REPLY = "reply"  # an answer that needs words


@dataclass(frozen=True, slots=True)
class SignOffSlot:
    """One for each sign-off: a second one gets its own comment."""

    key: str  # of its resource

    @property
    def value(self) -> str:
        return f"signoff {self.key}"


AnySlot: TypeAlias = Slot | SignOffSlot


def marker(slot: AnySlot) -> str:
    return f"<!-- gatekit:{slot.value} -->"


def marked(slot: AnySlot, body: str) -> str:
    return f"{marker(slot)}\n{body}"


def carries(slot: AnySlot, body: str) -> bool:
    """Does a comment that our own App wrote belong to this slot? GitHub may return CRLF line ends."""
    return body.startswith(marker(slot))
