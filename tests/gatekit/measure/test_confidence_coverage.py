"""Does a 95 % interval hold the truth 95 times in 100? Two thousand replays of each kind, without an engine.

The truth is the AL on all prompts of the kind: of the 160,000 that the replays drew together.
"""

import random

import pytest

from gatekit.domain.job import ClientAnswer
from gatekit.engines.counters import Counts
from gatekit.measure.confidence import Basis, ReplayShares, interval
from gatekit.measure.samples import Increment
from tests.worlds.engine.replays import K, Kind, replay
from tests.worlds.engine.toy_law import Sampler, acceptance_length, with_alpha

RUNS = 2000
LOWEST, HIGHEST = 0.935, 0.965  # three standard errors of a share of 2,000 on either side of 95 %

KINDS = {
    "independent drafts, one at a time": Kind(),
    "independent drafts, 64 at once, counted at the end": Kind(64, at_request_end=True),
    "unlike prompts, one at a time": Kind(unlike=0.3),
    "unlike prompts with passages, 32 at once": Kind(32, 0.3, 0.4),
    "unlike prompts with passages, 64 at once": Kind(64, 0.3, 0.4),
    "unlike prompts with passages, one at a time, counted at the end": Kind(1, 0.3, 0.4, at_request_end=True),
    "unlike prompts with passages, 32 at once, counted at the end": Kind(32, 0.3, 0.4, at_request_end=True),
    "bursts of 64 that end together, counted at the end": Kind(64, 0.3, 0.4, equal=True, at_request_end=True),
    "bursts of 32 that end together": Kind(32, 0.3, 0.4, equal=True),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_the_interval_holds_the_truth_about_as_often_as_it_says(kind: Kind) -> None:
    rng = random.Random(20261130)
    drafts, accepted, found = 0, 0, []
    for _ in range(RUNS):
        run = replay(kind, rng)
        drafts, accepted = drafts + run.counts.drafts, accepted + run.counts.accepted
        found.append(interval(run.counts, run.evidence, K))
    truth = 1 + accepted / drafts
    assert {sure.basis for sure in found} == {Basis.PROMPTS}
    assert LOWEST <= sum(sure.low <= truth <= sure.high for sure in found) / RUNS <= HIGHEST


def test_independent_samples_alone_do_so_too() -> None:
    """Where it is not known when the answers came: samples of 200 drafts that tell nothing of one another."""
    rng = random.Random(20261130)
    held = 0
    for _ in range(RUNS):
        parts = [Increment(200, round(rng.gauss(300, 19))) for _ in range(40)]
        counts = Counts(8000, sum(part.accepted for part in parts), None, None, None)
        sure = interval(counts, ReplayShares([parts]), K)
        assert sure.basis is Basis.SLICES
        held += sure.low <= 2.5 <= sure.high
    assert LOWEST <= held / RUNS <= HIGHEST


def test_a_sampler_that_really_verifies_agrees() -> None:
    """Twenty replays of twenty answers by a target and a draft whose AL is known in closed form."""
    laws, k = with_alpha(0.7), 3
    truth = acceptance_length(laws.alpha, k)
    held = 0
    for seed in range(20):
        sampler = Sampler(laws, f"coverage {seed}")
        answers, parts, now = [], [], 0.0
        for prompt in range(20):
            steps = [len(sampler.verified(k).text) for _ in range(40)]
            answers.append(ClientAnswer(prompt, now, now + len(steps) * 0.05, 1 + sum(steps)))
            parts.append(Increment(len(steps), sum(steps) - len(steps), now, now + len(steps) * 0.05, 1 + sum(steps)))
            now = answers[-1].end
        counts = Counts(sum(part.drafts for part in parts), sum(part.accepted for part in parts), None, None, None)
        for at_request_end in (False, True):
            sure = interval(counts, ReplayShares([parts], answers, at_request_end), k)
            assert sure.basis is Basis.PROMPTS
            held += sure.low <= truth <= sure.high
    assert held >= 34  # of 40; with a true 95 % fewer happen less than once in a thousand
