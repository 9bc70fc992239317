"""Whatever stands in a changelog, a config, a recipe or a curve: a plan or a refusal, soon, and with its line."""

import pytest

from gatekit.gates import GatePlan
from tests.worlds.fuzz import Toll, fuzz, slips, unchanged
from tests.worlds.fuzz_bench import ADDED, HEAD, HISTORY, PATHS, Kind, planned
from tests.worlds.irrelevant import FREE
from tests.worlds.mutations import ATTACKS

CASES = 1_000


def test_the_tree_itself_is_planned() -> None:
    made = planned(HEAD).made
    assert isinstance(made, GatePlan)
    assert (made.points, len(made.gates), made.unresolved, made.uncovered) == (12, 5, (), ())


def test_a_spoiled_tree_is_planned_or_refused() -> None:
    toll = fuzz(CASES)
    assert toll.cases >= CASES
    assert CASES * 0.1 < toll.plans < CASES * 0.9  # neither is the rule


def test_a_slip_is_refused_with_its_line() -> None:
    found = slips(CASES)
    assert found.toll.cases >= CASES
    assert sum((found.named + found.missed).values()) > CASES / 2
    assert found.share() >= 0.9, found
    assert min(found.share(kind) for kind in Kind) >= 0.8, found


def test_what_means_nothing_changes_nothing() -> None:
    assert set(unchanged(300)) == {*FREE, "comment", "blank at the end of a line", "another file"}


@pytest.mark.parametrize("kind", list(Kind))
def test_an_attack_is_planned_or_refused(kind: Kind) -> None:
    toll = Toll()
    for path in PATHS[kind]:
        for attack in ATTACKS:
            before = f"{HISTORY}{ADDED}".encode() if kind is Kind.CHANGELOG else b""
            toll.take(planned({**HEAD, path: before + attack}))
            toll.take(planned({**HEAD, path: HEAD[path] + attack}))
    assert toll.cases == 2 * len(ATTACKS) * len(PATHS[kind])
