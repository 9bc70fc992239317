"""Realized AL against golden AL: one verdict, with its reason."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class CurveOutcome(StrEnum):
    ON_CURVE = "on curve"
    BELOW = "below"
    ABOVE = "above"
    INCONCLUSIVE = "inconclusive"


class Unmeasured(StrEnum):
    """Why a gate was not measured, or its measurement must not be judged."""

    COUNTER_WENT_BACK = "counter-went-back"
    ENGINE_RESTARTED = "engine-restarted"
    COUNTERS_MISSING = "counters-missing"
    OTHER_TRAFFIC = "other-traffic"
    NO_DRAFTS = "no-drafts"
    PROMPTS_UNFINISHED = "prompts-unfinished"
    DRAFT_LONGER_THAN_K = "draft-longer-than-k"
    POSITIONS_DISAGREE = "positions-disagree"
    THINKING_NOT_APPLIED = "thinking-not-applied"
    FORCED_ACCEPTANCE = "forced-acceptance"
    PROMPTS_DIFFER = "prompts-differ"
    COLLECTION_DIFFERS = "collection-differs"
    ENGINE_FAILED = "engine-failed"  # did not start, or died
    REPLAY_FAILED = "replay-failed"
    RESULT_UNREADABLE = "result-unreadable"
    POLICY = "policy"
    CANCELLED = "cancelled"
    LOST = "lost"  # neither a job nor a result is to be found
    INFRASTRUCTURE = "infrastructure"  # the cluster failed every attempt
    TIME_LIMIT = "time-limit"
    OUT_OF_MEMORY = "out-of-memory"
    REFUSED = "refused"  # the cluster does not take the job
    CANARY = "canary"  # not started: the canary could not be measured
    FAIL_FAST = "fail-fast"  # not started: another gate of the cluster could not be measured


@dataclass(frozen=True, slots=True)
class Realized:
    """A realized AL with what it was computed from. AL = 1 + accepted / drafts, summed over the generation workers."""

    al: float
    low: float  # 95 % confidence interval
    high: float
    drafts: int
    accepted: int
    draft_tokens: int | None  # None: the engine does not count them


@dataclass(frozen=True, slots=True)
class Band:
    """The ALs that a golden AL allows with its tolerance."""

    low: float
    high: float


def crossed(realized: Realized, allowed: Band) -> tuple[float, ...]:
    """The edges that the interval reaches across: there nothing is decided."""
    return tuple(edge for edge in (allowed.low, allowed.high) if realized.low < edge < realized.high)


@dataclass(frozen=True, slots=True)
class Judged:
    """`gatekit.comments.tally` words it."""

    outcome: CurveOutcome
    realized: Realized
    golden: float
    allowed: Band
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotMeasured:
    why: Unmeasured
    reason: str  # one sentence


Verdict: TypeAlias = Judged | NotMeasured
