"""Everything that the checks are told, each fact by itself: what could not be read is a value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TypeVar

from gatekit.bench.repo.settings import RepoSettings
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.errors import BadInput, Refusal, Unknown
from gatekit.domain.ids import Login, PrRef
from gatekit.domain.reuse import Commits
from gatekit.goldens.curve import Curve
from gatekit.plan.plan import PlanSources
from gatekit.signoff.change.change import Change, read_change
from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.checklist.form import Form
from gatekit.signoff.checklist.template import Current
from gatekit.signoff.codeowners import Codeowners
from gatekit.signoff.evidence.description import Description
from gatekit.signoff.evidence.models_page import ModelsPage, read_models
from gatekit.signoff.evidence.results import EvalResult, MeasuredPoint, Thresholds, read_thresholds
from gatekit.signoff.evidence.stored_draft import StoredDraft
from gatekit.signoff.evidence.upstream import Upstream
from gatekit.signoff.evidence.workflow_jobs import SweepRun
from gatekit.signoff.resource import Resource
from gatekit.signoff.scope import ChangedFile
from gatekit.use.decision import Decision

NOT_READ = Unknown("it was not read")


@dataclass(frozen=True, slots=True)
class SignOff:
    """A sign-off as it stands now."""

    resource: Resource
    author: Login
    body: CommentText
    edited: datetime  # when it was last posted or edited
    not_theirs: frozenset[frozenset[str]] = frozenset()  # boxes not ticked by the author's word: `heard.not_theirs`

    @property
    def form(self) -> Form:
        return self.body.form


@dataclass(frozen=True, slots=True)
class Facts:
    """Of one verification, all of one head. A default means that nobody asked."""

    pr: PrRef
    sign_off: SignOff
    today: date  # UTC
    files: tuple[ChangedFile, ...] | Unknown = NOT_READ  # all of them: `all_files`
    rules: Codeowners | Unknown = NOT_READ  # at the commit at which the target branch points
    teams: Mapping[str, bool | Unknown] = field(default_factory=dict)  # is the signer a member, by `Owner.key`
    template: Current | Unknown | None = NOT_READ  # None: there was none when the sign-off was edited
    change: Change | Unknown = NOT_READ
    models: ModelsPage | Unknown = NOT_READ  # of the base
    curves: Mapping[str, Curve] | Unknown = NOT_READ
    # By the draft's, else the target's model. The bot reads no checkpoint: only a facts file fills it.
    drafts: Mapping[str, StoredDraft | Unknown] = field(default_factory=dict)
    commits: Commits | Unknown = NOT_READ  # of the pull request
    runs: tuple[SweepRun, ...] | Unknown = NOT_READ  # with check runs on those commits
    evals: Mapping[int, tuple[EvalResult, ...] | Unknown] = field(default_factory=dict)  # by the run's id
    points: Mapping[int, tuple[MeasuredPoint, ...] | Unknown] = field(default_factory=dict)
    thresholds: Thresholds | Unknown = NOT_READ  # of the base
    reuse: Decision | Unknown | None = NOT_READ  # what `/use` came to; None: no authorized command
    description: Description | Unknown = NOT_READ  # of the pull request
    linked: Mapping[str, Upstream | Unknown] = field(default_factory=dict)  # by `RecipeLink.url`
    settings: RepoSettings = field(default_factory=RepoSettings)


T = TypeVar("T")


def with_trees(facts: Facts, sources: PlanSources) -> Facts:
    """The facts with all that the trees hold; models and thresholds are the base's. What cannot be read says why."""
    layout = sources.settings.layout.at(sources.base)
    return replace(
        facts,
        settings=sources.settings,
        curves=sources.curves,
        change=_read(lambda: read_change(sources)),
        models=_read(lambda: _models(sources.base, layout.models[0])),
        thresholds=_read(lambda: _thresholds(sources.base, layout.thresholds[0])),
    )


def _read(make: Callable[[], T]) -> T | Unknown:
    try:
        return make()
    except Refusal as no:
        return Unknown("; ".join(no.sentences))


def _models(base: Snapshot, path: str) -> ModelsPage:
    return read_models(_file(base, path).decode(errors="replace"), path)


def _thresholds(base: Snapshot, path: str) -> Thresholds:
    return read_thresholds(path, _file(base, path))


def _file(base: Snapshot, path: str) -> bytes:
    data = base.files.get(path)
    if data is None:
        raise BadInput(path, "is not in the base; add it, or name yours in `layout`")
    return data
