"""What the labels of a pull request ask for."""

import pytest

from gatekit.bench.repo.settings import LabelSettings, PrimaryLabel
from gatekit.sweep.labels import (
    Decision,
    NoPrimary,
    Primary,
    TwoPrimaries,
    blocks_reuse,
    decide,
    is_primary,
    nothing_to_gate,
)

USUAL = LabelSettings()
OWN = LabelSettings(primary=(PrimaryLabel("sweep"),), block_reuse=frozenset({"hold"}), nothing_to_gate=frozenset())


@pytest.mark.parametrize(
    ("labels", "settings", "decision"),
    [
        (set(), USUAL, NoPrimary()),
        ({"bug", "sweep-enabled", "full-sweep-fail-fast-no-canary"}, USUAL, NoPrimary()),
        ({"Full-Sweep-Enabled"}, USUAL, NoPrimary()),
        ({"full-sweep-fail-fast"}, USUAL, Primary(PrimaryLabel("full-sweep-fail-fast", canary=True, fail_fast=True))),
        ({"full-sweep-enabled", "bug"}, USUAL, Primary(PrimaryLabel("full-sweep-enabled", canary=True))),
        ({"non-canary-full-sweep-enabled"}, USUAL, Primary(PrimaryLabel("non-canary-full-sweep-enabled"))),
        (
            {"non-canary-full-sweep-enabled", "full-sweep-fail-fast"},
            USUAL,
            TwoPrimaries(("full-sweep-fail-fast", "non-canary-full-sweep-enabled")),
        ),
        ({"sweep"}, OWN, Primary(PrimaryLabel("sweep"))),
        ({"full-sweep-enabled"}, OWN, NoPrimary()),
    ],
)
def test_exactly_one_primary_label_asks_for_a_sweep(
    labels: set[str], settings: LabelSettings, decision: Decision
) -> None:
    assert decide(frozenset(labels), settings) == decision


@pytest.mark.parametrize(("label", "primary"), [("full-sweep-enabled", True), ("evals-only", False), ("bug", False)])
def test_other_labels_do_not_touch_a_sweep(label: str, primary: bool) -> None:
    assert is_primary(label, USUAL) is primary


@pytest.mark.parametrize(
    ("labels", "settings", "nothing", "blocking"),
    [
        (set(), USUAL, (), ()),
        ({"bug", "all-evals"}, USUAL, (), ()),
        ({"evals-only"}, USUAL, ("evals-only",), ("evals-only",)),
        ({"agentx-fast"}, USUAL, (), ("agentx-fast",)),
        ({"evals-only", "agentx-fast"}, USUAL, ("evals-only",), ("agentx-fast", "evals-only")),
        ({"evals-only", "hold"}, OWN, (), ("hold",)),
    ],
)
def test_labels_that_leave_nothing_to_gate_or_forbid_reuse(
    labels: set[str], settings: LabelSettings, nothing: tuple[str, ...], blocking: tuple[str, ...]
) -> None:
    assert nothing_to_gate(labels, settings) == nothing
    assert blocks_reuse(labels, settings) == blocking
