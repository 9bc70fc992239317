"""What one pull request may ask for at most, and that asking for much costs in proportion."""

from collections import Counter
from dataclasses import replace

import pytest

from gatekit import changelog, matrix
from gatekit import plan as planning
from gatekit.documents import DEFAULT_LIMITS, Document, Limits, read_yaml
from gatekit.gates import Reason
from gatekit.plan import plan, plan_keys
from gatekit.refusal import BadInput, Refusal
from gatekit.snapshot import Snapshot
from gatekit.titles import distinct
from tests.worlds import plans
from tests.worlds.small_bench import CHANGELOG, CONFIG, bench, config, recipe, row, sources


def listed(count: int) -> str:
    return row(str(list(range(1, count + 1))))


def test_points_have_a_bound() -> None:
    half = matrix.MOST_POINTS // 2
    most = config(listed(half)) + config(listed(half), key="other")
    assert plan_keys(sources(bench(most)), None, None, "node").points == 2 * half
    assert plan_keys(sources(bench(most + config(key="third"))), {"other"}, None, "node").points == half
    with pytest.raises(BadInput) as refused:
        plan_keys(sources(bench(most + config(key="third"))), None, None, "node")
    assert str(refused.value) == (
        f"{CONFIG}:25: asks, with the configs before it, for more than 10,000 points; take rows or concurrencies out, "
        "or change fewer configs at once"
    )


def test_gates_have_a_bound() -> None:
    def head(count: int) -> Snapshot:
        rows = (row("[1]", f"recipes/{number}.yaml") for number in range(count))
        return bench(config(*rows), {f"{n}.yaml": recipe().replace("size: 8", f"size: {n + 1}") for n in range(count)})

    assert len(plan_keys(sources(head(3)), None, None, "node").gates) == 3
    with pytest.raises(Refusal) as refused:
        plan_keys(sources(head(planning.MOST_GATES + 1)), None, None, "node")
    assert str(refused.value) == "The change asks for 1,001 gates, and a sweep has at most 1,000: split it."


def test_patterns_of_a_change_have_a_bound() -> None:
    def head(count: int) -> Snapshot:
        entry = f"- config-keys: [{', '.join(['glow*'] * count)}]\n  description: [Many]\n  pr-link: x\n"
        return bench(changelog=entry)

    assert plan(sources(head(changelog.MOST_PATTERNS), bench()), None, "node").points == 2
    with pytest.raises(BadInput) as refused:
        plan(sources(head(changelog.MOST_PATTERNS + 1), bench()), None, "node")
    assert str(refused.value) == f"{CHANGELOG}:4: brings the patterns with `*` to more than 100; write fewer of them"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [1, 2\n", "no valid YAML"),
        ("base: {}\noverride_a: 1\n", "needs a mapping under `override_a`"),
        ("zip_override_a: {x: [1, 2], y: [1, 2, 3]}\nbase: {}\n", "lists of different length"),
    ],
)
def test_a_recipe_that_cannot_be_used_is_read_once_however_many_points_name_it(text: str, said: str) -> None:
    seen: Counter[str] = Counter()

    def read(path: str, data: bytes, limits: Limits = DEFAULT_LIMITS) -> Document:
        seen[path.rsplit("/", 1)[-1]] += 1
        return read_yaml(path, data, limits)

    asked = replace(sources(bench(config(listed(1000)), {"glow.yaml": text})), read=read)
    unresolved = plan_keys(asked, None, None, "node").unresolved
    assert seen["glow.yaml"] == 1
    assert len(unresolved) == 1000
    assert {(point.reason, said in point.detail) for point in unresolved} == {(Reason.RECIPE_INVALID, True)}


def test_a_script_pattern_with_many_stars_does_not_hang() -> None:
    """Somebody else names the config key that it is held against."""
    settings = "layout: {scripts: {'" + "a*" * 30 + "b': recipes/glow.yaml}}"
    made = plan_keys(sources(bench(config(row(named=""), key="a" * 900)), settings=settings), None, None, "node")
    assert [point.reason for point in made.unresolved] == [Reason.RECIPE_UNREADABLE] * 2


def test_thousands_of_gates_with_one_title_are_told_apart() -> None:
    gates = [plans.gate(f"g{number}", title="t", config_key="k", recipe="r.yaml") for number in range(5000)]
    assert len(set(distinct(gates))) == len(gates)
