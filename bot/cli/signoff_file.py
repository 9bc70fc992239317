"""The files of `gatekit signoff check` → the facts of a verification: what is not in them was not read."""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.cli.folder import read_folder
from bot.files import bytes_of, own_curves, text_of
from gatekit.bench.repo.settings_file import SETTINGS_PATH, parse_settings
from gatekit.commands import Use
from gatekit.domain.errors import BadInput, Unknown
from gatekit.domain.ids import Login, PrRef, Repo, Sha
from gatekit.domain.reuse import Commits
from gatekit.formats.validation import plain_words
from gatekit.plan.plan import PlanSources
from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.checklist.template import Current, Revision, current_at, template_form
from gatekit.signoff.checks.facts import NOT_READ, Facts, SignOff, with_trees
from gatekit.signoff.codeowners import Codeowners, parse_codeowners
from gatekit.signoff.evidence.description import Description
from gatekit.signoff.evidence.results import EvalResult, MeasuredPoint
from gatekit.signoff.evidence.stored_draft import StoredDraft
from gatekit.signoff.evidence.upstream import Upstream, UpstreamPage, UpstreamPull
from gatekit.signoff.evidence.workflow_jobs import Lane, SweepRun
from gatekit.signoff.resource import Resource, Surface
from gatekit.signoff.scope import ChangedFile
from gatekit.use.decision import Chosen, Decision, RunSource, Spoken, Trust
from gatekit.use.workflow_runs import COMPLETED, WORKFLOWS, WorkflowRun

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


NOT_IN_FILE = Unknown("it is not in the facts file")


@dataclass(frozen=True, slots=True)
class Dry:
    """What a dry run is given."""

    body: str
    template: Path
    facts: FactsFile
    folder: Path  # that paths of the facts file are relative to
    now: datetime


def facts_of(dry: Dry) -> Facts:
    """Raises BadInput where a file that is named cannot be read, or is not what it should be."""
    given, edited = dry.facts, dry.facts.edited or dry.now
    owner, name = given.repo.split("/")
    pr = PrRef(Repo(owner, name), given.number)
    facts = Facts(
        pr=pr,
        sign_off=SignOff(Resource(Surface.CONVERSATION, 1), Login(given.author), CommentText(dry.body), edited),
        today=given.today or dry.now.date(),
        files=NOT_IN_FILE if given.files is None else tuple(_file(each) for each in given.files),
        rules=_rules(dry),
        teams={f"@{team.lower().lstrip('@')}": member for team, member in given.teams.items()},
        template=_template(dry, edited),
        drafts={model: StoredDraft(each.precision, tuple(each.modules)) for model, each in given.drafts.items()},
        linked={url: _upstream(url, each) for url, each in given.linked.items()},
    )
    return _with_trees(_with_runs(facts, given, pr), dry)


def _file(each: str | FilePart) -> ChangedFile:
    return ChangedFile(each) if isinstance(each, str) else ChangedFile(each.path, each.previous, each.removed)


def _rules(dry: Dry) -> Codeowners | Unknown:
    if dry.facts.codeowners is None:
        return NOT_IN_FILE
    path = dry.folder / dry.facts.codeowners
    return parse_codeowners(bytes_of(path, "a CODEOWNERS file"), str(path))


def _template(dry: Dry, edited: datetime) -> Current | None:
    """The revisions of the facts file; without them the one page that is named, as the newest."""
    if dry.facts.templates is None:
        return Current(_revision(dry.template, Sha("0" * 40), edited), (), ())
    found = [_revision(dry.folder / each.file, Sha(each.sha), _zoned(each.at)) for each in dry.facts.templates]
    return current_at(found, _zoned(edited))


def _revision(path: Path, sha: Sha, at: datetime) -> Revision:
    return Revision(sha, at, template_form(text_of(path, "the checklist's page"), str(path)))


def _zoned(at: datetime) -> datetime:
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _with_runs(facts: Facts, given: FactsFile, pr: PrRef) -> Facts:
    commits = given.commits
    return replace(
        facts,
        commits=NOT_IN_FILE if commits is None else Commits(frozenset(map(Sha, commits.shas)), commits.complete),
        runs=NOT_IN_FILE if given.runs is None else tuple(_run(each, pr.repo) for each in given.runs),
        evals={number: tuple(_eval(each) for each in results) for number, results in given.evals.items()},
        points={
            number: tuple(MeasuredPoint(each.series, each.seconds, each.rate) for each in points)
            for number, points in given.points.items()
        },
        reuse=_reuse(given.reuse, facts.sign_off.edited),
        description=_description(given),
    )


def _run(each: RunPart, repo: Repo) -> SweepRun:
    run = WorkflowRun(
        id=each.id,
        attempt=1,
        repo=repo,
        event=each.event,
        status=COMPLETED,
        conclusion=None,
        path=f"{WORKFLOWS}{each.workflow}",
        head=Sha(each.head),
        url=each.url,
    )
    lanes = NOT_IN_FILE if each.lanes is None else tuple(Lane(lane.name, lane.conclusion) for lane in each.lanes)
    return SweepRun(run, lanes)


def _eval(each: EvalPart) -> EvalResult:
    return EvalResult(**each.model_dump())


def _reuse(each: ReusePart | str | None, at: datetime) -> Decision | Unknown | None:
    if each is None:
        return NOT_IN_FILE
    if isinstance(each, str):
        return None
    spoken = Spoken(1, Login(each.by), at, Use(each.run), Trust.AUTHORIZED)
    return Decision(spoken, Chosen(RunSource.WORKFLOW, each.run, 1, Sha(each.head)), Sha(each.head))


def _description(given: FactsFile) -> Description | Unknown:
    said = given.description
    if said is None:
        return NOT_IN_FILE
    return Description(said.text, _zoned(said.edited), _zoned(said.pushed) if said.pushed else NOT_READ)


def _upstream(url: str, each: LinkedPart) -> Upstream:
    if (each.merged is None) == (each.status is None):
        raise BadInput(f"linked.{url}", "must say either `merged` of a pull request or `status` of a page")
    if each.status is not None:
        return UpstreamPage(each.status, each.text)
    return UpstreamPull(bool(each.merged), each.state, tuple(each.files), each.text)


def _with_trees(facts: Facts, dry: Dry) -> Facts:
    given = dry.facts
    if given.head_tree is None or given.base_tree is None:
        return replace(facts, change=NOT_IN_FILE, models=NOT_IN_FILE, thresholds=NOT_IN_FILE)
    head, base = read_folder(dry.folder / given.head_tree), read_folder(dry.folder / given.base_tree)
    settings = parse_settings(base.files.get(SETTINGS_PATH))
    return with_trees(facts, PlanSources(head, base, None, settings, own_curves()))
