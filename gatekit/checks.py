"""Check runs as values."""

from dataclasses import dataclass
from enum import StrEnum

from gatekit.ids import Sha


class CheckName(StrEnum):
    ACCEPTANCE_LENGTH = "acceptance length"


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
    external_id: str  # the sweep's number
    status: CheckStatus
    conclusion: Conclusion | None
    title: str
    summary: str  # Markdown, at most 65,535 characters
    details_url: str | None
