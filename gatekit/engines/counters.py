"""How engines count speculative decoding, and what the judge wants to know of it.

An engine's `Counters` turn what its counters gained between two scrapes of one worker into `Counts`. Gains add up, so
the same reading holds for a whole replay and for the time between two samples of it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Protocol, TypeAlias

from gatekit.domain.scrape import Labels
from gatekit.domain.verdict import NotMeasured, Unmeasured

Gained: TypeAlias = Mapping[Labels, int]  # by series


class Unread(Exception):
    """Carries a NotMeasured out of the loops over workers, families and series."""

    def __init__(self, why: Unmeasured, reason: str) -> None:
        super().__init__(reason)
        self.verdict = NotMeasured(why, reason)


@dataclass(frozen=True, slots=True)
class Counts:
    """What happened between two scrapes. None: the engine does not count it."""

    drafts: int  # verification steps
    accepted: int  # draft tokens that the target took
    draft_tokens: int | None
    per_position: tuple[int, ...] | None  # accepted, by position from 0
    generated: int | None  # all tokens that were given out

    @property
    def al(self) -> float:
        """Realized acceptance length. Only where drafts happened."""
        return 1 + self.accepted / self.drafts


@dataclass(frozen=True, slots=True)
class Gains:
    """What the counters of one worker gained between two scrapes."""

    worker: str
    families: Mapping[str, Gained]
    gone: Mapping[str, str]  # families that only one of the scrapes has → "before" or "after", where it is missing

    def needed(self, family: str, advice: str = "turn speculation on, and scrape the engine itself") -> int:
        """The gain over all series. Raises Unread where a scrape has no such counter."""
        if family in self.families:
            return sum(self.families[family].values())
        problem = f"{self.worker} has no counter {family} in the scrape {self.gone.get(family, 'before')} the replay"
        raise Unread(Unmeasured.COUNTERS_MISSING, f"{problem}: {advice}.")

    def optional(self, family: str | None) -> int | None:
        """The gain over all series; None where the first scrape has no such counter."""
        if family is None or (family not in self.families and self.gone.get(family) != "after"):
            return None
        return self.needed(family)

    def by(self, family: str | None, label: str) -> dict[int, int] | None:
        """The gains by the whole number that a label holds; None where there is no such counter."""
        if family is None or family not in self.families:
            return None
        totals: dict[int, int] = {}
        for labels, gain in self.families[family].items():
            number = dict(labels).get(label, "")
            if not number.isdecimal() or len(number) > 4:
                raise Unread(Unmeasured.COUNTERS_MISSING, f"{self.worker} has a series of {family} without a {label}.")
            totals[int(number)] = totals.get(int(number), 0) + gain
        return totals


class Counters(Protocol):
    """Where and how one engine counts. Families are named without `_total`."""

    @property
    def prefix(self) -> str:
        """The beginning of the names of all its series."""

    @property
    def families(self) -> tuple[str, ...]:
        """All that are read; none of them may ever go back."""

    @property
    def growing(self) -> frozenset[str]:
        """Families whose series are made when they first count, so that a new one started from zero."""

    @property
    def at_request_end(self) -> bool:
        """Do they move when a request ends, and not with every step?"""

    def read(self, gains: Gains, k: int | None) -> Counts:
        """Raises Unread where the gains cannot be counted. `k`: tokens per draft, None: not known."""


@dataclass(frozen=True, slots=True)
class SeriesNames:
    """An engine with counters of drafts and accepted tokens, as vLLM names them. None: it does not count that."""

    drafts: str  # verification steps
    accepted: str  # draft tokens that the target accepted
    draft_tokens: str | None
    per_position: str | None  # accepted, by the label `position` from 0
    generated: str | None  # all tokens that the engine gave out
    at_request_end: bool = field(default=False, kw_only=True)

    @property
    def prefix(self) -> str:
        return f"{self.drafts.partition(':')[0]}:"

    @property
    def families(self) -> tuple[str, ...]:
        optional = (self.draft_tokens, self.per_position, self.generated)
        return (self.drafts, self.accepted, *(name for name in optional if name is not None))

    @property
    def growing(self) -> frozenset[str]:
        # a position's series is made when it is first accepted
        return frozenset() if self.per_position is None else frozenset({self.per_position})

    def read(self, gains: Gains, k: int | None) -> Counts:
        positions = gains.by(self.per_position, "position")
        return Counts(
            drafts=gains.needed(self.drafts),
            accepted=gains.needed(self.accepted),
            draft_tokens=gains.optional(self.draft_tokens),
            per_position=None if positions is None else by_position(positions),
            generated=gains.optional(self.generated),
        )


def by_position(counts: Mapping[int, int]) -> tuple[int, ...]:
    """Counts by position, from 0 to the deepest."""
    return tuple(counts.get(position, 0) for position in range(max(counts, default=-1) + 1))


def added(parts: Iterable[Counts]) -> Counts:
    """Over several workers. What one of them does not count is not known; acceptance by position, if none does."""
    known = tuple(parts)
    positions = [part.per_position for part in known if part.per_position is not None]
    return Counts(
        drafts=sum(part.drafts for part in known),
        accepted=sum(part.accepted for part in known),
        draft_tokens=_sum([part.draft_tokens for part in known]),
        # where one worker has none, the sum over positions tells whether something is missing
        per_position=tuple(map(sum, zip_longest(*positions, fillvalue=0))) if positions else None,
        generated=_sum([part.generated for part in known]),
    )


def _sum(parts: list[int | None]) -> int | None:
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None
