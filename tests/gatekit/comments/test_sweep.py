"""The `gates` comment, read back whole, and what holds for every one of them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from gatekit.comments.limits import length
from gatekit.comments.sweep import LIMIT, render_gates
from gatekit.domain.sweep import GateRow, GateState, Sweep
from gatekit.domain.verdict import CurveOutcome, NotMeasured, Unmeasured
from tests.worlds.bench.plans import gate
from tests.worlds.bot import stories

EXPECTED = Path(__file__).parent / "expected"
PAGES = "https://gates.example/"


@pytest.mark.parametrize(
    ("name", "sweep", "earlier", "public_url"),
    [
        ("planned", stories.planned(), (), PAGES),
        ("halfway", stories.halfway(), (stories.superseded(),), PAGES),
        ("failed", stories.failed(), (), None),
        ("all_well", stories.all_well(), (stories.cancelled(), stories.superseded()), PAGES),
        ("superseded", stories.superseded(), (), PAGES),
        ("cancelled", stories.cancelled(), (), PAGES),
        ("nothing_to_gate", stories.empty(), (), PAGES),
        ("no_gate", stories.leftovers_only(), (), PAGES),
    ],
)
def test_the_comment_reads_as_written_down(
    name: str, sweep: Sweep, earlier: Sequence[Sweep], public_url: str | None
) -> None:
    assert f"{render_gates(sweep, earlier, public_url)}\n" == (EXPECTED / f"{name}.md").read_text(encoding="utf-8")


def test_a_setting_that_a_recipe_has_twice_is_a_warning_of_its_own() -> None:
    said = "recipes/a.yaml:5: has `args.parallel` twice, and the last one counts; keep one of them"
    whole = stories.sweep(GateRow(gate("g"), GateState.WAITING, 0))
    body = render_gates(replace(whole, plan=replace(whole.plan, repeats=(said,))), (), None)
    shown = "`recipes/a.yaml:5`: has `args.parallel` twice, and the last one counts; keep one of them"
    assert f"<summary>1 warning</summary>\n\n- {shown}\n" in body


def large(count: int) -> Sweep:
    """A sweep in which every gate failed, with a long reason and a long log."""
    verdict = NotMeasured(Unmeasured.ENGINE_FAILED, "The engine did not start: " + "words and more words " * 12)
    rows = (
        GateRow(
            gate(f"one-{n}", title=f"a deployment of number {n}"), GateState.JUDGED, 1, verdict, ("log " * 60,) * 20
        )
        for n in range(count)
    )
    return stories.with_leftovers(stories.sweep(*rows))


def test_a_comment_that_grows_too_long_loses_its_logs_first() -> None:
    small, big = (render_gates(large(count), (), PAGES) for count in (5, 60))
    assert "Last log lines" in small
    assert "Last log lines" not in big
    assert all(f"number {n}`" in big for n in range(60))
    assert (
        "Shortened to fit a comment; everything stands on [the sweep's page](https://gates.example/sweeps/12)." in big
    )


@pytest.mark.parametrize("count", [100, 238, 1000])
def test_a_comment_is_cut_at_a_line_and_never_refused(count: int) -> None:
    body = render_gates(large(count), tuple(stories.superseded() for _ in range(500)), None)
    assert length(body) <= LIMIT
    assert body.startswith(f"**Acceptance length: 0 of {count} on curve, {count} not measured**")
    assert body.endswith("Shortened to fit a comment; everything stands on the sweep's page.")
    for line in body.split("\n"):
        assert not line.startswith("|") or line.endswith("|")


def test_signs_that_count_twice_are_counted_twice() -> None:
    verdict = NotMeasured(Unmeasured.REPLAY_FAILED, "\N{ROCKET}" * 600)
    rows = tuple(GateRow(gate(f"g{n}"), GateState.JUDGED, 1, verdict) for n in range(80))
    body = render_gates(stories.sweep(*rows), (), None)
    assert len(body.encode("utf-16-le")) // 2 <= LIMIT


@pytest.mark.parametrize("width", [60_000, 65_400, 65_500, 66_000, 70_000, 90_000])
def test_what_is_opened_is_closed(width: int) -> None:
    """Wherever the cut falls: a fold or a log left open would swallow the rest of the comment."""
    tail = tuple("x" * 290 for _ in range(width // 292))
    rows = (GateRow(gate("g"), GateState.JUDGED, 1, stories.FAILED, tail),)
    body = render_gates(stories.with_leftovers(stories.sweep(*rows)), (), None)
    assert length(body) <= LIMIT
    assert body.count("<details>") == body.count("</details>")
    assert body.count("```") % 2 == 0


@pytest.mark.parametrize(
    ("outcome", "al", "says"),
    [
        (CurveOutcome.ON_CURVE, 2.5, "lies within the 2.375 to 2.625 that golden AL 2.50 allows."),
        (CurveOutcome.BELOW, 2.0, "lies below the 2.375 to 2.625 that golden AL 2.50 allows."),
        (CurveOutcome.ABOVE, 3.0, "lies above the 2.375 to 2.625 that golden AL 2.50 allows."),
        (
            CurveOutcome.INCONCLUSIVE,
            2.62,
            "reaches across 2.625, an edge of the 2.375 to 2.625 that golden AL 2.50 allows.",
        ),
    ],
)
def test_the_table_uses_the_words_of_the_verdict(outcome: CurveOutcome, al: float, says: str) -> None:
    row = GateRow(gate("g"), GateState.JUDGED, 1, stories.judged(outcome, al, 2.5))
    (line,) = (line for line in render_gates(stories.sweep(row), (), None).split("\n") if line.startswith("| `tiny g`"))
    cell = line.split(" | ")[-1].replace("*", "")
    assert cell.startswith(f"{outcome.value}: Realized AL {al:.3f} (95 % interval ")
    assert says in cell


def test_what_several_roles_or_gates_ran_without_is_said_once() -> None:
    (knob,) = stories.NEAR.stripped
    both = (knob, replace(knob, path="roles.decode.args.spec-synth-len"))
    rows = [GateRow(gate(name, title=f"tiny {name}", stripped=both), GateState.WAITING, 0) for name in ("a", "b")]
    body = render_gates(stories.sweep(*rows), (), None)
    assert "\n<summary>Forced acceptance was removed from 2 gates</summary>\n" in body
    assert "\n- `tiny a`, `tiny b`: forced acceptance was removed: `spec-synth-len` `2.6`\n" in body
    assert body.count("spec-synth-len") == 1


HOSTILE = "@octocat | #12 `x` <!-- gatekit:gates --> </details> http://evil.example \u202e [a](b)\n## h"


def test_nothing_from_a_pull_request_leaves_its_cell() -> None:
    spoiled = gate(
        "g",
        title=HOSTILE,
        config_key=HOSTILE,
        stripped=(replace(stories.NEAR.stripped[0], knob=HOSTILE, value=HOSTILE),),
        drafting=replace(stories.NEAR.drafting, method=HOSTILE, draft_model=HOSTILE, draft_sample_method=HOSTILE),
    )
    verdict = NotMeasured(Unmeasured.POLICY, HOSTILE)
    sweep = stories.sweep(GateRow(spoiled, GateState.JUDGED, 1, verdict, (HOSTILE,)), ended_because=HOSTILE)
    point = replace(stories.UNRESOLVED[0], config_key=HOSTILE, detail=HOSTILE)
    warning = replace(stories.WARNINGS[0], config_key=HOSTILE, detail=HOSTILE)
    plan = replace(sweep.plan, unresolved=(point,), uncovered=(HOSTILE,), warnings=(warning,))
    body = render_gates(replace(sweep, plan=plan), (), None)
    assert "<!--" not in body
    assert "\u202e" not in body
    assert body.count("</details>") == body.count("<details>") == 4
    (row,) = (line for line in body.split("\n") if line.startswith("| `@octocat"))
    assert row.count("|") == 8
    assert "\n##" not in body
