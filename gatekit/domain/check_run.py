"""Check runs as values."""

from dataclasses import dataclass
from enum import StrEnum

from gatekit.domain.ids import Sha


class CheckName(StrEnum):
    ACCEPTANCE_LENGTH = "acceptance length"
    SWEEP_REUSE = "sweep reuse"


class CheckStatus(StrEnum):
    QUEUED = "queued"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"


class Conclusion(StrEnum):
    SUCCESS = "success"
    NEUTRAL = "neutral"
    FAILURE = "failure"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class CheckReport:
    """`conclusion` is given exactly when `status` is COMPLETED."""

    name: CheckName
    head: Sha
    external_id: str  # tells it from others of its name on the same commit: the sweep's number, say
    status: CheckStatus
    conclusion: Conclusion | None
    title: str
    summary: str  # Markdown, at most 65,535 characters
    details_url: str | None
    text: str | None = None  # more Markdown, at most 65,535 characters
