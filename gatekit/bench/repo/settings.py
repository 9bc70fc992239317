"""How a repository wants it, as values. Read from its file by `gatekit.bench.repo.settings_file`."""

from dataclasses import dataclass, field
from enum import StrEnum

from gatekit.bench.repo.layout import Layout
from gatekit.domain.collection import Thinking
from gatekit.domain.gates import Tolerance


class Mode(StrEnum):
    REPORT_ONLY = "report-only"
    ENFORCE = "enforce"


class DraftPulls(StrEnum):
    """What happens on a draft pull request."""

    RUN = "run"
    SKIP = "skip"


class Forks(StrEnum):
    NEVER = "never"
    APPROVE_EACH_PUSH = "approve-each-push"


class MergeWithoutUse(StrEnum):
    """What happens when a PR is merged and no run was selected for it."""

    RERUN = "rerun"
    REPORT = "report"


class Language(StrEnum):
    EN = "en"
    ZH = "zh"


@dataclass(frozen=True, slots=True)
class PrimaryLabel:
    """A label that asks for a sweep. `canary`: one gate first; `fail_fast`: one failure stops what has not started."""

    name: str
    canary: bool = False
    fail_fast: bool = False


DEFAULT_PRIMARIES = (
    PrimaryLabel("full-sweep-fail-fast", canary=True, fail_fast=True),
    PrimaryLabel("full-sweep-enabled", canary=True),
    PrimaryLabel("non-canary-full-sweep-enabled"),
)


DEFAULT_TOLERANCE = Tolerance(below=0.05, above=0.05)


@dataclass(frozen=True, slots=True)
class LabelSettings:
    primary: tuple[PrimaryLabel, ...] = DEFAULT_PRIMARIES
    block_reuse: frozenset[str] = frozenset({"evals-only", "agentx-fast"})
    nothing_to_gate: frozenset[str] = frozenset({"evals-only"})


@dataclass(frozen=True, slots=True)
class ReuseSettings:
    workflow: str = "run-sweep.yml"
    merge_without_use: MergeWithoutUse = MergeWithoutUse.RERUN


@dataclass(frozen=True, slots=True)
class SignoffSettings:
    enabled: bool = True
    core_team: str = "SemiAnalysisAI/core"


@dataclass(frozen=True, slots=True)
class RepoSettings:
    """Every value has a default: an absent file is the same as an empty one."""

    mode: Mode = Mode.REPORT_ONLY
    layout: Layout = field(default_factory=Layout)
    labels: LabelSettings = LabelSettings()
    tolerance: Tolerance = DEFAULT_TOLERANCE
    prompts_sha256: str | None = None
    thinking: Thinking | None = Thinking.ON  # where a recipe does not say; None: such points have no thinking mode
    drafts: DraftPulls = DraftPulls.RUN
    forks: Forks = Forks.NEVER
    reuse: ReuseSettings = ReuseSettings()
    signoff: SignoffSettings = SignoffSettings()
    languages: tuple[Language, ...] = (Language.EN,)
