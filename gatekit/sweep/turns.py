"""Who gets the next place on a cluster: pull requests take turns, however many gates each has."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeVar

from gatekit.domain.ids import PrRef

T = TypeVar("T")


def in_turns(waiting: Sequence[tuple[PrRef, T]], turns: Mapping[PrRef, int]) -> tuple[T, ...]:
    """All of `waiting`, in the order in which it should be served: one of each pull request, round after round.

    `turns`: when each pull request was served last, as a number that grows; one that is not in it was never served, and
    comes first. Among equals the order of `waiting` decides, and so it does within a pull request.
    """
    queues: dict[PrRef, list[T]] = defaultdict(list)
    for pr, item in waiting:
        queues[pr].append(item)
    order = sorted(queues, key=lambda pr: turns.get(pr, -1))
    rounds = max(map(len, queues.values()), default=0)
    return tuple(queues[pr][n] for n in range(rounds) for pr in order if n < len(queues[pr]))
