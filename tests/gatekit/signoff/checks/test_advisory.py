"""Checks 4, 14 and 15: they advise, and never fail."""

from dataclasses import replace
from datetime import timedelta

import pytest

from gatekit.domain.errors import Unknown
from gatekit.signoff.checks import check_04_reuse, check_14_pareto, check_15_description
from gatekit.signoff.checks.check import Outcome
from gatekit.signoff.checks.facts import NOT_READ, Facts
from gatekit.signoff.evidence.description import Claim, ClaimKind, Description, Disclosure
from gatekit.signoff.evidence.results import MeasuredPoint, frontier
from gatekit.use.decision import Decision, No, Rejected
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG, KEY, config, entry, row
from tests.worlds.signoff.signed import EDITED, RUN, change, clean, curve, described, run, used


@pytest.mark.parametrize(
    ("reuse", "outcome", "said"),
    [
        (used(), Outcome.PASS, "run 70 on 1111111 is selected"),
        (
            None,
            Outcome.WARN,
            "nobody with write access has selected a run: without `/use <run>` the sweep runs again after the merge",
        ),
        (
            used(Rejected(No.NOT_COMPLETED, 70, "in_progress")),
            Outcome.WARN,
            "run 70 would be refused at the merge (not-completed: in_progress)",
        ),
        (used(Rejected(No.NONE_ELIGIBLE, None)), Outcome.WARN, "no run would be refused at the merge (none-eligible)"),
        (NOT_READ, Outcome.WARN, "look yourself: it was not read"),
    ],
)
def test_the_reuse_command(reuse: Decision | Unknown | None, outcome: Outcome, said: str) -> None:
    found = check_04_reuse.CHECK.run(replace(clean(), reuse=reuse))
    assert (found.outcome, found.reason) == (outcome, said)


OTHER = "glow agentic b200 vllm fp8"


@pytest.mark.parametrize(
    ("facts", "outcome", "said"),
    [
        (clean(), Outcome.PASS, "every curve has 5 points or more on its front"),
        (
            replace(clean(), points={RUN: (*curve(5), *curve(4, OTHER))}),
            Outcome.WARN,
            f"{OTHER} has 4 points on its front, and 5 are recommended",
        ),
        (
            replace(clean(), points={RUN: (*curve(4), MeasuredPoint("glow agentic h100 vllm fp8", 9.0, 1.0))}),
            Outcome.WARN,
            "glow agentic h100 vllm fp8 has 4 points on its front, and 5 are recommended",
        ),
        (
            replace(clean(), points={RUN: (*curve(5), MeasuredPoint("x", float("nan"), 1.0))}),
            Outcome.WARN,
            "x has a point without a time or a rate",
        ),
        (replace(clean(), points={RUN: ()}), Outcome.WARN, "run 70 has no points"),
        (
            replace(clean(), points={RUN: Unknown("the artifact has expired")}),
            Outcome.WARN,
            "look yourself: the artifact has expired",
        ),
        (replace(clean(), runs=()), Outcome.WARN, "there is no green run whose points could be counted"),
        (replace(clean(), runs=NOT_READ), Outcome.WARN, "look yourself: it was not read"),
        (
            replace(clean(), change=change({CONFIG: config(row("[4]")), CHANGELOG: entry()})),
            Outcome.NOT_APPLICABLE,
            "no curve is affected",
        ),
    ],
)
def test_the_points_on_the_front(facts: Facts, outcome: Outcome, said: str) -> None:
    found = check_14_pareto.CHECK.run(facts)
    assert (found.outcome, found.reason) == (outcome, said)


@pytest.mark.parametrize(
    ("points", "kept"),
    [
        ([(1, 1), (2, 2), (3, 3)], [(1, 1), (2, 2), (3, 3)]),
        ([(3, 3), (1, 1), (2, 2)], [(1, 1), (2, 2), (3, 3)]),
        ([(1, 2), (2, 1)], [(1, 2)]),
        ([(1, 2), (2, 2)], [(1, 2), (2, 2)]),  # as fast, and later: a plateau
        ([(1, 2), (1, 2)], [(1, 2)]),
        ([(1, 1), (1, 2)], [(1, 2)]),
        ([], []),
    ],
)
def test_the_front(points: list[tuple[float, float]], kept: list[tuple[float, float]]) -> None:
    found = frontier([MeasuredPoint("x", seconds, rate) for seconds, rate in points])
    assert [(point.seconds, point.rate) for point in found] == kept


IMAGE = "vllm/vllm-openai:v0.21.0"


@pytest.mark.parametrize(
    ("text", "outcome", "said"),
    [
        (f"Runs {KEY} on {IMAGE}", Outcome.PASS, "every image, key, run and setting that it names is there"),
        (
            "https://github.com/acme/bench/actions/runs/70 with --tensor-parallel-size 8",
            Outcome.PASS,
            "every image, key, run and setting that it names is there",
        ),
        ("Makes everything faster.", Outcome.NOT_APPLICABLE, "it claims nothing that can be looked up"),
        (f"Runs {IMAGE.replace('21', '22')}", Outcome.WARN, "image vllm/vllm-openai:v0.22.0 is not in what is changed"),
        (
            "see glow-fp8-b200-vllm-agentic",
            Outcome.WARN,
            "config key glow-fp8-b200-vllm-agentic is not in what is changed",
        ),
        (
            "https://github.com/acme/bench/actions/runs/7 and --tensor-parallel-size 4",
            Outcome.WARN,
            "run 7 is not in what is changed (and 1 more)",
        ),
        ("with VLLM_SOMETHING=1", Outcome.WARN, "setting VLLM_SOMETHING=1 is not in what is changed"),
    ],
)
def test_what_the_description_claims(text: str, outcome: Outcome, said: str) -> None:
    found = check_15_description.CHECK.run(replace(clean(), description=described(text)))
    assert (found.outcome, found.reason) == (outcome, said)


def test_a_description_that_is_older_than_the_head_is_to_be_looked_over() -> None:
    old = Description("with VLLM_SOMETHING=1", EDITED, EDITED + timedelta(hours=1))
    found = check_15_description.CHECK.run(replace(clean(), description=old))
    assert found.reason.endswith("; it was written before the last push, so ask for it to be looked over")


@pytest.mark.parametrize("fact", ["description", "change", "runs"])
def test_the_description_without_its_facts(fact: str) -> None:
    assert check_15_description.CHECK.run(replace(clean(), **{fact: NOT_READ})).outcome is Outcome.WARN


def test_claims() -> None:
    text = f"a {KEY}\n> {IMAGE}\n<!-- A_B_C=1 -->\n`{IMAGE}`\n- runs A_FLAG=2 and --k-v=3, a/b and x:y\n"
    assert described(text).claims == (
        Claim(ClaimKind.KEY, KEY, 1),
        Claim(ClaimKind.IMAGE, IMAGE, 4),
        Claim(ClaimKind.SETTING, "A_FLAG=2", 5),
        Claim(ClaimKind.SETTING, "--k-v=3", 5),
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("## AI model disclosure\n\nclaude-opus-4-1 wrote the code, gpt-5.2 reviewed it.\n", Disclosure.MODELS),
        ("## AI model disclosure\n- Kimi-K2.5: code\n", Disclosure.MODELS),
        ("**AI model disclosure**: No AI used\n", Disclosure.NONE_USED),
        ("## AI disclosure\nNo AI was used.\n", Disclosure.NONE_USED),
        ("## AI model disclosure\nCursor; the exact model could not be verified.\n", Disclosure.NOT_VERIFIABLE),
        ("## AI model disclosure\nWritten with Claude Code and Cursor.\n", Disclosure.TOOLS_ONLY),
        ("## AI model disclosure\n\n## Next\nclaude-opus-4-1\n", Disclosure.EMPTY),
        ("## AI model disclosure\n<!-- claude-opus-4-1 -->\n", Disclosure.EMPTY),
        ("Made with claude-opus-4-1.\n", Disclosure.MISSING),
        ("> ## AI model disclosure\n> No AI used\n", Disclosure.MISSING),
        ("", Disclosure.MISSING),
    ],
)
def test_the_models_that_a_change_was_made_with(text: str, found: Disclosure) -> None:
    assert described(text).disclosure is found


def test_a_run_that_is_named_twice_is_one_claim() -> None:
    text = "/actions/runs/70 /actions/runs/70"
    assert described(text).claims == (Claim(ClaimKind.RUN, "70", 1),)
    assert run().run.id == 70
