"""Check 12: append-only entries add points and touch none that stands there."""

from dataclasses import replace

import pytest

from gatekit.signoff.checks.check import Outcome
from gatekit.signoff.checks.check_12_append_only import CHECK
from gatekit.signoff.checks.facts import NOT_READ
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG, KEY, config, entry, row, text
from tests.worlds.signoff.signed import GLOW, RECIPE, change, clean

OLD = entry()
APPENDED = f"{OLD}{entry()}  append-only: true\n"


@pytest.mark.parametrize(
    ("files", "outcome", "said"),
    [
        ({}, Outcome.NOT_APPLICABLE, "no new changelog entry is append-only"),
        (
            {CHANGELOG: APPENDED},
            Outcome.PASS,
            "1 AgentX points are added, and every earlier one is what it was",
        ),
        ({CHANGELOG: APPENDED, CONFIG: config(row("[8]"))}, Outcome.FAIL, "changes what stood there before"),
        (
            {CHANGELOG: APPENDED, CONFIG: config(row("[4, 8]")).replace("v0.21.0", "v0.22.0")},
            Outcome.FAIL,
            f"changes `image` of `{KEY}`",
        ),
        ({CHANGELOG: APPENDED, CONFIG: config(row("[4]"))}, Outcome.FAIL, "adds no point"),
        (
            {CHANGELOG: APPENDED, RECIPE: text(GLOW.replace("gpus: 8", "gpus: 4"))},
            Outcome.FAIL,
            "serves what stood there before in another way",
        ),
        ({CHANGELOG: f"{APPENDED}{entry()}"}, Outcome.FAIL, "lacks `append-only: true`"),
        (
            {CHANGELOG: f"{APPENDED.replace('More', 'Less', 1)}"},
            Outcome.FAIL,
            "an append-only entry is added, and perf-changelog.yaml:2: changes what stood there before",
        ),
        (
            {CHANGELOG: OLD.replace("More", "Less")},
            Outcome.UNDECIDED,
            "perf-changelog.yaml:2: changes what stood there before",
        ),
        (
            {CHANGELOG: APPENDED, "runners/launch.sh": "x\n"},
            Outcome.UNDECIDED,
            "look whether runners/launch.sh can reach an earlier point",
        ),
        ({CHANGELOG: APPENDED, "runners/test_launch.py": "x\n", "docs/a.md": "x"}, Outcome.PASS, "1 AgentX points"),
    ],
)
def test_what_an_append_only_change_may(files: dict[str, str | None], outcome: Outcome, said: str) -> None:
    found = CHECK.run(replace(clean(), change=change(files)))
    assert found.outcome is outcome
    assert said in found.reason


def test_without_the_change_it_says_so() -> None:
    assert CHECK.run(replace(clean(), change=NOT_READ)).outcome is Outcome.UNDECIDED
