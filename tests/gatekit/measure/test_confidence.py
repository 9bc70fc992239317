"""The interval of a realized AL: does it hold the truth about as often as it says, and does it say what it rests on?"""

import random
from itertools import pairwise

import pytest

from gatekit.domain.job import ClientAnswer
from gatekit.engines.counters import Counts
from gatekit.measure.confidence import Basis, ReplayShares, interval, t_quantile
from gatekit.measure.samples import Increment

K = 4
DRAFTS = 24  # of an increment


def replay(chances: list[float], increments: int, rng: random.Random) -> tuple[Counts, list[Increment]]:
    """Each prompt has its own chance that a drafted token is accepted, and gives several increments."""
    parts, positions = [], [0] * K
    for chance in chances:
        for _ in range(increments):
            accepted = 0
            for _ in range(DRAFTS):
                length = next((n for n in range(K) if rng.random() >= chance), K)
                accepted += length
                for position in range(length):
                    positions[position] += 1
            parts.append(Increment(DRAFTS, accepted))
    drafts = sum(part.drafts for part in parts)
    return Counts(drafts, sum(positions), None, tuple(positions), None), parts


def truth(chances: list[float]) -> float:
    return 1 + sum(sum(chance**j for j in range(1, K + 1)) for chance in chances) / len(chances)


@pytest.mark.parametrize("chances", [[0.6] * 20, [0.4, 0.8] * 10], ids=["like prompts", "unlike prompts"])
def test_replays_of_the_same_prompts_land_in_the_interval(chances: list[float]) -> None:
    """By samples alone: 95 % of the time where prompts are alike, and more often where they are not."""
    rng = random.Random(7)
    held = 0
    for _ in range(200):
        found, parts = replay(chances, 3, rng)
        sure = interval(found, ReplayShares([parts]), K)
        assert sure.basis is Basis.SLICES
        held += sure.low <= truth(chances) <= sure.high
    assert held >= 180  # of 200; with a true 95 % fewer happen once in a thousand


def test_a_slow_change_between_prompts_is_no_noise() -> None:
    """By samples alone, ten prompts of one kind after ten of another do not widen the interval: hence its warning."""
    rng = random.Random(7)
    alike, mixed = replay([0.6] * 20, 6, rng), replay([0.4] * 10 + [0.8] * 10, 6, rng)
    widths = [
        sure.high - sure.low for sure in (interval(found, ReplayShares([parts]), K) for found, parts in (alike, mixed))
    ]
    assert widths[1] < 1.3 * widths[0]


def test_more_drafts_make_a_narrower_interval() -> None:
    rng = random.Random(3)
    widths = []
    for prompts in (10, 40, 160):
        found, parts = replay([0.6] * prompts, 3, rng)
        sure = interval(found, ReplayShares([parts]), K)
        widths.append(sure.high - sure.low)
    assert all(wide > 1.5 * narrow for wide, narrow in pairwise(widths))


def test_increments_without_drafts_count_for_nothing() -> None:
    found, parts = replay([0.6] * 10, 3, random.Random(3))
    idle = [piece for part in parts for piece in (part, Increment(0, 0))]
    assert interval(found, ReplayShares([parts]), K) == interval(found, ReplayShares([idle]), K)


def test_workers_are_no_neighbours_of_each_other() -> None:
    """Two workers with steady but different acceptance: no increment differs from its own neighbours."""
    workers = [[Increment(10, 5)] * 8, [Increment(10, 25)] * 8]
    sure = interval(Counts(160, 240, None, None, None), ReplayShares(workers), K)
    assert sure.low == pytest.approx(2.5)
    assert sure.high == pytest.approx(2.5)


def answered(drafts: list[int], tokens: int = 251) -> ReplayShares:
    """One prompt after another, counted when it ends."""
    answers = [ClientAnswer(n, 2.0 * n, 2.0 * n + 2.0, tokens) for n in range(len(drafts))]
    parts = [Increment(made, 0, 2.0 * n, 2.0 * n + 2.0, tokens) for n, made in enumerate(drafts)]
    return ReplayShares([parts], answers, at_request_end=True)


def test_prompts_that_differ_widen_the_interval() -> None:
    """Ten at 2.5 tokens a draft are sure; half at 2.4 and half at 2.6 give ± t(9) · √(9/10 · Σ(e/0.9)²) / 1000."""
    counts = Counts(1000, 1500, None, None, None)
    alike, unlike = interval(counts, answered([100] * 10), K), interval(counts, answered([96, 104] * 5), K)
    assert (alike.low, alike.high, alike.basis) == (2.5, 2.5, Basis.PROMPTS)
    half = 2.262 * (0.9 * 10 * (10 / 0.9) ** 2) ** 0.5 / 1000
    assert (unlike.high - unlike.low) / 2 == pytest.approx(half, rel=0.01)


@pytest.mark.parametrize(("prompts", "basis"), [(8, Basis.PROMPTS), (7, Basis.BOUND), (0, Basis.BOUND)])
def test_a_few_prompts_are_too_few(prompts: int, basis: Basis) -> None:
    sure = interval(Counts(1000, 1500, None, None, None), answered([100] * prompts), K)
    assert sure.basis is basis


@pytest.mark.parametrize(
    ("increments", "positions", "basis"),
    [
        (8, (60, 40, 20, 0), Basis.SLICES),
        (7, (60, 40, 20, 0), Basis.POSITIONS),
        (0, (60, 40, 20, 0), Basis.POSITIONS),
        (0, None, Basis.BOUND),
    ],
)
def test_what_the_interval_rests_on(increments: int, positions: tuple[int, ...] | None, basis: Basis) -> None:
    parts = [Increment(10, 10 + n % 3) for n in range(increments)]
    sure = interval(Counts(100, 120, None, positions, None), ReplayShares([parts]), K)
    assert sure.basis is basis
    assert sure.basis.value.endswith(".")
    assert sure.low < 2.2 < sure.high


def test_the_spread_of_one_draft_comes_from_its_positions() -> None:
    """60 drafts of length 2 and 40 of length 0: mean 1.2, variance 0.96, so ± 1.96 · √(0.96 / 100)."""
    sure = interval(Counts(100, 120, None, (60, 60, 0, 0), None), ReplayShares([]), K)
    assert sure.high - sure.low == pytest.approx(2 * 1.96 * (0.96 / 100) ** 0.5, rel=1e-4)


def test_the_bound_is_never_narrower_than_the_positions() -> None:
    by_position = interval(Counts(100, 120, None, (60, 60, 0, 0), None), ReplayShares([]), K)
    bound = interval(Counts(100, 120, None, None, None), ReplayShares([]), K)
    assert bound.low <= by_position.low
    assert by_position.high <= bound.high


@pytest.mark.parametrize(("accepted", "end"), [(1, "low"), (39, "high")])
def test_no_end_lies_beyond_what_an_al_can_be(accepted: int, end: str) -> None:
    sure = interval(Counts(10, accepted, None, None, None), ReplayShares([]), K)
    assert getattr(sure, end) == (1.0 if end == "low" else K + 1.0)


@pytest.mark.parametrize(("freedom", "quantile"), [(4, 2.776), (5, 2.571), (10, 2.228), (30, 2.042), (1000, 1.962)])
def test_the_t_quantile_is_that_of_the_tables(freedom: float, quantile: float) -> None:
    assert t_quantile(freedom) == pytest.approx(quantile, rel=0.003)
