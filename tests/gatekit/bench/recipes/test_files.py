"""Recipe files that say something twice."""

import pytest

from gatekit.bench.recipes.shelf import resolve
from gatekit.bench.repo.layout import Layout
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.gates import Unusable
from gatekit.plan.plan import plan_keys
from tests.worlds.bench.small_bench import bench, recipe, sources

TWICE = b"""
name: glow
roles:
  agg:
    args: {max-num-seqs: 8, max-num-seqs: 16}
"""


def repeated(old: bytes, new: bytes) -> Snapshot:
    assert old in TWICE
    return Snapshot(None, {"a.yaml": TWICE.replace(old, new)})


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (repeated(b"name", b"name"), "a.yaml:5: has `roles.agg.args.max-num-seqs` twice, and the last one counts"),
        (repeated(b"seqs: 8", b"seqs: 16"), "a.yaml:5: has `roles.agg.args.max-num-seqs` twice, with the same value"),
        (
            Snapshot(None, {"a.yaml": b"base: {}\noverride_mtp: {x: 1, x: 2}\n"}),
            "a.yaml:2: has `override_mtp.x` twice, and the last one counts",
        ),
    ],
)
def test_a_setting_that_stands_twice_is_named_and_the_last_one_counts(head: Snapshot, said: str) -> None:
    recipe = resolve(head, Layout(), "a.yaml", 1)
    assert recipe.repeats == (f"{said}; keep one of them",)
    assert resolve(repeated(b", max-num-seqs: 16", b""), Layout(), "a.yaml", 1).repeats == ()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (b"speculative-config: '{}', speculative-config: '{\"a\":1}'", "`roles.agg.args.speculative-config` twice"),
        (b"speculative-config: {method: mtp, method: eagle}", "`roles.agg.args.speculative-config.method` twice"),
        (b"speculative-num-steps: 3, speculative-num-steps: 4", "says how the recipe drafts; keep one of them"),
        (b"draft-max: 3, draft-max: 4", "`roles.agg.args.draft-max` twice, with two values, and it says how"),
        (b", ".join(b"a%d: 1, a%d: 1" % (n, n) for n in range(21)), "has 21 settings twice, more than 20"),
    ],
)
def test_a_recipe_that_says_twice_how_it_drafts_is_refused(args: bytes, said: str) -> None:
    with pytest.raises(Unusable) as refused:
        resolve(repeated(b"max-num-seqs: 8, max-num-seqs: 16", args), Layout(), "a.yaml", 1)
    assert said in str(refused.value)


def test_a_setting_that_stands_twice_is_said_once_however_many_points_its_recipe_serves() -> None:
    twice = recipe().replace("max-num-seqs: 8", "max-num-seqs: 8\n      max-num-seqs: 64")
    made = plan_keys(sources(bench(recipes={"glow.yaml": twice})), None, None, "node")
    assert dict(made.gates[0].launch.args)["max-num-seqs"] == 64
    (said,) = made.repeats
    assert said.endswith(
        "glow.yaml:13: has `roles.agg.args.max-num-seqs` twice, and the last one counts; keep one of them"
    )
    assert made.warnings == ()
