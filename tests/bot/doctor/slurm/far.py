"""A cluster of the clusters file that is really there, and what the doctor says of it."""

import asyncio
import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bot.cluster.config import parse_clusters
from bot.doctor.clusters import check_clusters
from bot.doctor.finding import Finding, FindingState
from tests.worlds.slurm import daemons
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
aiperf = ["{tools}/aiperf/bin/aiperf"]
prompts = "/etc/hostname"
tokenizer = "{tools}/tokenizer"
[clusters.far.policy]
images = ["vllm/"]
models = ["Qwen/"]
[clusters.far.engines]
vllm = ["vllm", "serve"]
"""
# On one machine nobody knows what others see of its disk; the world's KillWait is short, and it has no Epilog.
ALWAYS = {
    **{name: FindingState.UNSEEN for name in ("file system", "prompts", "vllm", "python", "scratch")},
    **{name: FindingState.WARNING for name in ("kill wait", "epilog")},
}
MARK = f"/tmp/gk-aiperf-was-run-{os.getpid()}"


def root(slurm: SlurmWorld) -> Path:
    return slurm.place.shared / "doctor"


async def findings(folder: Path, text: str) -> Mapping[str, Finding]:
    parse_clusters(text.encode())
    path = folder / "clusters.toml"
    path.write_text(text)
    found = await asyncio.to_thread(lambda: tuple(check_clusters(path, "far", allow_local=False)))
    return {each.check.removeprefix("cluster far: "): each for each in found}


@contextmanager
def without_file_transfer(slurm: SlurmWorld) -> Iterator[None]:
    usual = (slurm.place.conf / "sshd_config").read_text()
    _restart_sshd(slurm, usual.replace("Subsystem sftp", "#"))
    try:
        yield
    finally:
        _restart_sshd(slurm, usual)


def _restart_sshd(slurm: SlurmWorld, config: str) -> None:
    (slurm.place.conf / "sshd_config").write_text(config)
    daemons.stop(slurm.place, "sshd")
    daemons.start_sshd(slurm.place)


def exists(path: str) -> bool:
    return os.path.lexists(path)


def wrong(found: Mapping[str, Finding]) -> set[str]:
    """Beside what is never known here."""
    states = {name: one.state for name, one in found.items() if one.state is not FindingState.FINE}
    return {name for name, state in states.items() if ALWAYS.get(name) is not state}


def everything(slurm: SlurmWorld) -> list[str]:
    """What lies below the shared file system, and all jobs that SLURM has."""
    files = sorted(f"{path} {path.lstat().st_mtime_ns}" for path in slurm.place.shared.rglob("*"))
    return [*files, slurm.slurm("squeue", "-h", "-t", "all", "-o", "%A %T %j")]
