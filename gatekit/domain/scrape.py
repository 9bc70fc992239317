"""The counters of a scrape. What it does not hold is absent, which is not zero.

Apart from the reading: who knows how an engine counts needs no parser.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

Labels: TypeAlias = tuple[tuple[str, str], ...]  # sorted: the identity of a series within its family and worker
Values: TypeAlias = Mapping[Labels, float]


@dataclass(frozen=True, slots=True)
class Scrape:
    """One scrape of one worker, by family (without `_total`) and series."""

    counters: Mapping[str, Values]
    starts: Mapping[str, Values]  # when a family's series were created, and when the process was: seconds since 1970
    names: frozenset[str]  # of all families, whatever they are

    def counter(self, family: str) -> Values | None:
        """The family's series; none in it: it has not counted yet. None: no such counter, and a gauge is none."""
        return self.counters.get(family.removesuffix("_total"))


def whole(value: float) -> int | None:
    """A count as an integer; None where it is no whole, non-negative number."""
    return int(value) if math.isfinite(value) and value >= 0 and value == int(value) else None
