"""Points without a gate in the comment: however many, a person reads in seconds how many, why, and of which."""

from dataclasses import replace

import pytest

from bot.files import own_curves
from gatekit.bench.repo.settings_file import parse_settings
from gatekit.comments.sweep import render_gates
from gatekit.comments.sweep_folds import unresolved
from gatekit.domain.gates import Reason, Unresolved
from gatekit.plan.plan import PlanSources, plan_keys
from tests.shared import shared_snapshot
from tests.worlds.bot import stories

PAGE = "https://gates.example/sweeps/12"


def said(*points: Unresolved, page: str | None = PAGE) -> list[str]:
    plan = replace(stories.empty().plan, points=len(points), unresolved=points)
    text = unresolved(replace(stories.empty(), plan=plan), page)
    assert text is not None
    return text.split("\n")


def point(key: str, concurrency: int, detail: str = "why", reason: Reason = Reason.NO_CURVE) -> Unresolved:
    return Unresolved(key, "vllm", concurrency, reason, detail)


@pytest.mark.parametrize(
    ("points", "lines"),
    [
        ([point("a", 4)], ["- `a` at concurrency 4: why"]),
        ([point("a", 4), point("a", 8), point("a", 4)], ["- `a` at concurrency 4, 8: why"]),
        ([point("a", n) for n in range(1, 10)], ["- `a` at concurrency 1, 2, 3, 4, 5, 6 and 3 more: why"]),
        ([point("a", 4), point("b", 8)], ["- why: `a` at concurrency 4; `b` at concurrency 8"]),
        ([point("a", 4), point("a", 8, "else")], ["- `a` at concurrency 4: why", "- `a` at concurrency 8: else"]),
        (
            [point(f"k{n}", c) for n in range(5) for c in (1, 2)],
            [
                "- why: `k0` at concurrency 1, 2; `k1` at concurrency 1, 2; `k2` at concurrency 1, 2, and 2 more "
                "configs with 4 points"
            ],
        ),
        (
            [point("a", 1, f"cause {n}") for n in range(8)] + [point("b", 1, "cause 7")],
            [*(f"- `a` at concurrency 1: cause {n}" for n in range(6)), "- 3 more points, for 2 other causes"],
        ),
    ],
)
def test_what_is_said_of_one_reason(points: list[Unresolved], lines: list[str]) -> None:
    found = said(*points)
    start = found.index("`no-curve`") + 2
    assert found[start : start + len(lines)] == lines


def test_what_is_left_out_stands_on_the_page_of_the_sweep() -> None:
    many = [point(f"k{n}", 1) for n in range(4)]
    assert f"The rest stands on [the page of the sweep]({PAGE})." in said(*many)
    assert "The rest stands on the page of the sweep." in said(*many, page=None)
    assert not any(line.startswith("The rest") for line in said(*many[:3]))


def test_reasons_are_counted_in_the_line_that_is_always_seen() -> None:
    found = said(point("a", 1), point("b", 1, reason=Reason.POLICY), point("c", 2, reason=Reason.POLICY))
    assert found[:2] == ["<details>", "<summary>3 points have no gate: 2 policy, 1 no-curve</summary>"]
    assert found[-1] == "</details>"


def test_hundreds_of_points_take_a_few_lines() -> None:
    scripts = [point(f"a-config-with-a-long-name-{n % 40}", n, reason=Reason.RECIPE_UNREADABLE) for n in range(479)]
    exempt = [point(f"trt-{n % 4}", n, "exempt", Reason.EXEMPT_FRAMEWORK) for n in range(19)]
    found = said(*scripts, *exempt)
    assert found[1] == "<summary>498 points have no gate: 479 recipe-unreadable, 19 exempt-framework</summary>"
    assert sum(map(len, found)) < 900
    assert len([line for line in found if line.startswith("- ")]) == 2


def test_the_comment_of_a_tree_with_hundreds_of_points_without_a_gate_is_short() -> None:
    tree = shared_snapshot("data/inferencex")
    made = plan_keys(PlanSources(tree, tree, None, parse_settings(None), own_curves()), None, None, "node")
    left = replace(made, points=len(made.unresolved), gates=())
    assert len(left.unresolved) >= 498
    body = render_gates(replace(stories.empty(), plan=left), (), PAGE.removesuffix("/sweeps/12"))
    assert len(body) < 4_000
    folded = body[: body.rindex("</details>")].split("<details>")[-1].strip().split("\n")
    assert folded[0].startswith(f"<summary>{len(left.unresolved)} points have no gate: 479 recipe-unreadable, ")
    lines = [line for line in folded if line.startswith("- ")]
    assert len(lines) <= 6 * 3
    assert max(map(len, lines)) < 700
    assert sum("shell script" in line for line in lines) == 1
    assert f"The rest stands on [the page of the sweep]({PAGE})." in body
