"""What one pull request may ask for at most, and that asking for much costs in proportion."""

from collections import Counter
from dataclasses import replace

import pytest

from gatekit.bench.matrix import master
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.errors import BadInput, Refusal
from gatekit.domain.gates import Reason
from gatekit.formats.prometheus import MAX_LINE, read_scrape
from gatekit.formats.yaml_document import DEFAULT_LIMITS, Document, read_yaml
from gatekit.formats.yaml_reader import YamlLimits
from gatekit.plan import plan as planning
from gatekit.plan import selection
from gatekit.plan.grouping import distinct
from gatekit.plan.plan import plan, plan_keys
from tests.worlds.bench import plans
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG, bench, config, recipe, row, sources


def listed(count: int) -> str:
    return row(str(list(range(1, count + 1))))


def test_points_have_a_bound() -> None:
    half = master.MOST_POINTS // 2
    most = config(listed(half)) + config(listed(half), key="other")
    assert plan_keys(sources(bench(most)), None, None, "node").points == 2 * half
    assert plan_keys(sources(bench(most + config(key="third"))), {"other"}, None, "node").points == half
    with pytest.raises(BadInput) as refused:
        plan_keys(sources(bench(most + config(key="third"))), None, None, "node")
    assert str(refused.value) == (
        f"{CONFIG}:25: asks, with the configs before it, for more than 10,000 points; take rows or concurrencies out, "
        "or change fewer configs at once"
    )


def test_configs_have_a_bound() -> None:
    def head(count: int) -> Snapshot:
        return bench(config() + "".join(f"k{number}: {{image: x}}\n" for number in range(count - 1)))

    assert plan(sources(head(master.MOST_CONFIGS), bench()), None, "node").points == 0
    with pytest.raises(BadInput) as refused:
        plan(sources(head(master.MOST_CONFIGS + 1), bench()), None, "node")
    assert str(refused.value) == (
        f"{CONFIG}:5012: has, with the files before it, more than 5,000 configs; take some out"
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

    assert plan(sources(head(selection.MOST_PATTERNS), bench()), None, "node").points == 2
    with pytest.raises(BadInput) as refused:
        plan(sources(head(selection.MOST_PATTERNS + 1), bench()), None, "node")
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

    def read(path: str, data: bytes, limits: YamlLimits = DEFAULT_LIMITS) -> Document:
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
    made = plan_keys(sources(bench(config(row(named=""), key="a" * 200)), settings=settings), None, None, "node")
    assert [point.reason for point in made.unresolved] == [Reason.RECIPE_UNREADABLE] * 2


def test_thousands_of_gates_with_one_title_are_told_apart() -> None:
    gates = [plans.gate(f"g{number}", title="t", config_key="k", recipe="r.yaml") for number in range(5000)]
    assert len(set(distinct(gates))) == len(gates)


LONG = "x" * 100_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (recipe().replace("mtp", LONG), "there is no golden curve glow_xxx"),
        (recipe().replace("engine: vllm", f"engine: {LONG}"), "is one of xxx"),
        (recipe().replace("engine: vllm", 'engine: "a\\n\\u202eb"'), "is one of a\ufffd\ufffdb"),
        (recipe().replace("agg", '"a\\u2028"'), "the recipe has a\ufffd"),
        (recipe().replace("mtp", "m\x7ftp"), ""),
        (recipe().replace("max-num-seqs", f"{LONG}_x: 1\n      ? {LONG}-x\n      : 1\n      max-num-seqs"), ""),
    ],
)
def test_what_a_point_is_told_has_a_bound(text: str, said: str) -> None:
    """It is stored for each point, and a pull request chose the names in it."""
    for point in plan_keys(sources(bench(recipes={"glow.yaml": text})), None, None, "node").unresolved:
        assert said in point.detail
        assert len(point.detail) <= 601
        assert point.detail.isprintable()


def test_names_that_are_stored_with_every_point_have_a_bound() -> None:
    longest = "k" * master.LONGEST_KEY
    assert plan_keys(sources(bench(config(key=longest))), None, None, "node").points == 2
    with pytest.raises(BadInput, match="use one line of text without `\\*`, at most 200 characters"):
        plan_keys(sources(bench(config(key=f"{longest}k"))), None, None, "node")
    with pytest.raises(BadInput, match="needs one line of text for `image`, at most 1,000 characters"):
        plan_keys(sources(bench(config().replace("v0.21.0", LONG))), None, None, "node")


def test_a_variant_has_a_name_of_some_length() -> None:
    text = f"base: {{}}\n? override_{LONG}\n: {{}}\n"
    (point, _) = plan_keys(sources(bench(recipes={"glow.yaml": text})), None, None, "node").unresolved
    assert point.detail.endswith("…`; give it a name of at most 200 characters")


@pytest.mark.parametrize(("knobs", "gates"), [(100, 1), (101, 0)])
def test_forced_acceptance_in_many_places_is_not_listed_without_end(knobs: int, gates: int) -> None:
    forced = "".join(f"      X{number}_SYNTHETIC_ACCEPTANCE: {LONG[:5000]}\n" for number in range(knobs))
    made = plan_keys(sources(bench(recipes={"glow.yaml": recipe() + forced})), None, None, "node")
    assert len(made.gates) == gates
    assert all(len(knob.value) <= 500 for gate in made.gates for knob in gate.stripped)
    assert all("in 101 places" in point.detail for point in made.unresolved)


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ('a{b="' + "x" * (MAX_LINE - 9) + '"} 1', True),
        ('a{b="' + "x" * MAX_LINE + '"} 1', False),
        ('a{b="' + '\\"' * 4_000_000 + '"} 1', False),
        ("a{" + ",".join(f'l{number}="x"' for number in range(500_000)) + "} 1", False),
    ],
    ids=["long", "longer", "escapes", "labels"],
)
def test_a_line_of_a_scrape_has_a_bound(line: str, read: bool) -> None:
    if read:
        assert read_scrape(f"{line}\n").counter("a")
        return
    with pytest.raises(BadInput, match=r"has a line of more than 16,384 characters|is longer than"):
        read_scrape(f"b 1\n{line}\n")


def test_a_refusal_is_one_line_of_some_length() -> None:
    no = BadInput("a\nb.yaml:3", f"names `\u202e{LONG}`")
    assert str(no).startswith("a\ufffdb.yaml:3: names `\ufffdxxx")
    assert str(no).isprintable()
    assert len(str(no)) < 1_100
