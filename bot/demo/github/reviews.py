"""Reviews and inline comments, as far as somebody who reads their words sees them. `by` is a login."""

from dataclasses import dataclass
from datetime import datetime

from gatekit.domain.ids import Sha


@dataclass(slots=True)
class Review:
    id: int
    pull: int
    by: str
    body: str
    state: str  # APPROVED, COMMENTED, CHANGES_REQUESTED, DISMISSED
    commit: Sha
    submitted: datetime


@dataclass(slots=True)
class InlineComment:
    id: int
    pull: int
    by: str
    body: str
    path: str
    commit: Sha
    created: datetime
    updated: datetime


@dataclass(slots=True)
class Job:
    """Of a run of GitHub Actions."""

    name: str
    conclusion: str | None = "success"
