"""`append-only`: only the added points are gated, and whatever else differs is a refusal that names it."""

import time

import pytest

from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.errors import BadInput, Refusal
from gatekit.domain.gates import GatePlan
from gatekit.plan.plan import plan
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG, KEY, RECIPES, bench, config, recipe, row, sources

SCENARIOS = "  scenario-type: [agentic-coding]\n"
FIXED = "    fixed-seq-len:\n    - {isl: 1024, osl: 1024, search-space: [{tp: 8, conc-list: [4]}]}\n"
BUNDLE = """
base: {engine: vllm, roles: {agg: {gpus: 8, args: {speculative-config: {method: mtp, num_speculative_tokens: 3}}}}}
override_a: {roles: {agg: {args: {max-num-seqs: 4}}}}
"""


def entry(key: str = KEY, flags: str = "  append-only: true\n") -> str:
    return f"- config-keys: [{key}]\n  description: [More]\n  pr-link: x\n{flags}"


def planned(base: Snapshot, head: Snapshot) -> GatePlan:
    return plan(sources(head, base), None, "node")


def refusal(base: Snapshot, head: Snapshot) -> str:
    with pytest.raises(Refusal) as refused:
        planned(base, head)
    return str(refused.value)


BASE = bench(config(row("[4, 8]")))


@pytest.mark.parametrize(
    ("rows", "concurrencies"),
    [
        ((row("[4, 8, 16]"),), (16,)),
        ((row("[2, 4, 8, 64]"),), (2, 64)),
        ((row("[4, 8]"), row("[4, 16]")), (16,)),
        ((row("[16]"), row("[4, 8]")), (16,)),
        ((row("[4]"), row("[8, 32]")), (32,)),
    ],
)
def test_only_the_added_points_are_gated(rows: tuple[str, ...], concurrencies: tuple[int, ...]) -> None:
    made = planned(BASE, bench(config(*rows), changelog=entry()))
    (gate,) = made.gates
    assert gate.concurrencies == concurrencies
    assert (made.points, made.uncovered) == (len(concurrencies), ())


def test_without_the_flag_every_point_is_gated() -> None:
    made = planned(BASE, bench(config(row("[4, 8, 16]")), changelog=entry(flags="")))
    assert made.gates[0].concurrencies == (4, 8, 16)


def test_an_added_row_may_serve_in_another_way_and_from_another_recipe() -> None:
    other = row("[4]", "recipes/b.yaml").replace("tp: 8", "tp: 4")
    recipes = {"glow.yaml": recipe(), "b.yaml": recipe().replace("size: 8", "size: 4")}
    made = planned(BASE, bench(config(row("[4, 8]"), other), recipes, changelog=entry()))
    assert [(gate.recipe, gate.concurrencies) for gate in made.gates] == [(f"{RECIPES}/b.yaml", (4,))]


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (
            config(row("[4, 16]")),
            f"{CONFIG}:12: changes what stood there before: `{KEY}` at concurrency 8; restore it, or take "
            "`append-only` out of its changelog entry",
        ),
        (
            config(row("[4, 8, 16]").replace("tp: 8", "tp: 4")),
            f"{CONFIG}:12: changes what stood there before: `{KEY}` at concurrency 4, 8; restore it",
        ),
        (
            config(row("[1]"), row("[4, 8, 16]", "recipes/b.yaml")),
            f"{CONFIG}:12: changes what stood there before: `{KEY}` at concurrency 4, 8; restore it",
        ),
        (
            config(row("[4, 8, 16]")).replace("v0.21.0", "v0.22.0"),
            f"{CONFIG}:2: changes `image` of `{KEY}`, which has points from before; restore it",
        ),
        (
            config(row("[4, 8, 16]")).replace("  precision: fp8\n", "  precision: fp8\n  disagg: false\n"),
            f"{CONFIG}:6: changes `disagg` of `{KEY}`",
        ),
        (
            config(row("[4, 8]"), row("[16]", spec="none")),
            f"{CONFIG}:1: adds `{KEY}` at concurrency 16 to no curve that stands there",
        ),
        (
            config(row("[4, 8, 16]")) + config(key="other"),
            f"{CONFIG}:13: changes `other`, which no append-only entry names; move it to another pull request",
        ),
    ],
)
def test_a_change_of_what_stood_there_is_refused_with_its_line(head: str, said: str) -> None:
    recipes = {"glow.yaml": recipe(), "b.yaml": recipe()}
    assert said in refusal(BASE, bench(head, recipes, changelog=entry()))


def test_many_changed_points_are_counted() -> None:
    base = bench(config(row("[1, 2, 3, 4, 5, 6, 7]")))
    said = refusal(base, bench(config(row("[8]")), changelog=entry()))
    assert f"`{KEY}` at concurrency 1, 2, 3, 4, 5 and 2 more" in said


def test_a_recipe_that_serves_an_earlier_point_in_another_way_is_refused_with_its_line() -> None:
    head = bench(config(row("[4, 8, 16]")), {"glow.yaml": recipe(9)}, changelog=entry())
    assert refusal(BASE, head).startswith(
        f"{RECIPES}/glow.yaml:2: serves what stood there before in another way: `{KEY}` at concurrency 4, 8; restore it"
    )


def test_a_recipe_may_get_another_variant_and_other_comments() -> None:
    base = bench(config(row("[4]", "recipes/glow.yaml:override_a")), {"glow.yaml": BUNDLE})
    more = f"# note\n{BUNDLE}override_b: {{roles: {{agg: {{args: {{max-num-seqs: 8}}}}}}}}\n"
    rows = row("[4]", "recipes/glow.yaml:override_a"), row("[8]", "recipes/glow.yaml:override_b")
    (gate,) = planned(base, bench(config(*rows), {"glow.yaml": more}, changelog=entry())).gates
    assert gate.concurrencies == (8,)


def test_a_config_that_is_gone_is_refused() -> None:
    base = bench(config(row("[4]")) + config(key="other"))
    said = refusal(base, bench(config(row("[4, 8]")), changelog=entry()))
    assert said.startswith(f"{CONFIG}:13: held `other` before this change, whose entries are append-only; put it back")


@pytest.mark.parametrize(
    ("flags", "second"),
    [("", "lacks `append-only: true`"), ("  evals-only: true\n", "lacks `append-only: true`")],
)
def test_it_is_not_mixed_with_other_entries(flags: str, second: str) -> None:
    head = bench(config(row("[4, 8, 16]")), changelog=entry() + entry(flags=flags))
    assert refusal(BASE, head).startswith(f"{CHANGELOG}:8: {second}, which another new entry has")


def test_nothing_is_appended_to_what_is_not_there() -> None:
    new = bench(config(row("[4, 8]")) + config(key="other"), changelog=entry("other"))
    assert refusal(BASE, new).startswith(f"{CHANGELOG}:4: is append-only, but `other` is a new config")
    bare = config(row("[4]")).partition("  scenarios:")[0]
    base = bench(f"{bare}  scenarios:\n{FIXED}")
    for flags in ("  append-only: true\n", f"  append-only: true\n{SCENARIOS}"):
        head = bench(config(row("[4]")) + FIXED, changelog=entry(flags=flags))
        assert f"`{KEY}` had no agentic-coding before" in refusal(base, head)
    unreadable = bench("- a list\n")
    assert "`glow-fp8-h100-vllm-agentic` is a new config" in refusal(unreadable, bench(changelog=entry()))


def test_a_scenario_does_not_go_away() -> None:
    base = bench(config(row("[4]")) + FIXED)
    assert refusal(base, bench(config(row("[4, 8]")), changelog=entry())).startswith(
        f"{CONFIG}:9: has no fixed-seq-len any more; put it back"
    )


def test_it_must_add_a_point() -> None:
    said = refusal(BASE, bench(config(row("[4, 8]")), changelog=entry()))
    assert said.startswith(f"{CHANGELOG}:4: is append-only and adds no point to its configs; add one")


def test_another_scenario_stays_as_it_is_unless_an_entry_names_it() -> None:
    base = bench(config(row("[4]")) + FIXED)
    head = config(row("[4, 8]")) + FIXED.replace("[4]", "[4, 8]")
    only = entry(flags=f"  append-only: true\n{SCENARIOS}")
    assert refusal(base, bench(head, changelog=only)).startswith(f"{CONFIG}:13: changes fixed-seq-len of `{KEY}`")
    both = only + only.replace("agentic-coding", "fixed-seq-len")
    assert planned(base, bench(head, changelog=both)).points == 1
    assert planned(base, bench(head, changelog=entry())).points == 1
    fixed = bench(head.replace("conc-list: [4, 8], srt", "conc-list: [4], srt"))
    alone = entry(flags="  append-only: true\n  scenario-type: [fixed-seq-len]\n")
    made = planned(base, Snapshot(None, {**fixed.files, CHANGELOG: fixed.files[CHANGELOG] + alone.encode()}))
    assert (made.points, made.gates) == (0, ())


def test_every_violation_is_said() -> None:
    head = bench(
        config(row("[4, 16]")).replace("v0.21.0", "v0.22.0") + config(key="other"),
        {"glow.yaml": recipe(9)},
        changelog=entry(),
    )
    (first,) = refusal(BASE, head).split("\n")
    assert "`other`" in first
    head = bench(config(row("[4, 16]")).replace("v0.21", "v0.22"), {"glow.yaml": recipe(9)}, changelog=entry())
    assert [line.split(": ")[0] for line in refusal(BASE, head).split("\n")] == [f"{CONFIG}:2", f"{CONFIG}:12"]


def test_a_wrong_row_of_the_head_is_refused_as_ever() -> None:
    with pytest.raises(BadInput, match="needs exactly one of `tp`"):
        planned(BASE, bench(config(row("[4, 8, 16]").replace("tp: 8, ", "")), changelog=entry()))


def seconds_for(points: int) -> float:
    """Of the processor, to see that a curve of so many got one more."""
    before, now = (row(str(list(range(1, end)))) for end in (points, points + 1))
    began = time.process_time()
    assert planned(bench(config(before)), bench(config(now), changelog=entry())).points == 1
    return time.process_time() - began


def test_a_curve_of_many_points_takes_no_longer_than_its_points() -> None:
    few, many = (min(seconds_for(points) for _ in range(3)) for points in (1250, 5000))
    assert many < 8 * few  # four times as many; with the square, sixteen times as long
