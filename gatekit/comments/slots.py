"""The name of each bot comment on a PR, and the hidden first line that carries it."""

from enum import StrEnum


class Slot(StrEnum):
    GATES = "gates"  # the plan and its verdicts, one per PR
    USE = "use"  # which run stands for the pull request
    REPLY = "reply"  # an answer that needs words


def marker(slot: Slot) -> str:
    return f"<!-- gatekit:{slot.value} -->"


def marked(slot: Slot, body: str) -> str:
    return f"{marker(slot)}\n{body}"


def carries(slot: Slot, body: str) -> bool:
    """Does a comment that our own App wrote belong to this slot? GitHub may return CRLF line ends."""
    return body.startswith(marker(slot))
