"""What an operator may write of a SLURM cluster, and the executor that comes of it."""

from pathlib import Path

import pytest

from bot.cluster.config import Slurm, parse_clusters
from bot.cluster.node_program import NodeProgram
from bot.cluster.slurm.executor import SlurmExecutor
from bot.cluster.start import start_clusters
from gatekit.domain.errors import BadInput

ENTRY = """
[clusters.b200]
serves = ["cluster:b200"]
executor = "slurm"
host = "login.example.org"
user = "gatebot"
key_file = "/etc/gatekit/id_ed25519"
known_hosts_file = "/etc/gatekit/known_hosts"
partition = "batch"
account = "bench"
root = "/shared/gatekit"
aiperf = ["aiperf"]
prompts = "/shared/prompts.jsonl"
{more}
[clusters.b200.policy]
[clusters.b200.engines]
"""
NODE = NodeProgram(Path("node.pyz"), "0" * 64)


def entry(more: str = "", old: str = "", new: str = "") -> bytes:
    return ENTRY.format(more=more).replace(old or "\0", new).encode()


def test_what_is_not_said() -> None:
    (read,) = parse_clusters(entry())
    assert isinstance(read.reach, Slurm)
    assert (read.reach.options, read.reach.python, read.reach.scratch) == (("--exclusive",), "python3", "/tmp")


def test_the_executor_connects_to_nothing_before_it_is_asked() -> None:
    (running,) = start_clusters(parse_clusters(entry()), NODE, allow_local=False)
    assert isinstance(running.executor, SlurmExecutor)
    assert running.max_jobs == 8


def test_a_cluster_with_containers() -> None:
    more = 'container = "pyxis"\ngpus_per_node = 4'
    policy = '[clusters.b200.policy]\nmounts = ["/shared/gatekit/models:/models:ro", "/shared/gatekit-2:/b"]'
    read = parse_clusters(entry(more, "[clusters.b200.policy]", policy))
    (running,) = start_clusters(read, NODE, allow_local=False)
    assert (running.cluster.container, running.cluster.gpus) == ("pyxis", 4)
    assert running.cluster.policy.mounts == ("/shared/gatekit/models:/models:ro", "/shared/gatekit-2:/b")


@pytest.mark.parametrize(
    "option",
    ["--exclusive", "--mem=0", "--qos=high", "--reservation=gates", "--constraint=b200&ib", "--exclude=n[1-2]"],
)
def test_options_that_place_a_job(option: str) -> None:
    (read,) = parse_clusters(entry(f'options = ["{option}"]'))
    assert isinstance(read.reach, Slurm)
    assert read.reach.options == (option,)


@pytest.mark.parametrize(
    "option",
    ["--requeue", "--wrap=id", "--output=/x", "--job-name=x", "--array=1-9", "--requ", "-N2", "mem=0", "--mem=0 --hold",
     "--mem=$(id)", "--partition=other", "--export=ALL", "--uid=0", "--comment='x'", ""],
)  # fmt: skip
def test_options_that_would_change_what_a_job_is(option: str) -> None:
    with pytest.raises(BadInput, match=r"clusters\.b200\.options"):
        parse_clusters(entry(f'options = ["{option}"]'))


@pytest.mark.parametrize("root", ["/shared/%j", "/shared/a b", "/shared/$HOME", "/shared/x/", "/shared/é", "shared"])
def test_a_root_that_slurm_would_read_differently(root: str) -> None:
    with pytest.raises(BadInput, match=r"clusters\.b200\.root"):
        parse_clusters(entry(old="/shared/gatekit", new=root))


@pytest.mark.parametrize(("key", "old"), [("partition", "batch"), ("account", "bench")])
@pytest.mark.parametrize("value", ["a b", "-x", "a;id", "--x"])
def test_names_are_names(key: str, old: str, value: str) -> None:
    with pytest.raises(BadInput, match=rf"clusters\.b200\.{key}: must be a name"):
        parse_clusters(entry(old=f'"{old}"', new=f'"{value}"'))
