"""Master configs to points: every rule of a row, the counts of real configs, what the original generator prints."""

from dataclasses import replace

import pytest

from gatekit.bench.matrix.master import read_master
from gatekit.bench.matrix.points import Point
from gatekit.bench.matrix.runners import Node, Runners
from gatekit.bench.repo.layout import Layout
from gatekit.bench.repo.settings import RepoSettings
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.errors import BadInput

NVIDIA, AMD = "configs/nvidia-master.yaml", "configs/amd-master.yaml"
SETTINGS = RepoSettings()
RUNNERS = "hardware:\n  cluster:b200: {gpus-per-node: 8}\n  cluster:gb200: {gpus-per-node: 4}\n"

ENTRY = """demo-key:
  image: vllm/vllm-openai:v1
  model: org/demo
  model-prefix: demo
  precision: fp4
  framework: vllm
  runner: cluster:b200
  multinode: false
"""
MULTI = ENTRY.replace("multinode: false", "multinode: true")
SINGLE_ROW = "tp: 8, kv-offloading: none, conc-list: [1, 4]"
PAIR = "prefill: {num-worker: 1, tp: 8}, decode: {num-worker: 2, tp: 4, ep: 4}, conc-list: [16]"


def master(row: str, entry: str = ENTRY, search: str = "") -> str:
    """A master file with one key and one AgentX row; the row stands on the last line."""
    return f"{entry}  scenarios:\n    agentic-coding:\n    - {search}search-space:\n      - {{{row}}}\n"


def snapshot(nvidia: str, amd: str = "{}", runners: str = RUNNERS) -> Snapshot:
    files = {NVIDIA: nvidia, AMD: amd, "configs/runners.yaml": runners}
    return Snapshot(None, {path: text.encode() for path, text in files.items()})


def read(row: str, entry: str = ENTRY, search: str = "") -> tuple[Point, ...]:
    return read_master(snapshot(master(row, entry, search)), SETTINGS.layout).points()


def shape(row: str, entry: str = ENTRY, search: str = "") -> dict[str, object]:
    return dict(read(row, entry, search)[0].shape)


def test_a_row_becomes_one_point_for_each_concurrency() -> None:
    one, two = read("tp: 8, ep: 8, dp-attn: true, spec-decoding: mtp, kv-offloading: none, conc-list: [4, 1]")
    assert one == Point(
        config_key="demo-key",
        framework="vllm",
        concurrency=4,
        image="vllm/vllm-openai:v1",
        model="org/demo",
        model_prefix="demo",
        precision="fp4",
        runner="cluster:b200",
        speculative=True,
        recipe=None,
        settings=(),
        nodes=1,
        gpus=8,
        shape=one.shape,
    )
    assert two == replace(one, concurrency=1)
    assert dict(one.shape) == {
        "multinode": False,
        "disagg": False,
        "spec-decoding": "mtp",
        "tp": 8,
        "pp": 1,
        "dcp-size": 1,
        "pcp-size": 1,
        "ep": 8,
        "dp-attn": True,
        "kv-offloading": "none",
        "kv-p2p-transfer": None,
        "num-nodes": None,
    }


@pytest.mark.parametrize(
    ("written", "concurrencies"),
    [
        ("conc-list: [1, 4, 14]", [1, 4, 14]),
        ("conc-start: 4, conc-end: 32", [4, 8, 16, 32]),
        ("conc-start: 4, conc-end: 20", [4, 8, 16, 20]),
        ("conc-start: 5, conc-end: 5", [5]),
    ],
)
def test_concurrencies_are_listed_or_doubled(written: str, concurrencies: list[int]) -> None:
    assert [point.concurrency for point in read(f"tp: 8, kv-offloading: none, {written}")] == concurrencies


@pytest.mark.parametrize(
    ("written", "speculative"),
    [
        ("spec-decoding: mtp", True),
        ("spec-decoding: draft_model", True),
        ("spec-decoding: none", False),
        ("ep: 1", False),
    ],
)
def test_spec_decoding_says_that_a_point_drafts(written: str, speculative: bool) -> None:
    assert all(point.speculative is speculative for point in read(f"{SINGLE_ROW}, {written}"))


@pytest.mark.parametrize(
    ("row", "entry", "nodes", "gpus"),
    [
        ("tp: 4, pp: 2, pcp-size: 1, kv-offloading: none, conc-list: [1]", ENTRY, 1, 8),
        (PAIR, MULTI, 2, 16),
        (PAIR, MULTI.replace("cluster:b200", "cluster:gb200"), 4, 16),
        (PAIR, MULTI.replace("cluster:b200", "cluster:new"), 3, 16),
        ("worker: {num-worker: 2, tp: 16}, conc-list: [1]", MULTI, 4, 32),
        ("worker: {tp: 16}, num-nodes: 5, conc-list: [1]", MULTI, 5, 16),
        ("prefill: {num-worker: 1, tp: 8}, decode: {num-worker: 0, tp: 8}, conc-list: [1]", MULTI, 1, 8),
        (
            "prefill: {num-worker: 1, tp: 8, additional-settings: [PREFILL_NODES=2]}, "
            "decode: {num-worker: 1, tp: 8, additional-settings: [DECODE_NODES=3]}, conc-list: [1]",
            MULTI,
            5,
            16,
        ),
    ],
)
def test_nodes_and_gpus_follow_from_the_row_and_the_cluster(row: str, entry: str, nodes: int, gpus: int) -> None:
    (point,) = read(row, entry)
    assert (point.nodes, point.gpus) == (nodes, gpus)


@pytest.mark.parametrize(
    ("runners", "nodes"),
    [
        ("clusters:\n  b200: {gpus-per-node: 4, slurm: {partition: x}}\n", 4),
        ("clusters:\n  cluster:b200: {gpus-per-node: 4}\n", 4),
        ("labels: {cluster:b200: [b200_0]}\nhardware: {cluster:b200: {gpus-per-node: 4}, b300: {}}\n", 4),
        ("labels: {}\n", 3),
    ],
)
def test_both_layouts_of_the_runners_file_are_read(runners: str, nodes: int) -> None:
    (point,) = read_master(snapshot(master(PAIR, MULTI), runners=runners), SETTINGS.layout).points()
    assert point.nodes == nodes


def test_the_size_of_nodes_can_come_from_elsewhere() -> None:
    head = snapshot(master(PAIR, MULTI), runners="labels: [broken")
    assert read_master(head, Layout(), Runners({"cluster:b200": Node(4)})).points()[0].nodes == 4


@pytest.mark.parametrize(
    ("row", "entry", "recipe", "settings"),
    [
        (SINGLE_ROW, ENTRY, None, ()),
        (f"{SINGLE_ROW}, srt-recipe: benchmarks/x.yaml", ENTRY, "benchmarks/x.yaml", ()),
        (
            f"{SINGLE_ROW}, srt-recipe: 'x.yaml:override_a'",
            ENTRY + "  srt-recipe-dir: demo/vllm\n",
            "benchmarks/single_node/srt-slurm-recipes/demo/vllm/x.yaml:override_a",
            (),
        ),
        (SINGLE_ROW, ENTRY + "  srt-recipe-dir: demo\n", "benchmarks/single_node/srt-slurm-recipes/demo/", ()),
        ("worker: {tp: 8}, conc-list: [1]", MULTI + "  srt-recipe-dir: demo\n", "recipes/demo/", ()),
        (
            "worker: {tp: 8}, conc-list: [1], srt-recipe: x.yaml, eval-srt-recipe: e.yaml",
            MULTI + "  srt-recipe-dir: demo\n",
            "recipes/demo/x.yaml",
            (),
        ),
        (
            "prefill: {tp: 8, additional-settings: [A=1, 'CONFIG_FILE=recipes/x.yaml:base', EVAL_CONFIG_FILE=e.yaml]}, "
            "decode: {tp: 8, additional-settings: [B=x=y, C=]}, conc-list: [1]",
            MULTI,
            "recipes/x.yaml:base",
            (("A", "1"), ("B", "x=y"), ("C", "")),
        ),
        (
            "prefill: {tp: 8}, decode: {tp: 8, additional-settings: [CONFIG_FILE=recipes/x.yaml]}, conc-list: [1]",
            MULTI,
            "recipes/x.yaml",
            (),
        ),
    ],
)
def test_a_row_names_its_recipe_in_one_of_two_ways(
    row: str, entry: str, recipe: str | None, settings: tuple[tuple[str, str], ...]
) -> None:
    point = read(row, entry)[0]
    assert (point.recipe, point.settings) == (recipe, settings)


@pytest.mark.parametrize(
    ("row", "entry", "name", "value"),
    [
        (PAIR, MULTI, "decode.num-worker", 2),
        (PAIR, MULTI, "decode.ep", 4),
        (PAIR, MULTI, "prefill.dp-attn", False),
        (PAIR, MULTI, "kv-offloading", "none"),
        (f"{PAIR}, router: {{name: r, version: v1}}", MULTI, "router.version", "v1"),
        (PAIR, f"{MULTI}  router: {{name: r, version: v1}}\n", "router.name", "r"),
        (PAIR, f"{MULTI}  disagg: true\n  kv-p2p-transfer: nixl\n", "kv-p2p-transfer", "nixl"),
        (f"{PAIR}, kv-p2p-transfer: mori", f"{MULTI}  disagg: true\n", "kv-p2p-transfer", "mori"),
        (f"{PAIR}, power: true", MULTI, "disagg", False),
    ],
)
def test_the_shape_holds_what_decides_how_the_server_is_built(row: str, entry: str, name: str, value: object) -> None:
    assert shape(row, entry)[name] == value


def test_the_dram_budget_is_no_part_of_the_shape() -> None:
    row = "tp: 8, kv-offloading: dram, kv-offload-backend: {name: hicache}, conc-list: [1]"
    low, high = (shape(row, search=f"dram-utilization: {share}\n      ") for share in (0.5, 1))
    assert low == high
    assert low["kv-offload-backend.name"] == "hicache"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("kv-offloading: none, conc-list: [1]", "needs exactly one of `tp`, `worker`, or `prefill` with `decode`"),
        ("tp: 8, kv-offloading: none", "needs either `conc-list` or both `conc-start` and `conc-end`"),
        (f"{SINGLE_ROW}, conc-start: 1, conc-end: 2", "needs either `conc-list` or both `conc-start` and `conc-end`"),
        ("tp: 8, kv-offloading: none, conc-start: 1", "needs either `conc-list` or both `conc-start` and `conc-end`"),
        ("tp: 8, kv-offloading: none, conc-start: 8, conc-end: 4", "needs a `conc-start` that is not above `conc-end`"),
        ("tp: 8, kv-offloading: none, conc-list: []", "needs at least one number in `conc-list`, each once"),
        ("tp: 8, kv-offloading: none, conc-list: [1, 1]", "needs at least one number in `conc-list`, each once"),
        ("tp: 8, kv-offloading: none, conc-list: [0]", "needs a whole number from 1 up for `conc-list[0]`"),
        ("tp: 8, kv-offloading: none, conc-list: [true]", "needs a whole number from 1 up for `conc-list[0]`"),
        (f"{SINGLE_ROW}, spec-decoding: eagle", "needs one of mtp, draft_model, none for `spec-decoding`"),
        (f"{SINGLE_ROW}, spec-decodin: mtp", "does not know the key `spec-decodin`; did you mean `spec-decoding`?"),
        (f"{SINGLE_ROW}, dcp-size: 3", "needs a `tp` that `dcp-size` 3 divides"),
        (f"{SINGLE_ROW}, pp: '2'", "needs a whole number from 1 up for `pp`"),
        (f"{SINGLE_ROW}, dp-attn: 1", "needs true or false for `dp-attn`"),
        ("tp: 8, conc-list: [1]", "lacks `kv-offloading`; add it"),
        ("tp: 8, kv-offloading: dram, conc-list: [1]", "lacks `dram-utilization`, which kv-offloading to dram needs"),
        (f"{SINGLE_ROW}, kv-offload-backend: {{name: x}}", "needs `kv-offload-backend` exactly when `kv-offloading`"),
        (f"{SINGLE_ROW}, router: {{name: x}}", "lacks `version` of `router`; add it"),
        (f"{SINGLE_ROW}, router: {{name: x, version: 'image:y'}}", "needs the component's own version, not an image"),
        (f"{SINGLE_ROW}, num-nodes: 2", "needs `tp` and no workers under a single-node config"),
        (f"{SINGLE_ROW}, kv-p2p-transfer: nixl", "has `kv-p2p-transfer` under a single-node config; take it out"),
        (PAIR, "needs `tp` and no workers under a single-node config"),
    ],
)
def test_a_wrong_single_node_row_is_refused_with_its_line(row: str, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        read(row)
    line = 11 if said.startswith("lacks `dram") else 12
    assert str(refused.value).startswith(f"{NVIDIA}:{line}: {said}")


@pytest.mark.parametrize(
    ("row", "more", "said"),
    [
        (SINGLE_ROW, "", "needs `worker`, or `prefill` with `decode`, under a multi-node config"),
        (f"tp: 8, {PAIR}", "", "needs exactly one of `tp`, `worker`, or `prefill` with `decode`"),
        (f"worker: {{tp: 8}}, {PAIR}", "", "needs exactly one of `tp`, `worker`, or `prefill` with `decode`"),
        ("prefill: {tp: 8}, conc-list: [1]", "", "needs exactly one of `tp`, `worker`, or `prefill` with `decode`"),
        (f"{PAIR}, pp: 2", "", "has `pp` beside its workers; move it into a worker"),
        ("worker: {num-worker: 1}, conc-list: [1]", "", "lacks `tp`; add it"),
        ("worker: {tp: 8, conc-list: [1]}", "", "does not know the key `conc-list`; take it out"),
        ("worker: {tp: 8, additional-settings: [A]}, conc-list: [1]", "", "needs NAME=VALUE in `additional-settings`"),
        ("worker: {tp: 8}, conc-list: [1], kv-p2p-transfer: x", "disagg: true", "needs `prefill` with `decode` under"),
        (PAIR, "disagg: true", "lacks `kv-p2p-transfer`, which `disagg: true` needs; add it to the config or to each"),
        (f"{PAIR}, kv-p2p-transfer: x", "kv-p2p-transfer: x", "has `kv-p2p-transfer`, as has its config; keep one of"),
        (
            f"{PAIR}, router: {{name: x, version: y}}",
            "router: {name: x, version: y}",
            "has `router`, as has its config",
        ),
        (
            "prefill: {tp: 8, additional-settings: [CONFIG_FILE=a]}, decode: {tp: 8}, conc-list: [1], srt-recipe: b",
            "",
            "names more than one recipe (a, b); keep one of them",
        ),
        (
            "prefill: {tp: 8, additional-settings: [PREFILL_NODES=two]}, decode: {tp: 8}, conc-list: [1]",
            "",
            "needs a whole number of nodes in `additional-settings`",
        ),
    ],
)
def test_a_wrong_multi_node_row_is_refused_with_its_line(row: str, more: str, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        read(row, MULTI + f"  {more}\n")
    assert str(refused.value).startswith(f"{NVIDIA}:13: {said}")
