"""Whatever stands in a changelog, a config, a recipe or a curve: a plan or a refusal, soon, and with its line."""

import pytest

from gatekit.domain.gates import GatePlan
from tests.worlds.bench.fuzz import Toll, fuzz, slips, unchanged
from tests.worlds.bench.fuzz_bench import ADDED, CURVE, HEAD, HISTORY, PATHS, Kind, planned
from tests.worlds.bench.irrelevant import FREE
from tests.worlds.bench.mutations import ATTACKS
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG

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


ENTRY = "\n- config-keys: [glow-fp8-h100-vllm-roles]\n  description: [x]\n  pr-link: x\n"
KEYS = "\n- config-keys: [{}]\n  description: [x]\n  pr-link: x\n"
FIRST_ROW = (
    "      - { tp: 8, kv-offloading: none, spec-decoding: mtp, conc-list: [4, 8, 16], "
    "srt-recipe: recipes/roles.yaml }\n"
)
CONFIGS = "".join(f"k{number}: {{image: x}}\n" for number in range(4_900))


def longer(path: str, more: str) -> dict[str, bytes]:
    return {path: HEAD[path] + more.encode()}


@pytest.mark.parametrize(
    "files",
    [
        longer(CHANGELOG, ENTRY * 8_000),
        longer(CHANGELOG, ENTRY.replace("pr-link", "pr-lnk") * 8_000),
        longer(CHANGELOG, KEYS.format(", ".join(f"glow-fp8-h100-vllm-role{number}" for number in range(25_000)))),
        longer(CHANGELOG, KEYS.format(", ".join(["'*" + "a*" * 40 + "'", "k*"] * 50))) | longer(CONFIG, CONFIGS),
        longer(CONFIG, f"z: {{a: [{'1, ' * 80_000}1]}}\n"),
        {CONFIG: HEAD[CONFIG].replace(FIRST_ROW.encode(), FIRST_ROW.replace("4, 8", "4, 8" + ", 9" * 9_000).encode())},
        {CONFIG: HEAD[CONFIG].replace(FIRST_ROW.encode(), FIRST_ROW.encode() * 1_500)},
        {CURVE: HEAD[CURVE].replace(b"1: 1.80,", b", ".join(b"%d: x" % k for k in range(4, 25_000)) + b",")},
    ],
    ids=["entries", "wrong entries", "names", "patterns", "values", "concurrencies", "rows", "cells"],
)
def test_what_is_very_large_is_soon_planned_or_refused(files: dict[str, bytes]) -> None:
    assert all(HEAD[path] != content for path, content in files.items())
    Toll().take(planned({**HEAD, **files}))
