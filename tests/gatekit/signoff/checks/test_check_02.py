"""Check 2: the numbers of the evals are there, above the bar, for the image of the change."""

from dataclasses import replace

import pytest

from gatekit.domain.errors import BadInput, Unknown
from gatekit.signoff.checks.check import Outcome
from gatekit.signoff.checks.check_02_evals import CHECK
from gatekit.signoff.checks.facts import NOT_READ, Facts
from gatekit.signoff.evidence.results import EvalResult, read_thresholds
from gatekit.signoff.evidence.workflow_jobs import Lane
from tests.shared import shared
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG, KEY, config, entry, row
from tests.worlds.signoff.signed import RUN, change, clean, run

IMAGE = "vllm/vllm-openai:v0.21.0"
FIXED = """\
    fixed-seq-len:
    - {isl: 8192, osl: 1024, search-space: [{tp: 8, conc-list: [CONC]}]}
"""
GREEN = (Lane("single-node 8k1k / x", "success"), Lane("eval / x", "success"))
RESULT = EvalResult("glow", "fp8", "vllm", "h100", "gsm8k", 0.92, IMAGE, 2, 2)
TITLE = "glow fp8 h100 vllm, gsm8k"


def evaluated(*results: EvalResult, concurrency: int = 16) -> Facts:
    served = change({CONFIG: config(row("[4, 8]")) + FIXED.replace("CONC", str(concurrency))})
    return replace(clean(), change=served, runs=(run(lanes=GREEN),), evals={RUN: results})


@pytest.mark.parametrize(
    ("results", "outcome", "said"),
    [
        ([RESULT], Outcome.PASS, "every score of run 70 is above its bar"),
        ([replace(RESULT, score=0.91)], Outcome.PASS, "every score of run 70 is above its bar"),
        ([replace(RESULT, score=0.9099)], Outcome.FAIL, f"{TITLE}: 0.9099 is below 0.9100 (models.glow.gsm8k)"),
        ([], Outcome.FAIL, f"no result for {KEY}"),
        ([replace(RESULT, sku="b200")], Outcome.FAIL, f"no result for {KEY}"),
        ([replace(RESULT, score=None)], Outcome.FAIL, f"{TITLE}: 2 of 2 concurrencies have a score"),
        ([replace(RESULT, completed=1)], Outcome.FAIL, f"{TITLE}: 1 of 2 concurrencies have a score"),
        (
            [replace(RESULT, image="vllm/vllm-openai:v0.20.0")],
            Outcome.FAIL,
            f"{TITLE}: it ran vllm/vllm-openai:v0.20.0, and {KEY} has another",
        ),
        ([replace(RESULT, image=None)], Outcome.UNDECIDED, f"{TITLE}: look which image it ran, nothing says so"),
        (
            [RESULT, replace(RESULT, task="vendor")],
            Outcome.UNDECIDED,
            "glow fp8 h100 vllm, vendor: 0.9200, and thresholds.yaml has no bar for it; look whether it is good enough",
        ),
        ([RESULT, replace(RESULT, score=0.1)], Outcome.FAIL, f"{TITLE}: 0.1000 is below 0.9100 (models.glow.gsm8k)"),
    ],
)
def test_the_scores(results: list[EvalResult], outcome: Outcome, said: str) -> None:
    found = CHECK.run(evaluated(*results))
    assert (found.outcome, found.reason) == (outcome, said)


def test_a_bar_of_nothing_is_no_pass() -> None:
    nothing = read_thresholds("t.yaml", b"default: {gsm8k: 0.0}\n")
    assert CHECK.run(replace(evaluated(RESULT), thresholds=nothing)).outcome is Outcome.UNDECIDED


def test_a_run_that_is_not_green_has_no_evals() -> None:
    found = CHECK.run(replace(evaluated(RESULT), runs=()))
    assert (found.outcome, found.reason) == (Outcome.FAIL, "there is no run whose evals are green")


@pytest.mark.parametrize(
    ("facts", "outcome"),
    [
        (clean(), Outcome.NOT_APPLICABLE),  # agentic rows have no evals of their own
        (evaluated(concurrency=15), Outcome.NOT_APPLICABLE),
        (
            replace(
                evaluated(),
                change=change(
                    {
                        CONFIG: config(row("[4, 8]")) + FIXED.replace("CONC", "16"),
                        CHANGELOG: f"{entry()}{entry()}  no-evals: true\n",
                    }
                ),
            ),
            Outcome.NOT_APPLICABLE,
        ),
        (
            replace(clean(), change=change({CHANGELOG: f"{entry()}{entry()}  all-evals: true\n"})),
            Outcome.FAIL,  # they are asked for, and not there
        ),
    ],
)
def test_when_there_are_evals_at_all(facts: Facts, outcome: Outcome) -> None:
    assert CHECK.run(facts).outcome is outcome


@pytest.mark.parametrize(
    "changes",
    [
        {"change": NOT_READ},
        {"runs": NOT_READ},
        {"commits": NOT_READ},
        {"thresholds": NOT_READ},
        {"evals": {}},
        {"evals": {RUN: Unknown("the artifact has expired")}},
    ],
)
def test_without_its_facts_it_says_so(changes: dict[str, object]) -> None:
    assert CHECK.run(replace(evaluated(RESULT), **changes)).outcome is Outcome.UNDECIDED


@pytest.mark.parametrize(
    ("prefix", "task", "bar"),
    [
        ("dsv4", "gsm8k", (0.91, "models.dsv4.gsm8k")),
        ("kimik3", "gsm8k", (0.9, "default.gsm8k")),
        ("dsv4", "swebench_lite", (0.5, "default.swebench_lite")),
        ("dsv4", "vendor", None),
    ],
)
def test_the_real_bars(prefix: str, task: str, bar: tuple[float, str] | None) -> None:
    path = shared("data/inferencex/utils/evals/thresholds.yaml")
    assert read_thresholds(path.name, path.read_bytes()).bar(prefix, task) == bar


def test_bars_in_json_and_bars_that_are_none() -> None:
    read = read_thresholds("t.yaml", b'{"default": {"gsm8k": 0.9}, "models": {"a": {"gsm8k": 1}}}')
    assert read.bar("a", "gsm8k") == (1.0, "models.a.gsm8k")
    with pytest.raises(BadInput, match=r"^t\.yaml:1: needs a number from 0 to 1 for `gsm8k`"):
        read_thresholds("t.yaml", b"default: {gsm8k: 90}\n")
