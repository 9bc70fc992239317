"""Pull requests take turns for the places on a cluster."""

import pytest

from gatekit.domain.ids import PrRef, Repo
from gatekit.sweep.scheduling import in_turns

A, B, C = (PrRef(Repo("acme", "bench"), number) for number in (1, 2, 3))


@pytest.mark.parametrize(
    ("waiting", "turns", "order"),
    [
        ([], {}, ""),
        ([(A, "a"), (A, "b")], {}, "ab"),
        ([(A, "a"), (A, "b"), (B, "x"), (B, "y")], {}, "axby"),
        ([(A, "a"), (A, "b"), (A, "c"), (B, "x")], {}, "axbc"),
        # whoever was served last comes last
        ([(A, "a"), (A, "b"), (B, "x"), (B, "y")], {A: 7, B: 3}, "xayb"),
        ([(A, "a"), (B, "x"), (C, "p")], {A: 7, B: 3, C: 5}, "xpa"),
        # whoever was never served comes first
        ([(A, "a"), (B, "x"), (C, "p")], {A: 1, B: 2}, "pax"),
    ],
)
def test_the_order(waiting: list[tuple[PrRef, str]], turns: dict[PrRef, int], order: str) -> None:
    assert "".join(in_turns(waiting, turns)) == order


def test_one_place_at_a_time_starves_nobody() -> None:
    waiting = [(pr, f"{pr.number}-{n}") for pr in (A, B, C) for n in range(20)]
    turns: dict[PrRef, int] = {}
    served = []
    for turn in range(9):
        first = in_turns(waiting, turns)[0]
        (pr,) = [pr for pr, item in waiting if item == first]
        waiting.remove((pr, first))
        turns[pr] = turn
        served.append(pr)
    assert served == [A, B, C] * 3


def test_many_gates_of_one_do_not_keep_the_single_one_of_another_waiting() -> None:
    """238 gates have four places already; the fifth goes to the other pull request."""
    waiting = [(A, n) for n in range(4, 238)] + [(B, 1000)]
    assert in_turns(waiting, {A: 4})[0] == 1000
    assert 1000 in in_turns(waiting, {})[:2]
