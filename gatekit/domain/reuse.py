"""What a gate takes: a job of its own, one that runs, or a measurement; and why."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from gatekit.domain.ids import GateKey, Sha, SweepId
from gatekit.domain.verdict import Judged


@dataclass(frozen=True, slots=True)
class Commits:
    """The commits of a pull request as GitHub lists them now."""

    known: frozenset[Sha]
    complete: bool  # False: there are more, which were not read

    def holds(self, sha: Sha) -> bool | None:
        """None: could not find out."""
        return True if sha in self.known else False if self.complete else None


@dataclass(frozen=True, slots=True)
class Measurement:
    """A verdict that was measured for this pull request, under this reuse key."""

    key: GateKey
    sweep: SweepId  # whose number its job carries
    attempt: int
    heads: tuple[Sha, ...]  # whose sweeps its job answered for, the one that it was started for first
    measured: datetime
    verdict: Judged
    intact: bool  # its raw material is still there, as it was judged


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A gate of the pull request's running sweep whose job has begun, and is not judged."""

    key: GateKey
    sweep: SweepId
    heads: tuple[Sha, ...]  # that its job was started for, and goes on for


class Anew(StrEnum):
    """Why a gate gets a job although something like it was gated on this pull request before."""

    ASKED = "asked"  # somebody asked for new measurements of this head
    DIFFERS = "differs"  # something that could change the measurement is not the same
    LEFT = "left"  # its commit is not in the pull request any more
    UNSURE = "unsure"  # whether its commit is still in the pull request could not be found out
    RAW = "raw"  # its raw material is gone, or is not what was judged
    UNMEASURED = "unmeasured"  # it came to no measurement


@dataclass(frozen=True, slots=True)
class Start:
    """A job of its own. `why` is None where nothing like it was gated on this pull request before."""

    why: Anew | None = None
    parts: tuple[str, ...] = ()  # of the reuse key, that differ
    sweep: SweepId | None = None  # that had something like it


@dataclass(frozen=True, slots=True)
class Adopt:
    """The job that runs already answers for the new head too."""

    sweep: SweepId  # whose gate it is until now


@dataclass(frozen=True, slots=True)
class Reuse:
    measurement: Measurement
    head: Sha  # of those that it answers for, one that is in the pull request


Choice: TypeAlias = Start | Adopt | Reuse
