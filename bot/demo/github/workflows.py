"""Runs of GitHub Actions, as far as somebody who looks at their end sees them."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.demo.github.reviews import Job
from gatekit.ids import Sha

WORKFLOW = ".github/workflows/run-sweep.yml"
KEPT = timedelta(days=90)  # an artifact


@dataclass(frozen=True, slots=True)
class RunArtifact:
    id: int
    name: str
    expired: bool = False
    size: int = 1_000


@dataclass(slots=True)
class ActionsRun:
    id: int
    head: Sha
    branch: str
    by: str  # login
    started: datetime
    event: str = "pull_request"
    status: str = "completed"
    conclusion: str | None = "success"
    path: str = WORKFLOW
    attempt: int = 1
    artifacts: tuple[RunArtifact, ...] = ()
    jobs: tuple[Job, ...] = ()
