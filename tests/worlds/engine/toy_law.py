"""Speculative sampling over a small alphabet, small enough to know its acceptance length in closed form."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Laws:
    """What the target and the draft say next, each a probability by letter, whatever was said before."""

    target: tuple[float, ...]
    draft: tuple[float, ...]

    def __post_init__(self) -> None:
        for law in (self.target, self.draft):
            if not (1 < len(law) <= len(LETTERS) and min(law) >= 0 and math.isclose(sum(law), 1)):
                raise ValueError(f"{law}: a law is two or more probabilities that sum to 1")
        if len(self.target) != len(self.draft):
            raise ValueError("target and draft speak of the same letters")

    @property
    def alpha(self) -> float:
        """The chance that one drafted letter is accepted: Σ min(p, q)."""
        return sum(map(min, self.target, self.draft))


@dataclass(frozen=True, slots=True)
class Step:
    """One verification: how many letters were drafted, how many accepted, and all that was said."""

    drafted: int
    accepted: int
    text: str  # the accepted letters and the target's own


def acceptance_length(alpha: float, k: int) -> float:
    """1 + α + α² + … + α^K: the mean number of letters of a step."""
    return k + 1 if alpha == 1 else (1 - alpha ** (k + 1)) / (1 - alpha)


def standard_error(alpha: float, k: int, drafts: int) -> float:
    """Of a mean over `drafts` steps. The accepted count X has P(X ≥ j) = α^j, so E[X²] = Σ (2j − 1) α^j."""
    tail = [alpha**j for j in range(1, k + 1)]
    mean = sum(tail)
    square = sum((2 * j - 1) * chance for j, chance in enumerate(tail, start=1))
    return math.sqrt((square - mean**2) / drafts)


def uniform(size: int) -> tuple[float, ...]:
    return (1 / size,) * size


def with_alpha(alpha: float, size: int = 5) -> Laws:
    """A flat target, and a draft that puts 1 − α too much on the first letter. α must be at least 1 / size."""
    low = (alpha - 1 / size) / (size - 1)
    return Laws(uniform(size), (1 - low * (size - 1), *[low] * (size - 1)))


class Sampler:
    """Says letters by `laws`, from one seed: with drafts that are really verified, or with forced acceptance."""

    def __init__(self, laws: Laws, seed: str) -> None:
        self.laws = laws
        self.rng = random.Random(seed)
        residual = [max(p - q, 0.0) for p, q in zip(laws.target, laws.draft, strict=True)]
        self._sums = {
            "target": list(accumulate(laws.target)),
            "draft": list(accumulate(laws.draft)),
            "residual": list(accumulate(residual)),
        }

    def say(self, law: str = "target") -> str:
        return LETTERS[self._pick(law)]

    def verified(self, k: int) -> Step:
        """K drafts, each kept with min(1, p/q); the first that is not is replaced by the residual law's letter."""
        kept: list[str] = []
        for _ in range(k):
            letter = self._pick("draft")
            if self.rng.random() * self.laws.draft[letter] >= self.laws.target[letter]:
                return Step(k, len(kept), "".join(kept) + self.say("residual"))
            kept.append(LETTERS[letter])
        return Step(k, k, "".join(kept) + self.say())

    def forced(self, rates: Sequence[float]) -> Step:
        """Pretends: position i is accepted with the unconditional rate i, whatever the laws are."""
        chance = self.rng.random()
        accepted = sum(chance < rate for rate in rates)
        return Step(len(rates), accepted, "".join(self.say("draft") for _ in range(accepted)) + self.say())

    def _pick(self, law: str) -> int:
        return self.rng.choices(range(len(self.laws.target)), cum_weights=self._sums[law])[0]


def forced_rates(length: float, k: int) -> tuple[float, ...]:
    """The rates by which vLLM pretends an acceptance length: whole positions first, then the fraction, then none."""
    return tuple(min(1.0, max(0.0, length - 1 - position)) for position in range(k))
