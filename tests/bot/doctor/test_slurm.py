"""What the doctor says of a SLURM cluster, asked through a real sshd of a real SLURM."""

import asyncio
import hashlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.cluster.clusters import parse_clusters
from bot.doctor.clusters import check_clusters
from bot.doctor.finding import Finding
from tests.worlds.slurm.world import SlurmWorld

DIGEST = hashlib.sha256(Path("/etc/hostname").read_bytes()).hexdigest()
CLUSTER = """\
[clusters.far]
serves = ["cluster:far"]
executor = "slurm"
host = "127.0.0.1"
port = {port}
user = "{user}"
key_file = "{key}"
known_hosts_file = "{hosts}"
partition = "gpu"
account = "bench"
root = "{root}"
aiperf = ["/bin/echo", "0.13.1"]
prompts = "/etc/hostname"
tokenizer = "/usr"
[clusters.far.policy]
[clusters.far.engines]
vllm = ["vllm", "serve"]
"""


def described(slurm: SlurmWorld) -> str:
    address = slurm.address
    key, hosts = address.key_file, address.known_hosts_file
    return CLUSTER.format(port=address.port, user=address.user, key=key, hosts=hosts, root=slurm.root)


async def findings(folder: Path, text: str) -> Mapping[str, Finding]:
    parse_clusters(text.encode())
    path = folder / "clusters.toml"
    path.write_text(text)
    found = await asyncio.to_thread(lambda: tuple(check_clusters(path, "far", allow_local=False)))
    return {each.check.removeprefix("cluster far: "): each for each in found}


async def test_a_cluster_where_everything_is_there_is_fine(slurm: SlurmWorld, tmp_path: Path) -> None:
    found = await findings(tmp_path, described(slurm))
    assert [name for name, each in found.items() if not each.ok] == [], found
    assert list(found) == [
        *("clusters file", "executor", "ssh", "slurm", "root", "aiperf", "prompts", "tokenizer", "vllm")
    ]
    assert found["slurm"].detail.startswith("slurm")
    assert found["aiperf"].detail == "0.13.1"
    assert found["prompts"].detail == f"sha256 {DIGEST}"


@pytest.mark.parametrize(
    ("old", "new", "check", "detail"),
    [
        ('partition = "gpu"', 'partition = "gone"', "slurm", "gone"),
        ('root = "/', 'root = "/proc/', "root", "is no folder that can be written to"),
        ('"0.13.1"', '"0.14.0"', "aiperf", "version 0.14.0"),
        ('["/bin/echo"', '["/bin/no-such-program"', "aiperf", "aiperf --version failed"),
        ("/etc/hostname", "/etc/no such file; id", "prompts", "cannot be read"),
        ('tokenizer = "/usr"', 'tokenizer = "/etc/hostname"', "tokenizer", "is no folder there"),
    ],
)
async def test_what_is_wrong_is_named_with_its_mend_and_nothing_else_is(
    slurm: SlurmWorld, tmp_path: Path, old: str, new: str, check: str, detail: str
) -> None:
    found = await findings(tmp_path, described(slurm).replace(old, new))
    assert [name for name, each in found.items() if not each.ok] == [check], found
    assert detail in found[check].detail
    assert found[check].mend


async def test_a_cluster_out_of_reach_is_said_to_be_that(slurm: SlurmWorld, tmp_path: Path) -> None:
    found = await findings(tmp_path, described(slurm).replace(f"port = {slurm.address.port}", "port = 9"))
    assert "cannot be reached" in found["ssh"].detail
    assert [name for name, each in found.items() if not each.ok] == [
        *("ssh", "slurm", "root", "aiperf", "prompts", "tokenizer")
    ]
    assert found["slurm"].detail == "could not find out: see cluster far: ssh"
