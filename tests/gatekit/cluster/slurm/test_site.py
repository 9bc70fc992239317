"""What SLURM says of itself: times, partitions, nodes, settings. Rows of 22.05 are as a real one printed them."""

import pytest

from gatekit.cluster.slurm.site import Nodes, Partition, gpus_of, minutes, parse_config, parse_nodes, parse_partitions

REAL = (
    "PartitionName=gpu AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL AllocNodes=ALL Default=YES QoS=N/A "
    "DefaultTime=00:05:00 DisableRootJobs=NO Hidden=NO MaxNodes=UNLIMITED MaxTime=04:00:00 MinNodes=0 LLN=NO "
    "Nodes=node1,node2,node3 PriorityTier=10 State=UP TotalCPUs=48 TotalNodes=3 TRES=cpu=48,mem=192000M,gres/gpu=24"
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("04:00:00", 240),
        ("4:00:00", 240),
        ("30:00", 30),
        ("1-00:00:00", 1440),
        ("2-12", 3600),
        ("00:00:30", 0.5),
        ("90", 90),
        ("infinite", None),
        ("UNLIMITED", None),
        ("", None),
    ],
)
def test_times_as_slurm_writes_them(text: str, wanted: float | None) -> None:
    assert minutes(text) == wanted


@pytest.mark.parametrize("text", ["soon", "1:2:3:4:five", "INVALID", "1-x"])
def test_a_time_that_is_none_is_no_limit_either(text: str) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        minutes(text)


@pytest.mark.parametrize(
    ("gres", "wanted"),
    [
        ("gpu:h200:8", 8),
        ("gpu:8(S:0-1)", 8),
        ("gpu:a100:4(S:0,2),gpu:v100:2(S:1)", 6),
        ("gpu:h200:8(S:0-1),shard:h200:16,nvme:2", 8),
        ("gpu", 1),
        ("gpu:tesla", 1),
        ("(null)", 0),
        ("shard:8", 0),
        ("", 0),
    ],
)
def test_gpus_of_a_node(gres: str, wanted: int) -> None:
    assert gpus_of(gres) == wanted


def test_a_partition_that_a_real_slurm_described() -> None:
    assert parse_partitions(REAL) == {"gpu": Partition("gpu", True, 240, None, frozenset())}


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("State=UP", "State=DRAIN", Partition("gpu", False, 240, None, frozenset())),
        ("AllowAccounts=ALL", "AllowAccounts=a,b", Partition("gpu", True, 240, frozenset("ab"), frozenset())),
        ("AllowAccounts=ALL", "DenyAccounts=c", Partition("gpu", True, 240, None, frozenset("c"))),
        ("MaxTime=04:00:00", "MaxTime=UNLIMITED", Partition("gpu", True, None, None, frozenset())),
        ("QoS=N/A", "QoS=short", Partition("gpu", True, 240, None, frozenset(), "short")),
    ],
)
def test_what_a_partition_may_say_otherwise(old: str, new: str, wanted: Partition) -> None:
    assert parse_partitions(REAL.replace(old, new))["gpu"] == wanted


@pytest.mark.parametrize("text", ["", "slurm_load_partitions: Unable to contact", "PartitionName=gpu", "MaxTime=1"])
def test_lines_that_describe_no_partition(text: str) -> None:
    assert parse_partitions(text) == {}


def test_nodes_that_are_alike() -> None:
    rows = parse_nodes("gpu|3|idle|0|gpu:h200:8\ngpu|1|down*|900|(null)\nnonsense\n|x|idle|0|gpu:8\n")
    assert rows == (Nodes("gpu", 3, "idle", 0, 8), Nodes("gpu", 1, "down*", 900, 0))
    assert [one.usable for one in rows] == [True, False]


@pytest.mark.parametrize(
    ("state", "usable"),
    [
        *((state, True) for state in ("idle", "mix", "alloc", "comp", "idle~")),
        *((state, False) for state in ("drain", "drng", "idle*", "maint", "down", "fail")),
    ],
)
def test_which_nodes_take_jobs_now(state: str, usable: bool) -> None:
    assert Nodes("gpu", 1, state, 0, 8).usable is usable


def test_settings_lists_and_nulls() -> None:
    text = "Configuration data as of today\nKillWait                = 3 sec\nEpilog[0]  = /etc/e\nProlog = (null)\n"
    assert parse_config(text) == {"KillWait": "3 sec", "Epilog": "/etc/e", "Prolog": ""}
