"""How sure is a realized AL? A 95 % confidence interval of the acceptance length on prompts of this kind.

What is meant. The prompts of a collection are taken as drawn from many like them, and the interval holds the AL of the
engine on all of those. So it counts two things: the luck of the sampling, and the difference between prompts. One
replay cannot tell a hard prompt from an unlucky answer, and drafts within an answer resemble one another in ways that
nobody knows, so an interval for these very prompts would rest on a guess. What it costs: replays of the same prompts
agree more closely than the interval says.

How. The prompts are the observations, for they are what is independent: prompt i drafts nᵢ times and gets tᵢ tokens
from that (see `gatekit.measure.shares`). The AL is the ratio L = Σ tᵢ / Σ nᵢ, and with the residuals eᵢ = tᵢ - L·nᵢ
over N prompts

    var(L) = (N - 1)/N · Σ (eᵢ / (1 - nᵢ/Σn))² / (Σ n)²,    L ± t(0.975, N - 1) · √var(L):

the jackknife of a ratio (Cochran, "Sampling Techniques", 3rd ed., §6.17), each prompt left out once. It needs no model
of how drafts within an answer hang together, nor of how many answers ran at once.

Where the answers are not known, or are fewer than 8, the increments between samples stand in (drafts xᵢ, accepted yᵢ,
in the order of time). The spread is taken from successive differences of their residuals eᵢ = yᵢ - r·xᵢ (von Neumann,
Kent, Bellinson and Hart, Annals of Mathematical Statistics 12, 1941):

    var(r) = n · D / (Σ xᵢ)²,    D = Σ (eᵢ₊₁ - eᵢ)² / 2m over the m neighbouring pairs of each worker,
    r ± t(0.975, ν) · √var(r),   ν = 2m² / (3m - 1), the degrees of freedom of D as of a scaled χ².

That is right for independent increments, and too narrow where neighbours share their prompts; `Basis` warns of it.
Under 7 such pairs the spread of so few numbers says little. Then, drafts taken as independent, the spread of one
draft's accepted length A follows from the acceptance per position pⱼ (j from 0, of all drafts): E[A] = Σ pⱼ and
E[A²] = Σ (2j + 1)·pⱼ. Where the engine does not count by position, the largest variance that an A between 0 and K with
this mean m can have stands in: m·(K - m) (Bhatia and Davis, American Mathematical Monthly 107, 2000).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from gatekit.domain.job import ClientAnswer
from gatekit.engines.counters import Counts
from gatekit.measure.samples import Increment
from gatekit.measure.shares import Share, shares

MIN_PROMPTS = 8
MIN_PAIRS = 7
_Z = 1.959964  # quantile 0.975 of the normal distribution


class Basis(Enum):
    """What an interval rests on. The value is the warning that goes with it; empty: none."""

    PROMPTS = ""
    SLICES = (
        "It is not known which prompt was answered when: the interval comes from the samples as if they were "
        "independent, and may be too narrow."
    )
    POSITIONS = (
        "The counters moved too few times between samples: the interval comes from the acceptance per position, with "
        "drafts taken as independent, and may be too narrow."
    )
    BOUND = (
        "The counters moved too few times between samples and are not kept by position: the interval comes from the "
        "widest spread that this AL allows, with drafts taken as independent."
    )


@dataclass(frozen=True, slots=True)
class ReplayShares:
    """What a replay shows beside its counts."""

    workers: Sequence[Sequence[Increment]]  # each one's in the order of time
    answers: Sequence[ClientAnswer] = ()  # none: not known
    at_request_end: bool = False  # do the counters move only then?


@dataclass(frozen=True, slots=True)
class Interval:
    """Of the AL; both ends lie within 1 … K + 1."""

    low: float
    high: float
    basis: Basis


def interval(counts: Counts, evidence: ReplayShares, k: int) -> Interval:
    """The 95 % interval of a realized AL."""
    half, basis = _half_width(counts, evidence, k)
    return Interval(max(counts.al - half, 1.0), max(min(counts.al + half, k + 1.0), counts.al), basis)


def t_quantile(freedom: float) -> float:
    """Quantile 0.975 of Student's t (Abramowitz and Stegun 26.7.5); off by under 0.3 % from 4 degrees of freedom on."""
    z, v = _Z, freedom
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / v + second / v**2 + third / v**3


def _half_width(counts: Counts, evidence: ReplayShares, k: int) -> tuple[float, Basis]:
    prompts = shares(evidence.answers, evidence.workers, evidence.at_request_end)
    if len(prompts) >= MIN_PROMPTS and sum(share.drafts for share in prompts) > 0:
        return _of_prompts(prompts), Basis.PROMPTS
    mean = counts.al - 1
    moving = [[part for part in parts if part.drafts > 0] for parts in evidence.workers]
    if sum(len(parts) - 1 for parts in moving if parts) >= MIN_PAIRS:
        return _of_increments(moving, mean), Basis.SLICES
    if counts.per_position is not None:
        return _Z * math.sqrt(_position_variance(counts) / counts.drafts), Basis.POSITIONS
    return _Z * math.sqrt(max(mean * (k - mean), 0.0) / counts.drafts), Basis.BOUND


def _of_prompts(prompts: Sequence[Share]) -> float:
    n, drafts = len(prompts), sum(share.drafts for share in prompts)
    ratio = sum(share.tokens for share in prompts) / drafts
    left_out = [(share.tokens - ratio * share.drafts) / max(1 - share.drafts / drafts, 1e-9) for share in prompts]
    return t_quantile(n - 1) * math.sqrt((n - 1) / n * sum(each * each for each in left_out)) / drafts


def _of_increments(workers: Sequence[Sequence[Increment]], ratio: float) -> float:
    residuals = [[part.accepted - ratio * part.drafts for part in parts] for parts in workers]
    steps = [later - earlier for parts in residuals for earlier, later in pairwise(parts)]
    pairs, n = len(steps), sum(map(len, residuals))
    spread = sum(step * step for step in steps) / (2 * pairs)
    drafts = sum(part.drafts for parts in workers for part in parts)
    return t_quantile(2 * pairs**2 / (3 * pairs - 1)) * math.sqrt(n * spread) / drafts


def _position_variance(counts: Counts) -> float:
    shares_of = [count / counts.drafts for count in counts.per_position or ()]
    mean = sum(shares_of)
    return max(sum((2 * j + 1) * share for j, share in enumerate(shares_of)) - mean * mean, 0.0)
