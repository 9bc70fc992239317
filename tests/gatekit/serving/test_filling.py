"""Values that a recipe leaves to the point and to its cluster."""

from collections.abc import Mapping

import pytest

from gatekit.domain.gates import Gate, Reason
from gatekit.plan.plan import plan_keys
from tests.worlds.bench.small_bench import CLUSTERS, bench, config, recipe, row, sources

SHARE = "dram-utilization: 0.5\n      search-space"
OFFLOADS = "kv-offloading: dram, kv-offload-backend: {name: m}"
DRAM = f"{{tp: 4, {OFFLOADS}, spec-decoding: mtp, conc-list: [4], srt-recipe: a.yaml}}"
FABRIC = "slurm: {srt-slurm: {fabric: {nccl-ib-hca: [mlx5_0, mlx5_1], mooncake-gid-index: 3}}}"
RUNNERS = f"clusters: {{h100: {{gpus-per-node: 8, available-cpu-dram-mib: 1_000_000, {FABRIC}}}}}\n"


def planned(args: str, env: str = "A: b", rows: str = DRAM, runners: str = RUNNERS) -> Gate:
    text = recipe().replace("args:", f"args:\n      {args}").replace("env:", f"env:\n      {env}")
    head = bench(config(rows).replace("search-space", SHARE))
    files = {**head.files, "a.yaml": text.encode(), "configs/runners.yaml": runners.encode()}
    made = plan_keys(sources(type(head)(None, files)), None, None, "node")
    assert made.unresolved == ()
    return made.gates[0]


def args_of(gate: Gate) -> Mapping[str, object]:
    return dict(gate.launch.args)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("'@dram.total-gb'", 262),  # half of the memory, half of the node's GPUs, of 1,048 GB
        ("'@dram.total-bytes'", 262_000_000_000),
        ("'@dram.per-gpu-gb'", 65),
        ("'@dram.per-gpu-bytes'", 65_500_000_000),
        ("'@fabric.nccl-ib-hca'", "mlx5_0,mlx5_1"),
        ("{size: '@dram.total-gb', deep: [{x: '@fabric.mooncake-gid-index'}]}", '{"size":262,"deep":[{"x":"3"}]}'),
        ("""'{"size": "@dram.per-gpu-gb", "keep": "a@dram.b"}'""", '{"size":65,"keep":"a@dram.b"}'),
        ("'@dram.total-gb or so'", "@dram.total-gb or so"),
        ("'@dram.unheard-of'", "@dram.unheard-of"),
        ("'@fabric.unheard-of'", "@fabric.unheard-of"),
        ("'{broken @dram.total-gb'", "{broken @dram.total-gb"),
        ("'[[[[[@dram.total-gb'", "[[[[[@dram.total-gb"),
    ],
)
def test_a_whole_value_is_filled_in(written: str, value: object) -> None:
    assert args_of(planned(f"kv-transfer-config: {written}"))["kv-transfer-config"] == value


@pytest.mark.parametrize(
    ("written", "value"),
    [("@dram.total-gb", "262"), ("@fabric.nccl-ib-hca", "mlx5_0,mlx5_1"), ("x @dram.total-gb", "x @dram.total-gb")],
)
def test_a_variable_is_filled_in_as_text(written: str, value: str) -> None:
    assert dict(planned("a: 1", f"LIMIT: '{written}'").launch.env)["LIMIT"] == value


@pytest.mark.parametrize(
    ("rows", "runners"),
    [
        (row("[4]", "a.yaml"), RUNNERS),  # it offloads nothing
        (DRAM, "labels: {}"),
        (DRAM, "clusters: {h100: {gpus-per-node: 8}}"),
    ],
)
def test_what_is_not_known_stays_and_no_cluster_starts_it(rows: str, runners: str) -> None:
    gate = planned("block-size: '@dram.total-gb'", rows=rows, runners=runners)
    assert args_of(gate)["block-size"] == "@dram.total-gb"


def test_a_cluster_does_not_start_what_is_left_open() -> None:
    text = recipe().replace("'1'", "'@fabric.nccl-ib-hca'")
    made = plan_keys(sources(bench(recipes={"glow.yaml": text})), None, CLUSTERS, "node")
    assert {point.reason for point in made.unresolved} == {Reason.NO_CLUSTER}
    assert made.unresolved[0].detail.endswith(
        "takes @fabric.nccl-ib-hca, which neither the row nor the runners file of the base says"
    )


def test_points_with_other_budgets_are_one_deployment() -> None:
    """How much memory there is changes no acceptance."""
    one = config(DRAM).replace("search-space", SHARE)
    two = one.replace("0.5", "0.7").replace("[4]", "[8]").partition("agentic-coding:\n")[2]
    text = recipe().replace("args:", "args:\n      block-size: '@dram.total-gb'")
    head = bench(one + two)
    files = {**head.files, "a.yaml": text.encode(), "configs/runners.yaml": RUNNERS.encode()}
    (gate,) = plan_keys(sources(type(head)(None, files)), None, None, "node").gates
    assert (gate.concurrencies, args_of(gate)["block-size"]) == ((4, 8), 367)


def test_values_come_from_the_base_and_force_no_acceptance() -> None:
    """The runners file that counts is the base's; and what it brings is searched like the rest."""
    forcing = RUNNERS.replace("mlx5_0, mlx5_1", "SGLANG_SIMULATE_ACC_LEN=3")
    text = recipe().replace("args:", "args:\n      block-size: '@fabric.nccl-ib-hca'")
    files = {"a.yaml": text.encode(), "configs/runners.yaml": forcing.encode()}
    head = bench(config(row("[4]", "a.yaml")))
    head = type(head)(None, {**head.files, **files})
    base = type(head)(None, {**head.files, "configs/runners.yaml": RUNNERS.encode()})
    (gate,) = plan_keys(sources(head, base), None, None, "node").gates
    assert args_of(gate)["block-size"] == "mlx5_0,mlx5_1"
    made = plan_keys(sources(head), None, None, "node")
    assert "forced acceptance is still visible in block-size" in made.unresolved[0].detail
