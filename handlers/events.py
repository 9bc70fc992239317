"""What can happen. JSON has ended before here; a handler sees nothing else of the outside."""

from dataclasses import dataclass
from typing import TypeAlias

from gatekit.ids import GateKey, Login, PrRef, Sha, SweepId


@dataclass(frozen=True, slots=True)
class LabelAdded:
    pr: PrRef
    label: str
    sender: Login


@dataclass(frozen=True, slots=True)
class LabelRemoved:
    pr: PrRef
    label: str
    sender: Login


@dataclass(frozen=True, slots=True)
class HeadMoved:
    pr: PrRef
    head: Sha
    sender: Login


@dataclass(frozen=True, slots=True)
class PrClosed:
    pr: PrRef
    merged: bool


@dataclass(frozen=True, slots=True)
class GateEnded:
    """Ours, not GitHub's: an executor has nothing left to do for this attempt."""

    pr: PrRef
    sweep: SweepId
    gate: GateKey
    attempt: int


Event: TypeAlias = LabelAdded | LabelRemoved | HeadMoved | PrClosed | GateEnded
