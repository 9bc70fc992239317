"""The runners file: both of its layouts, and what it says of a cluster's hosts."""

import pytest

from gatekit.bench.matrix.runners import Node, Runners, read_runners
from gatekit.bench.repo.layout import Layout
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.errors import BadInput

PATH = "configs/runners.yaml"


def read(text: str) -> Runners:
    return read_runners(Snapshot(None, {PATH: text.encode()}), Layout())


def test_a_repository_without_the_file_says_nothing() -> None:
    assert read_runners(Snapshot(None, {}), Layout()) == Runners()
    assert Runners().node("cluster:b200") == Node(None, None, None)


@pytest.mark.parametrize(
    ("text", "clusters"),
    [
        ("hardware: {cluster:b200: {gpus-per-node: 4, available-cpu-dram-mib: 9}}", False),
        ("clusters: {b200: {gpus-per-node: 4, available-cpu-dram-mib: 9, slurm: {partition: x}}}", True),
    ],
)
def test_both_layouts(text: str, clusters: bool) -> None:
    found = read(text)
    assert found.node("cluster:b200") == Node(4, 9)
    assert found.clusters is clusters


def test_the_names_of_a_clusters_network_are_read_as_recipes_take_them() -> None:
    fabric = "{ucx-net-devices: [mlx5_0:1, mlx5_1:1], socket-ifname: eth0, mori-rdma-tc: 104, ib-devices: null}"
    found = read(f"clusters: {{b200: {{slurm: {{srt-slurm: {{fabric: {fabric}}}}}}}}}").node("cluster:b200")
    assert found.fabric == {
        "ucx-net-devices": "mlx5_0:1,mlx5_1:1",
        "socket-ifname": "eth0",
        "mori-rdma-tc": "104",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", f"{PATH}: needs a mapping at the top level"),
        ("clusters:\n  a: {gpus-per-node: none}", f"{PATH}:2: needs a whole number from 1 up for `gpus-per-node`"),
        ("clusters:\n  a: {available-cpu-dram-mib: -1}", f"{PATH}:2: needs a whole number from 1 up for `available"),
        (
            "clusters:\n  a: {slurm: {srt-slurm: {fabric: {nccl-ib-hca: [1]}}}}",
            f"{PATH}:2: needs text for `nccl-ib-hca[0]`; put 1 in quotes",
        ),
        (
            "clusters:\n  a: {slurm: {srt-slurm: {fabric: {x: 1.5}}}}",
            f"{PATH}:2: needs text for `x`; put 1.5 in quotes",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        read(text)
    assert str(refused.value).startswith(said)
