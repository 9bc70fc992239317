"""How sure is a realized AL? A 95 % confidence interval of the ratio r = Σ accepted / Σ drafts.

The counters are sampled while the replay runs; the increments between samples (drafts xᵢ, accepted yᵢ) are the
observations. A replay sends the prompts that the golden curve was measured with, so the differences between prompts are
no noise; what changes from one replay to the next is the sampling within them. Neighbouring increments mostly share
their prompts, hence the spread is taken from successive differences of the residuals eᵢ = yᵢ − r·xᵢ (von Neumann,
Kent, Bellinson and Hart, "The mean square successive difference", Annals of Mathematical Statistics 12, 1941; for
ordered samples: Wolter, "Introduction to Variance Estimation", 2nd ed., ch. 8), put into the ratio estimator's
delta-method variance (Cochran, "Sampling Techniques", 3rd ed., §2.11, without the finite-population factor):

    var(r) = n · D / (Σ xᵢ)²,    D = Σ (eᵢ₊₁ − eᵢ)² / 2m over the m neighbouring pairs of each worker,
    r ± t(0.975, ν) · √var(r),   ν = 2m² / (3m − 1), the degrees of freedom of D as of a scaled χ².

Under 7 such pairs the spread of so few numbers says little. Then, drafts taken as independent, the spread of one
draft's accepted length A follows exactly from the acceptance per position pⱼ (j from 0, of all drafts): E[A] = Σ pⱼ and
E[A²] = Σ (2j + 1)·pⱼ. Where the engine does not count by position, the largest variance that an A between 0 and K with
this mean m can have stands in: m·(K − m) (Bhatia and Davis, "A better bound on the variance", American Mathematical
Monthly 107, 2000). `Basis` says which one it was; the verdict warns when it was not the slices.

A greedy replay repeats to the digit and still gets an interval, because its increments differ.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from gatekit.acceptance import Counts

MIN_PAIRS = 7
_Z = 1.959964  # quantile 0.975 of the normal distribution


class Basis(Enum):
    """What an interval rests on. The value is the warning that goes with it; empty: none."""

    SLICES = ""
    POSITIONS = (
        "The counters moved too few times between samples: the interval comes from the acceptance per position, with "
        "drafts taken as independent, and may be too narrow."
    )
    BOUND = (
        "The counters moved too few times between samples and are not kept by position: the interval comes from the "
        "widest spread that this AL allows, with drafts taken as independent."
    )


@dataclass(frozen=True, slots=True)
class Increment:
    """What one worker drafted and accepted between two samples."""

    drafts: int
    accepted: int


@dataclass(frozen=True, slots=True)
class Interval:
    """Of the AL; both ends lie within 1 … K + 1."""

    low: float
    high: float
    basis: Basis


def interval(counts: Counts, workers: Sequence[Sequence[Increment]], k: int) -> Interval:
    """The 95 % interval of a realized AL. `workers`: each one's increments in the order of time."""
    moving = [[part for part in parts if part.drafts > 0] for parts in workers]
    mean = counts.al - 1
    if sum(len(parts) - 1 for parts in moving if parts) >= MIN_PAIRS:
        half, basis = _half_width(moving, mean), Basis.SLICES
    elif counts.per_position is not None:
        half, basis = _Z * math.sqrt(_position_variance(counts) / counts.drafts), Basis.POSITIONS
    else:
        half, basis = _Z * math.sqrt(max(mean * (k - mean), 0.0) / counts.drafts), Basis.BOUND
    return Interval(max(counts.al - half, 1.0), max(min(counts.al + half, k + 1.0), counts.al), basis)


def t_quantile(freedom: float) -> float:
    """Quantile 0.975 of Student's t (Abramowitz and Stegun 26.7.5); off by under 0.3 % from 4 degrees of freedom on."""
    z, v = _Z, freedom
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / v + second / v**2 + third / v**3


def _half_width(workers: Sequence[Sequence[Increment]], ratio: float) -> float:
    residuals = [[part.accepted - ratio * part.drafts for part in parts] for parts in workers]
    steps = [later - earlier for parts in residuals for earlier, later in pairwise(parts)]
    pairs, n = len(steps), sum(map(len, residuals))
    spread = sum(step * step for step in steps) / (2 * pairs)
    drafts = sum(part.drafts for parts in workers for part in parts)
    return t_quantile(2 * pairs**2 / (3 * pairs - 1)) * math.sqrt(n * spread) / drafts


def _position_variance(counts: Counts) -> float:
    shares = [count / counts.drafts for count in counts.per_position or ()]
    mean = sum(shares)
    return max(sum((2 * j + 1) * share for j, share in enumerate(shares)) - mean * mean, 0.0)
