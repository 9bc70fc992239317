"""Replays without an engine: answers that draft in stretches of time, and what the counters would have shown of them.

In a stretch an answer makes as many steps as the engine's pace allows (the pace changes from stretch to stretch), and
its steps accept about as much as its prompt is easy and as the answer's present passage is: a normal variable of the
right mean and spread stands for the many drafts of a stretch.
"""

import random
from dataclasses import dataclass
from heapq import heappop, heappush
from math import exp, sqrt

from gatekit.domain.job import ClientAnswer
from gatekit.engines.counters import Counts
from gatekit.measure.confidence import ReplayShares
from gatekit.measure.samples import Increment

K = 4
STEP = 0.02  # seconds, about
STRETCH = 2.0  # seconds between two samples
ACCEPTED, SPREAD = 1.5, 1.35  # of one draft
PROMPTS = 80
TOKENS = 800


@dataclass(frozen=True, slots=True)
class Kind:
    """What replays are like."""

    concurrency: int = 1
    unlike: float = 0.0  # standard deviation of the mean accepted length between prompts
    passages: float = 0.0  # the same between passages of an answer
    equal: bool = False  # all answers have one length: they end in bursts
    at_request_end: bool = False


@dataclass(frozen=True, slots=True)
class Replay:
    counts: Counts
    evidence: ReplayShares


def replay(kind: Kind, rng: random.Random) -> Replay:
    """One replay of prompts that are drawn anew."""
    paces = [STEP * exp(rng.gauss(0, 0.05)) for _ in range(32)]
    free = [0.0] * kind.concurrency
    drafts: dict[int, list[float]] = {}
    answers = []
    for number in range(PROMPTS):
        begin = heappop(free)
        tokens = TOKENS if kind.equal else max(20, int(TOKENS * exp(rng.gauss(-0.125, 0.5))))
        end, steps = _answer(kind, rng, (begin, tokens - 1), paces, drafts)
        answers.append(ClientAnswer(number, begin, end, tokens))
        heappush(free, end)
        if kind.at_request_end:
            held = drafts.setdefault(int(end / STRETCH), [0.0, 0.0])
            held[0] += steps
            held[1] += tokens
    increments = [
        Increment(round(held), 0, STRETCH * k, STRETCH * (k + 1), int(generated))
        for k, (held, generated) in sorted(drafts.items())
    ]
    total = sum(part.drafts for part in increments)
    gained = sum(answer.tokens - 1 for answer in answers)
    return Replay(
        Counts(total, gained - total, None, None, None),
        ReplayShares((increments,), tuple(answers), kind.at_request_end),
    )


def _answer(
    kind: Kind, rng: random.Random, start: tuple[float, float], paces: list[float], drafts: dict[int, list[float]]
) -> tuple[float, float]:
    """When it ends, and its steps."""
    now, left = start
    easy = ACCEPTED + rng.gauss(0, kind.unlike)
    passage = rng.gauss(0, kind.passages) if kind.passages else 0.0
    made = 0.0
    while True:
        k = int(now / STRETCH)
        span = STRETCH * (k + 1) - now
        steps = span / paces[k % len(paces)]
        gained = steps + min(max(steps * (easy + passage) + sqrt(steps) * rng.gauss(0, SPREAD), 0.0), K * steps)
        part = min(left / gained, 1.0)
        made += steps * part
        now += span * part
        if not kind.at_request_end:
            drafts.setdefault(k, [0.0, 0.0])[0] += steps * part
        if part < 1.0:
            return now, made
        left -= gained
        now = STRETCH * (k + 1)
        if kind.passages:
            passage = 0.5 * passage + 0.866 * rng.gauss(0, kind.passages)
