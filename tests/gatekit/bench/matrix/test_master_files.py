"""The master files as a whole: keys, files, and the counts of real configs."""

import json
from collections import Counter

import pytest

from gatekit.bench.matrix.export import matrix_rows
from gatekit.bench.matrix.master import read_master
from gatekit.bench.repo.layout import Layout
from gatekit.bench.repo.settings import RepoSettings
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.errors import BadInput
from tests.shared import shared, shared_snapshot

NVIDIA, AMD = "configs/nvidia-master.yaml", "configs/amd-master.yaml"
SETTINGS = RepoSettings()
CONFIG = """
  image: vllm/vllm-openai:v1
  model: org/demo
  model-prefix: demo
  precision: fp4
  framework: vllm
  runner: cluster:b200
  multinode: false
  scenarios:
    agentic-coding:
    - search-space:
      - {tp: 8, kv-offloading: none, conc-list: [1, 4]}
"""


def snapshot(**texts: str) -> Snapshot:
    return Snapshot(None, {f"configs/{name}-master.yaml": text.encode() for name, text in texts.items()})


def test_keys_and_points_come_in_the_order_of_the_files() -> None:
    head = snapshot(amd=f"zz:{CONFIG}", nvidia=f"b:{CONFIG}a:{CONFIG}")
    assert tuple(read_master(head, SETTINGS.layout).entries) == ("b", "a", "zz")
    assert [(point.config_key, point.concurrency) for point in read_master(head, SETTINGS.layout).points()] == [
        ("b", 1),
        ("b", 4),
        ("a", 1),
        ("a", 4),
        ("zz", 1),
        ("zz", 4),
    ]


def test_only_the_wanted_keys_are_read() -> None:
    head = snapshot(nvidia=f"a:{CONFIG}broken: {{scenarios: {{agentic-coding: 1}}}}\n")
    master = read_master(head, SETTINGS.layout)
    assert {point.config_key for point in master.points(frozenset({"a", "elsewhere"}))} == {"a"}
    assert master.points(frozenset()) == ()
    with pytest.raises(BadInput, match="13: needs a list for `agentic-coding`"):
        master.points()


def test_a_config_without_agentx_has_no_points() -> None:
    head = snapshot(nvidia="a: {image: x, anything: 1, scenarios: {fixed-seq-len: [{isl: 1024}]}}\nb: {image: x}\n")
    assert tuple(read_master(head, SETTINGS.layout).entries) == ("a", "b")
    assert read_master(head, SETTINGS.layout).points() == ()


def test_one_of_the_files_is_enough() -> None:
    assert tuple(read_master(snapshot(amd=f"a:{CONFIG}"), SETTINGS.layout).entries) == ("a",)


def test_files_are_found_under_the_root_of_the_layout() -> None:
    head = Snapshot(None, {f"inferencex-e2e/{AMD}": f"a:{CONFIG}".encode(), NVIDIA: f"b:{CONFIG}".encode()})
    assert list(read_master(head, Layout()).entries) == ["a"]


def change(old: str, new: str) -> str:
    assert old in CONFIG
    return f"a:{CONFIG.replace(old, new)}"


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (Snapshot(None, {}), f"{NVIDIA} and {AMD}: no such file; add one, or name yours in `layout.configs`"),
        (snapshot(nvidia="- a"), f"{NVIDIA}: needs a mapping at the top level"),
        (snapshot(nvidia="a: 1"), f"{NVIDIA}:1: needs a mapping for `a`"),
        (snapshot(nvidia="a:\n"), f"{NVIDIA}:1: has nothing under the config key `a`; fill it or take it out"),
        (snapshot(nvidia="4: {}\n"), f"{NVIDIA}:1: has the config key `4`; use one line of text without `*`"),
        (snapshot(nvidia="'a*': {}\n"), f"{NVIDIA}:1: has the config key `a*`; use one line of text without `*`"),
        (
            snapshot(nvidia='"a\\tb": {}'),
            f"{NVIDIA}:1: has the config key `a\ufffdb`; use one line of text without `*`",
        ),
        (snapshot(nvidia="a: {}\na: {}\n"), f"{NVIDIA}:2: has the key `a` twice in one mapping; keep one of them"),
        (
            snapshot(nvidia="a: {}\n", amd="b: {}\na: {}\n"),
            f"{AMD}:2: has the config key `a`, as has {NVIDIA}:1; rename one of them",
        ),
        (
            snapshot(nvidia=change("  image:", "  imagine:")),
            f"{NVIDIA}:2: does not know the key `imagine`; did you mean",
        ),
        (snapshot(nvidia=change("  image: vllm/vllm-openai:v1\n", "")), f"{NVIDIA}:2: lacks `image`; add it"),
        (snapshot(nvidia=change("fp4", "4")), f"{NVIDIA}:5: needs text for `precision`; put 4 in quotes"),
        (snapshot(nvidia=change("cluster:b200", "b200")), f"{NVIDIA}:7: needs a runner of the form cluster:<name>"),
        (snapshot(nvidia=change("false", "no way")), f"{NVIDIA}:8: needs true or false for `multinode`"),
        (
            snapshot(nvidia=change("\n      - {tp: 8, kv-offloading: none, conc-list: [1, 4]}", " []")),
            f"{NVIDIA}:11: lacks rows in `search-space`; add one",
        ),
        (
            snapshot(nvidia=change("- search-space:", "- dram-utilization: 2\n      search-space:")),
            f"{NVIDIA}:11: needs a number above 0 and at most 1 for `dram-utilization`",
        ),
        (
            snapshot(nvidia=change("- search-space:", "- dram: 1\n      search-space:")),
            f"{NVIDIA}:11: does not know the key `dram`; ",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(head: Snapshot, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_master(head, SETTINGS.layout).points()
    assert str(refused.value).startswith(said)


def test_real_configs_have_their_points() -> None:
    found = read_master(shared_snapshot("data/inferencex"), SETTINGS.layout).points()
    speculative = [point for point in found if point.speculative]
    assert (len(found), len(speculative)) == (746, 710)
    assert Counter(point.framework for point in speculative) == {
        "sglang": 307,
        "vllm": 155,
        "dynamo-vllm": 109,
        "dynamo-sglang": 68,
        "trt": 22,
        "dynamo-trt": 19,
        "atom": 18,
        "sglang-disagg": 12,
    }
    assert Counter(point.model_prefix for point in speculative) == {
        "qwen3.5": 254,
        "dsv4": 187,
        "minimaxm3": 115,
        "kimik3": 89,
        "glm5.2": 65,
    }


def test_real_amd_rows_are_those_of_the_original_generator() -> None:
    """To the byte: every field, and the order of the fields."""
    expected = json.loads(shared("data/inferencex/expected_points_amd.json").read_text())
    made = list(matrix_rows(read_master(shared_snapshot("data/inferencex"), Layout(configs=(AMD,)))))
    assert json.dumps(made) == json.dumps(expected)


def test_real_rows_are_the_points() -> None:
    master = read_master(shared_snapshot("data/inferencex"), Layout())
    rows, found = list(matrix_rows(master)), master.points()
    assert len(rows) == len(found) == 746
    for row, point in zip(rows, found, strict=True):
        assert row["conc"] in (point.concurrency, [point.concurrency])
        assert (row["spec-decoding"] != "none") == point.speculative
        assert row["total-cpu-dram-gb"] == (0 if point.dram is None else point.dram.gb)
