"""Ten thousand spoiled repositories, and ten thousand slips in one line, other ones each time."""

import random
from collections.abc import Callable

from tests.worlds.bench.fuzz import fuzz, slips, unchanged
from tests.worlds.bench.fuzz_bench import MIB

CASES = 10_000


def test_ten_thousand_trees(record_property: Callable[[str, object], None]) -> None:
    seeded = random.SystemRandom().randrange(2**32)
    toll = fuzz(CASES, seeded)
    record_property(
        "said",
        f"{toll.cases:,} trees with one or two files spoiled (seed {seeded}): {toll.plans:,} planned, "
        f"{toll.cases - toll.plans:,} refused, no other end; at most {toll.seconds:.2f} s and "
        f"{toll.bytes / MIB:.0f} MiB",
    )


def test_ten_thousand_slips(record_property: Callable[[str, object], None]) -> None:
    seeded = random.SystemRandom().randrange(2**32)
    found = slips(CASES, seeded)
    assert found.share() >= 0.9
    same = sum(unchanged(CASES // 10, seeded).values())
    refused = sum((found.named + found.missed).values())
    record_property(
        "said",
        f"{found.toll.cases:,} mistakes in one line (seed {seeded}), of which {refused:,} are refused, "
        f"{found.share():.1%} with that line; {same:,} changes that mean nothing, the plan the same to the byte",
    )
