"""What is written down of every decision: who, by which words, of which run, for which commit, and what came of it."""

from dataclasses import dataclass
from enum import StrEnum

from gatekit.domain.ids import GateKey, Login, Sha, SweepId


class Subject(StrEnum):
    USE = "use"  # a command on a pull request
    GATE = "gate"  # one gate of a new sweep
    MERGE = "merge"


@dataclass(frozen=True, slots=True)
class Note:
    """One line of the audit."""

    subject: Subject
    actor: Login
    command: str  # what they wrote, or did
    run: int | None  # whose measurements were asked for, or taken
    head: Sha  # for which it was decided
    outcome: str
    reason: str
    sweep: SweepId | None = None  # that came of it
    key: GateKey | None = None  # of a gate
    parts: tuple[str, ...] = ()  # of the reuse key, that differed
