"""A large repository of the later layout: every point in its place, and a second plan that makes nothing anew."""

from collections import Counter

import pytest

from bot.files import own_curves
from bot.github.cache import ParsedFiles
from gatekit.bench.matrix.runners import read_runners
from gatekit.bench.recipes.shelf import read_tree
from gatekit.bench.repo.settings_file import SETTINGS_PATH, parse_settings
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.gates import Gate, Reason
from gatekit.plan.plan import PlanSources, plan_keys
from gatekit.serving.drafts import DraftReader
from tests.worlds.bench.wide_tree import POINTS, wide_tree


@pytest.fixture(scope="module")
def head() -> Snapshot:
    return wide_tree()


def sources(head: Snapshot) -> PlanSources:
    return PlanSources(head, head, None, parse_settings(head.files[SETTINGS_PATH]), own_curves(), ParsedFiles())


def test_every_point_stands_in_one_place(head: Snapshot) -> None:
    made = plan_keys(sources(head), None, None, "node")
    points = Counter(gate.framework for gate in made.gates for _ in gate.concurrencies)
    assert points == {
        "dynamo-vllm": 336,
        "sglang": 268,
        "dynamo-sglang": 140,
        "trt": 80,
        "atom": 64,
        "vllm": 60,
        "llmd-vllm": 48,
    }
    assert Counter(point.reason for point in made.unresolved) == {
        Reason.EXEMPT_FRAMEWORK: 126,
        Reason.RECIPE_UNREADABLE: 108,
        Reason.RECIPE_MISSING: 41,
        Reason.NO_COLLECTION: 40,
        Reason.NOT_DRAFTING: 36,
    }
    assert points.total() + len(made.unresolved) == made.points == POINTS
    assert len({gate.title for gate in made.gates}) == len(made.gates) == 213
    assert not [gate for gate in made.gates if left_open(gate)]


def left_open(gate: Gate) -> bool:
    launched = str((gate.launch.args, gate.launch.env))
    return "@dram." in launched or "@fabric." in launched


def test_a_second_plan_makes_no_recipe_anew(head: Snapshot) -> None:
    """What was read, merged and stripped is found again as long as the bytes of the files are the same."""

    def drafts(of: PlanSources, at: Snapshot) -> dict[str, int]:
        layout = of.settings.layout
        tree = read_tree(at, layout, read_runners(at, layout, of.read), of.engines.parallelism, of.read)
        reader = DraftReader(tree.shelf, tree.layout)
        points = [
            point for point in tree.master.points() if point.config_key.startswith(("qwen", "glm5.2-00-dynamo-s"))
        ]
        return {f"{point.config_key} {point.concurrency}": id(reader.read(point).real) for point in points}

    of = sources(head)
    first = drafts(of, head)
    assert drafts(of, Snapshot(None, {path: bytes(bytearray(data)) for path, data in head.files.items()})) == first
    recipe = next(path for path in head.files if path.endswith("qwen00/a.yaml"))
    changed = Snapshot(None, {**head.files, recipe: head.files[recipe] + b"# another line\n"})
    again = drafts(of, changed)
    assert {name.split()[0] for name in first if again[name] != first[name]} == {"qwen3.5-00-sglang"}
    block = next(path for path in head.files if path.endswith("agentic-multi.yaml"))
    laid = drafts(of, Snapshot(None, {**head.files, block: b"environment: {A: '1'}\n"}))
    assert {name.split()[0] for name in first if laid[name] != first[name]} == {"glm5.2-00-dynamo-sglang"}


def test_the_same_tree_gives_the_same_plan(head: Snapshot) -> None:
    of = sources(head)
    assert (
        plan_keys(of, None, None, "node")
        == plan_keys(of, None, None, "node")
        == plan_keys(sources(wide_tree()), None, None, "node")
    )
