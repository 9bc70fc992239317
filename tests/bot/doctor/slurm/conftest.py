from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.cluster.slurm.files import ClusterLayout
from bot.cluster.slurm.setup import set_up
from bot.cluster.ssh.client import Ssh
from tests.bot.doctor.slurm.far import CLUSTER, MARK, root
from tests.worlds.slurm.up import allow
from tests.worlds.slurm.world import STUB, SlurmWorld


@pytest.fixture
def tools(slurm: SlurmWorld) -> Path:
    """What an operator puts on the shared file system."""
    folder = slurm.place.shared / "tools"
    program = folder / "aiperf" / "bin" / "aiperf"
    (folder / "aiperf" / "lib" / "python3.11" / "site-packages" / "aiperf-0.13.1.dist-info").mkdir(
        parents=True, exist_ok=True
    )
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\ntouch {MARK}\n")
    program.chmod(0o755)
    (folder / "tokenizer").mkdir(exist_ok=True)
    (folder / "tokenizer" / "tokenizer.json").write_text("{}")
    return folder


@pytest.fixture
async def line(slurm: SlurmWorld) -> AsyncIterator[str]:
    """The cluster is set up, and the bot's key has no shell. Its line in authorized_keys."""
    ssh, own = Ssh(slurm.address), (slurm.place.folder / "bot_key.pub").read_text()
    line = (await set_up(ssh, ClusterLayout(str(root(slurm))), STUB)).authorized_keys(own)
    await ssh.close()
    allow(slurm.place, line)
    yield line
    allow(slurm.place, own)


@pytest.fixture
def text(slurm: SlurmWorld, tools: Path) -> str:
    address = slurm.address
    key, hosts = address.key_file, address.known_hosts_file
    return CLUSTER.format(port=address.port, user=address.user, key=key, hosts=hosts, root=root(slurm), tools=tools)
