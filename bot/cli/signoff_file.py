"""The facts file of `gatekit signoff check`: what is not in it was not read, and the checks say so."""

from datetime import date, datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gatekit.domain.errors import BadInput
from gatekit.formats.validation import plain_words

SHA = r"^[0-9a-f]{40}$"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FilePart(_Part):
    path: str
    previous: str | None = None
    removed: bool = False


class TemplatePart(_Part):
    file: Path
    sha: str = Field(pattern=SHA)
    at: datetime


class CommitsPart(_Part):
    shas: list[str]
    complete: bool = True


class LanePart(_Part):
    name: str
    conclusion: str | None = None


class RunPart(_Part):
    id: int
    head: str = Field(pattern=SHA)
    lanes: list[LanePart] | None = None
    event: str = "pull_request"
    workflow: str = "run-sweep.yml"
    url: str = ""


class EvalPart(_Part):
    prefix: str
    precision: str
    framework: str
    sku: str
    task: str
    score: float | None = None
    image: str | None = None
    requested: int = 1
    completed: int = 1


class PointPart(_Part):
    series: str
    seconds: float
    rate: float


class ReusePart(_Part):
    run: int
    head: str = Field(pattern=SHA)
    by: str


class LinkedPart(_Part):
    """A pull request where `merged` is given, a page where `status` is."""

    merged: bool | None = None
    state: str = "closed"
    files: list[str] = []
    status: int | None = None
    text: str = ""


class DescriptionPart(_Part):
    text: str
    edited: datetime
    pushed: datetime | None = None


class DraftPart(_Part):
    precision: str
    modules: list[str] = []


class FactsFile(_Part):
    """Paths are relative to the file's own folder. Every key may be left out."""

    repo: str = Field(default="owner/name", pattern=r"^[\w.-]+/[\w.-]+$")
    number: int = Field(default=1, ge=1)
    author: str = "reviewer"  # of the sign-off
    opened_by: str = ""  # author of the pull request
    head: str = Field(default="0" * 40, pattern=SHA)
    today: date | None = None
    edited: datetime | None = None  # the sign-off
    head_tree: Path | None = None
    base_tree: Path | None = None
    files: list[str | FilePart] | None = None
    codeowners: Path | None = None
    teams: dict[str, bool] = {}
    templates: list[TemplatePart] | None = None
    commits: CommitsPart | None = None
    runs: list[RunPart] | None = None
    evals: dict[int, list[EvalPart]] = {}
    points: dict[int, list[PointPart]] = {}
    reuse: ReusePart | Literal["none"] | None = None
    linked: dict[str, LinkedPart] = {}
    description: DescriptionPart | None = None
    drafts: dict[str, DraftPart] = {}


def read_facts_file(path: Path, data: bytes) -> FactsFile:
    """Raises BadInput for the first thing that is wrong with it."""
    try:
        return FactsFile.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise BadInput(str(path), f"{place} {plain_words(first)}") from None
