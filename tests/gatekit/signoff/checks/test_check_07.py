"""Check 7: nothing that is deprecated on the day of the review."""

from collections import Counter
from dataclasses import replace
from datetime import date

import pytest

from gatekit.domain.errors import BadInput
from gatekit.signoff.checks.check import Outcome
from gatekit.signoff.checks.check_07_deprecated import CHECK
from gatekit.signoff.checks.facts import NOT_READ
from gatekit.signoff.evidence.models_page import Table, read_models, tables
from tests.shared import shared
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG, KEY, config, entry, row, text
from tests.worlds.signoff.signed import MODELS, change, clean, whole_august

ROW = "| Glow | `glow` | Agentic coding, Single-turn 8k1k | |"
FIXED = "      fixed-seq-len:\n      - {isl: ISL, osl: 1024, search-space: [{tp: 8, conc-list: [8]}]}\n"
SERVED = config(row("[4, 8]"))
FINE = "every model and scenario is active on 2026-10-06"
GONE = f"{KEY}: agentic coding is deprecated for `glow`"


def fixed(isl: int) -> str:
    return SERVED.replace(
        "    agentic-coding:",
        f"{FIXED.replace('ISL', str(isl)).replace('      fixed', '    fixed')}    agentic-coding:",
    )


@pytest.mark.parametrize(
    ("page_row", "served", "outcome", "said"),
    [
        (ROW, SERVED, Outcome.PASS, FINE),
        (ROW, fixed(8192), Outcome.PASS, FINE),
        (ROW, fixed(1024), Outcome.FAIL, "single-turn 1k1k is deprecated for every model (docs/MODELS.md:8)"),
        (ROW, SERVED.replace("prefix: glow", "prefix: dusk2"), Outcome.FAIL, f"{KEY}: `dusk2` is retired"),
        ("| Glow | `glow` | Single-turn 8k1k | Agentic coding |", SERVED, Outcome.FAIL, GONE),
        (
            "| Glow | `glow` | Single-turn 8k1k | Single-turn 1k8k, Agentic coding (removed 2026-01-01, #1) |",
            SERVED,
            Outcome.FAIL,
            GONE,
        ),
        ("| Glow | `glow` | Agentic coding | Agentic coding (last day 2026-10-06) |", SERVED, Outcome.PASS, FINE),
        ("| Glow | `glow` | Agentic coding | Agentic coding (last day 2026-10-05) |", SERVED, Outcome.FAIL, GONE),
        (
            "| Glow | `glow` | Agentic coding | all fp8 recipes |",
            SERVED,
            Outcome.FAIL,
            f"{KEY}: fp8 recipes of `glow` are deprecated",
        ),
        ("| Glow | `glow` | Agentic coding | all bf16 recipes |", SERVED, Outcome.PASS, FINE),
        ("| Glow | `glow` | Agentic coding, limited to fp8/fp4 | |", SERVED, Outcome.PASS, FINE),
        (
            "| Glow | `glow` | Agentic coding, limited to bf16 | |",
            SERVED,
            Outcome.UNDECIDED,
            f"{KEY}: `glow` is limited to bf16, and this is fp8; look yourself",
        ),
        ("| Glow | `glow` | Agentic coding | Agentic coding non-MTP arm |", SERVED, Outcome.PASS, FINE),
        (
            "| Glow | `glow` | Agentic coding | Agentic coding non-DSpark arm |",
            SERVED,
            Outcome.UNDECIDED,
            f"{KEY}: `agentic coding non-dspark arm` is deprecated for `glow`; look whether this is that",
        ),
        (
            "| Glow | `glow` | Single-turn 8k1k | |",
            SERVED,
            Outcome.UNDECIDED,
            "docs/MODELS.md:14 names agentic coding of `glow` neither as active nor as deprecated; read it yourself",
        ),
        (
            ROW,
            SERVED.replace("prefix: glow", "prefix: glow2"),
            Outcome.UNDECIDED,
            "`glow2` is in no row of docs/MODELS.md; read it yourself",
        ),
    ],
)
def test_model_and_scenario(page_row: str, served: str, outcome: Outcome, said: str) -> None:
    page = read_models(text(MODELS).replace(ROW, page_row), "docs/MODELS.md")
    found = CHECK.run(replace(clean(), change=change({CONFIG: served}), models=page))
    assert (found.outcome, found.reason.removesuffix(" (and 1 more)")) == (outcome, said)


NOTICE = """
## Notices

### Soon

**Monday, October 5, 2026** is the last day for what stands here.

| Model | Deprecated | Remains |
|---|---|---|
| Glow (`glow`) | WHAT | Agentic coding |

## After
"""


@pytest.mark.parametrize(
    ("what", "today", "outcome"),
    [
        ("Agentic coding", date(2026, 10, 5), Outcome.PASS),
        ("Agentic coding", date(2026, 10, 6), Outcome.UNDECIDED),
        ("Agentic coding, non-MTP", date(2026, 10, 6), Outcome.PASS),
        ("Agentic coding, non-EAGLE3", date(2026, 10, 6), Outcome.UNDECIDED),
        ("Single-turn 8k1k", date(2026, 10, 6), Outcome.PASS),
    ],
)
def test_a_notice_that_the_table_does_not_follow_is_for_a_person(what: str, today: date, outcome: Outcome) -> None:
    page = read_models(text(MODELS) + NOTICE.replace("WHAT", what), "docs/MODELS.md")
    assert CHECK.run(replace(clean(), models=page, today=today)).outcome is outcome


def test_nothing_changed_is_not_applicable() -> None:
    same = change({CONFIG: config(row("[4]")), CHANGELOG: entry()})
    assert CHECK.run(replace(clean(), change=same)).outcome is Outcome.NOT_APPLICABLE


@pytest.mark.parametrize("fact", ["change", "models"])
def test_without_its_facts_it_says_so(fact: str) -> None:
    assert CHECK.run(replace(clean(), **{fact: NOT_READ})).outcome is Outcome.UNDECIDED


def test_a_page_without_the_table_is_refused() -> None:
    with pytest.raises(BadInput, match=r"^m\.md: has no table with the columns Prefix, Active"):
        read_models("# Models\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "m.md")


def test_tables() -> None:
    page = "text | no\n\n| A | B\\|C |\n|:--|--:|\n| 1 | 2 |\n| 3 |\n\n A | B\n---|---\n x | y\n"
    assert list(tables(page)) == [
        Table(("a", "b\\|c"), ((5, ("1", "2")), (6, ("3", "")))),
        Table(("a", "b"), ((10, ("x", "y")),)),
    ]


def test_the_real_page() -> None:
    page = read_models(shared("data/inferencex/MODELS.md").read_text(), "MODELS.md")
    assert len(page.models) == 13
    assert sorted(page.ended) == ["single-turn 1k1k", "single-turn 1k8k"]
    found = CHECK.run(replace(clean(), change=whole_august(), models=page, today=date(2026, 8, 22)))
    assert found.outcome is Outcome.FAIL
    assert found.reason == "glm5.1-fp8-b200-tilert: `glm5.1` is retired (and 1 more)"
    assert Counter(finding.where for finding in found.evidence)[f"MODELS.md:{page.models['dsv4'].line}"] > 20
