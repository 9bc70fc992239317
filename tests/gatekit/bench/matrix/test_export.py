"""AgentX rows as the benchmark repository's own generator prints them."""

import pytest

from gatekit.bench.matrix.export import matrix_rows
from gatekit.bench.matrix.master import read_master
from gatekit.bench.repo.layout import Layout
from gatekit.domain.errors import BadInput
from tests.gatekit.bench.matrix.test_master import ENTRY, MULTI, PAIR, SINGLE_ROW, master, snapshot

MEMORY = "available-cpu-dram-mib: 1_000_000"
HARDWARE = f"hardware:\n  cluster:b200: {{gpus-per-node: 8, {MEMORY}}}\n"
CLUSTERS = f"clusters:\n  b200: {{gpus-per-node: 8, {MEMORY}}}\n"
DRAM = "kv-offloading: dram, kv-offload-backend: {name: hicache}"
SHARE = "dram-utilization: 0.8\n      "


def rows(row: str, entry: str = ENTRY, search: str = "", runners: str = HARDWARE) -> list[dict[str, object]]:
    return list(matrix_rows(read_master(snapshot(master(row, entry, search), runners=runners), Layout())))


def test_a_single_node_row() -> None:
    made = rows(f"{SINGLE_ROW}, ep: 8, spec-decoding: mtp, router: {{name: r, version: v1}}")
    assert [row["conc"] for row in made] == [1, 4]
    assert list(made[0].items()) == [
        ("image", "vllm/vllm-openai:v1"),
        ("model", "org/demo"),
        ("model-prefix", "demo"),
        ("precision", "fp4"),
        ("framework", "vllm"),
        ("runner", "cluster:b200"),
        ("tp", 8),
        ("pp", 1),
        ("dcp-size", 1),
        ("pcp-size", 1),
        ("ep", 8),
        ("dp-attn", False),
        ("spec-decoding", "mtp"),
        ("conc", 1),
        ("kv-offloading", "none"),
        ("total-cpu-dram-gb", 0),
        ("duration", 3600),
        ("exp-name", "demo_tp8_conc1_kvnone_spec-mtp"),
        ("scenario-type", "agentic-coding"),
        ("router", {"name": "r", "version": "v1"}),
    ]


def test_a_row_of_several_nodes() -> None:
    """What the row leaves out stands behind what it says."""
    (row,) = rows(
        "prefill: {num-worker: 1, tp: 8, pcp-size: 2, additional-settings: [A=1]}, "
        "decode: {num-worker: 2, tp: 4, ep: 4, dp-attn: true}, conc-list: [16], spec-decoding: draft_model",
        MULTI + "  disagg: true\n  kv-p2p-transfer: nixl\n",
    )
    assert list(row)[6:] == [
        *("spec-decoding", "prefill", "decode", "conc", "kv-offloading", "total-cpu-dram-gb", "duration"),
        *("exp-name", "disagg", "scenario-type", "kv-p2p-transfer"),
    ]
    assert list(row["prefill"].items()) == [  # type: ignore[attr-defined]
        ("num-worker", 1),
        ("tp", 8),
        ("pcp-size", 2),
        ("additional-settings", ["A=1"]),
        ("pp", 1),
        ("dcp-size", 1),
    ]
    assert (row["conc"], row["disagg"], row["kv-p2p-transfer"]) == ([16], True, "nixl")
    assert row["exp-name"] == "demo_p1x8_d2x4ep4dpa_conc16"


def test_an_aggregate_worker_prefills_beside_no_decode_engine() -> None:
    (row,) = rows("worker: {tp: 8, dp-attn: true, additional-settings: [A=1]}, conc-list: [2]", MULTI)
    sizes = {"tp": 8, "dp-attn": True, "pp": 1, "dcp-size": 1, "pcp-size": 1}
    assert row["prefill"] == {"num-worker": 1, **sizes, "additional-settings": ["A=1"]}
    assert row["decode"] == {"num-worker": 0, **sizes}
    assert row["exp-name"] == "demo_p1x8dpa_d0x8dpa_conc2"


@pytest.mark.parametrize(
    ("row", "entry", "name"),
    [
        (f"tp: 8, {DRAM}, conc-list: [1]", ENTRY, "demo_tp8_conc1_kvdram-hicache"),
        (f"{PAIR}, {DRAM}", MULTI, "demo_p1x8_d2x4ep4_conc16_kvdram-hicache"),
    ],
)
def test_what_offloads_is_named_so(row: str, entry: str, name: str) -> None:
    made = rows(row, entry, SHARE)
    assert made[0]["exp-name"] == name
    assert made[0]["kv-offload-backend"] == {"name": "hicache"}


@pytest.mark.parametrize(
    ("row", "entry", "utilization", "gb"),
    [
        (f"tp: 8, {DRAM}", ENTRY, "0.8", 838),  # 1,000,000 MiB are 1,048.576 GB
        (f"tp: 4, {DRAM}", ENTRY, "0.8", 419),
        (f"tp: 2, pp: 2, pcp-size: 2, {DRAM}", ENTRY, "1", 1048),
        (f"tp: 1, {DRAM}", ENTRY, "0.07", 9),
        (f"prefill: {{tp: 16}}, decode: {{tp: 1}}, {DRAM}", MULTI, "0.8", 838),
        (f"prefill: {{num-worker: 4, tp: 2}}, decode: {{tp: 8}}, {DRAM}", MULTI, "0.8", 209),
        (f"worker: {{tp: 4}}, {DRAM}", MULTI, "0.8", 419),
        ("tp: 8, kv-offloading: none", ENTRY, "0.8", 0),
    ],
)
def test_the_budget_is_the_servers_share_of_a_node(row: str, entry: str, utilization: str, gb: int) -> None:
    (made,) = rows(f"{row}, conc-list: [1]", entry, f"dram-utilization: {utilization}\n      ")
    assert made["total-cpu-dram-gb"] == gb


def test_no_node_counts_for_more_than_three_terabytes() -> None:
    large = HARDWARE.replace("1_000_000", "4_000_000")
    (made,) = rows(f"tp: 8, {DRAM}, conc-list: [1]", search="dram-utilization: 1\n      ", runners=large)
    assert made["total-cpu-dram-gb"] == 2999


@pytest.mark.parametrize(
    ("row", "entry", "runners", "said"),
    [
        (f"tp: 16, {DRAM}", ENTRY, HARDWARE, "serves with 16 GPUs, and a node of its runner has 8: fill whole nodes"),
        (f"worker: {{tp: 12}}, {DRAM}", MULTI, HARDWARE, "serves with 12 GPUs, and a node of its runner has 8: fill"),
        (
            f"worker: {{tp: 3}}, {DRAM}",
            MULTI,
            HARDWARE,
            "serves with 3 GPUs, which do not share the 8 of a node evenly",
        ),
        (
            f"tp: 8, {DRAM}",
            ENTRY,
            "labels: {}",
            "offloads to dram, and the runners file says no `gpus-per-node` and `available-cpu-dram-mib` of "
            "cluster:b200; add it there",
        ),
        (
            f"tp: 8, {DRAM}",
            ENTRY,
            "hardware: {cluster:b200: {gpus-per-node: 8}}",
            "offloads to dram, and the runners file says no `available-cpu-dram-mib` of cluster:b200; add it there",
        ),
    ],
)
def test_a_budget_that_cannot_be_given_is_refused_with_the_line(row: str, entry: str, runners: str, said: str) -> None:
    with pytest.raises(BadInput, match=r"nvidia-master\.yaml:\d+: ") as refused:
        rows(f"{row}, conc-list: [1]", entry, SHARE, runners)
    assert said in str(refused.value)


def test_later_rows_name_their_recipes_and_count_their_nodes() -> None:
    multi = MULTI + "  srt-recipe-dir: demo/vllm\n"
    recipes = "srt-recipe: 'x.yaml:base', eval-srt-recipe: e.yaml"
    (row,) = rows(f"{PAIR}, {recipes}", multi, runners=CLUSTERS)
    assert row["srt-recipe"] == "benchmarks/multi_node/srt-slurm-recipes/demo/vllm/x.yaml:base"
    assert row["eval-srt-recipe"] == "benchmarks/multi_node/srt-slurm-recipes/demo/vllm/e.yaml"
    assert list(row)[9:13] == ["conc", "srt-recipe", "eval-srt-recipe", "kv-offloading"]
    assert (list(row)[-1], row["node-count"]) == ("node-count", 2)
    (stated,) = rows(
        "worker: {tp: 8}, conc-list: [1], num-nodes: 3, srt-recipe: benchmarks/x.yaml", MULTI, "", CLUSTERS
    )
    assert (stated["node-count"], stated["srt-recipe"]) == (3, "benchmarks/x.yaml")
    single = rows(f"{SINGLE_ROW}, srt-recipe: x.yaml", ENTRY + "  srt-recipe-dir: demo\n", "", CLUSTERS)
    assert single[0]["srt-recipe"] == "benchmarks/single_node/srt-slurm-recipes/demo/x.yaml"
    assert "node-count" not in single[0]
