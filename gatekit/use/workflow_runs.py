"""A run of the repository's own sweep workflow, and whether its artifacts may stand for a pull request."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from gatekit.domain.ids import Repo, Sha

WORKFLOWS = ".github/workflows/"
_RESULTS = ("results_bmk", "eval_results_all")
_RESULTS_PREFIX = "bmk_agentic_"

EVENT, COMPLETED, SUCCESS = "pull_request", "completed", "success"
USABLE_WHEN_NAMED = frozenset({SUCCESS, "failure", "cancelled"})  # what a person names may have missing points


@dataclass(frozen=True, slots=True)
class Artifact:
    id: int
    name: str
    expired: bool
    size: int  # bytes, as GitHub stores it: packed

    @property
    def holds_results(self) -> bool:
        return self.name in _RESULTS or self.name.startswith(_RESULTS_PREFIX)


@dataclass(frozen=True, slots=True)
class WorkflowRun:
    """As GitHub describes it. Words that GitHub chooses stay text: an unknown one is never taken for a known one."""

    id: int
    attempt: int
    repo: Repo
    event: str
    status: str
    conclusion: str | None
    path: str  # of its workflow file; empty: GitHub does not say
    head: Sha | None
    url: str


def to_read(artifacts: Sequence[Artifact]) -> tuple[Artifact, ...]:
    """Those that may hold results, what is made of all points first, and of single points the smallest one alone."""
    there = [one for one in artifacts if one.holds_results and not one.expired]
    whole = [one for name in _RESULTS for one in there if one.name == name]
    single = [one for one in there if one not in whole]
    return (*whole, *sorted(single, key=lambda one: (one.size, one.id))[:1])


class ArtifactState(StrEnum):
    USABLE = "usable"
    EXPIRED = "expired"
    NONE = "none"  # none with a name that results have


def results_of(artifacts: Sequence[Artifact]) -> ArtifactState:
    """Whether one of them holds results and is still there."""
    results = [one for one in artifacts if one.holds_results]
    if any(not one.expired for one in results):
        return ArtifactState.USABLE
    return ArtifactState.EXPIRED if results else ArtifactState.NONE
