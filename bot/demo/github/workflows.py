"""Runs of GitHub Actions, as far as somebody who looks at their end sees them."""

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from io import BytesIO

from bot.demo.github.reviews import Job
from gatekit.domain.ids import Sha

WORKFLOW = ".github/workflows/run-sweep.yml"
KEPT = timedelta(days=90)  # an artifact


def packed(files: Mapping[str, str | bytes]) -> bytes:
    """As an artifact is stored."""
    data = BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return data.getvalue()


RESULTS = packed({"results.json": '[{"hw": "b200", "conc": 8, "tput_per_gpu": 1234.5}]'})


@dataclass(frozen=True, slots=True)
class RunArtifact:
    id: int
    name: str
    expired: bool = False
    data: bytes = RESULTS
    told: int | None = None  # the size that GitHub names; None: the true one

    @property
    def size(self) -> int:
        return len(self.data) if self.told is None else self.told


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
