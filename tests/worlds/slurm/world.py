"""A cluster to drill on: an executor that reaches it over SSH, jobs of its own names, and hands on every daemon."""

import asyncio
import contextlib
import itertools
import json
import os
import signal
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bot.cluster.executor import ClusterUnreachable, JobState, JobStatus
from bot.cluster.node_program import NodeProgram
from bot.cluster.slurm.executor import ClusterSite, NodeSetup, SlurmExecutor
from bot.cluster.slurm.files import ClusterLayout, SlurmPatience
from bot.cluster.ssh.client import Ssh
from bot.cluster.ssh.connection import Address, Timing
from gatekit.cluster.slurm.script import Request
from gatekit.domain.ids import JobName
from gatekit.domain.job import EngineStart, Job, Replay
from tests.worlds.bot.until import PATIENCE, WHOLE_GATE, until
from tests.worlds.slurm import daemons, stub_node
from tests.worlds.slurm.conf import Place

STUB = NodeProgram(Path(stub_node.__file__), "0" * 64)
SHORT = SlurmPatience(absent_looks=3, absent=3.0, settle=3.0, resubmit=0.5, cancel=PATIENCE, between=0.1)
EAGER = Timing(first_pause=0.0, longest_pause=0.0)
REPLAY = Replay(
    "/prompts", None, "coding", 1, "first", "/v1/chat/completions", "server", 8, False, 1, {}, None, None, 60
)

_numbers = itertools.count(1)


@dataclass
class Drill:
    """One attempt on the cluster, with an executor of its own. Its folder is seen from this machine."""

    world: "SlurmWorld"
    executor: SlurmExecutor
    job: Job
    root: Path | None = None  # the executor's, where it is not the world's

    @property
    def name(self) -> JobName:
        return JobName(self.job.job)

    @property
    def folder(self) -> Path:
        return (self.root or self.world.root) / "runs" / self.name

    async def submitted(self, tries: int = 1) -> None:
        """Submits until the cluster answers, as the scheduler does."""
        for left in range(tries - 1, -1, -1):
            try:
                await self.executor.submit(self.job)
                return
            except ClusterUnreachable:
                if left == 0:
                    raise
                await asyncio.sleep(0.2)

    async def running(self) -> None:
        await self.submitted()
        await until(lambda: (self.folder / "ready").exists())

    async def status(self) -> JobStatus:
        return (await self.executor.states([self.name]))[self.name]

    async def ended(self) -> JobStatus:
        """The status once it says that the job has ended, or that there is none."""
        async with asyncio.timeout(WHOLE_GATE):
            while True:
                try:
                    status = await self.status()
                except ClusterUnreachable:
                    status = JobStatus(JobState.UNKNOWN)
                if status.state in (JobState.ENDED, JobState.ABSENT):
                    return status
                await asyncio.sleep(0.1)

    def go(self) -> None:
        """The stub that holds may finish."""
        (self.folder / stub_node.GO).touch()

    @property
    def starts(self) -> list[int]:
        """Job ids that ran the attempt."""
        path = self.folder / stub_node.STARTS
        return [int(line) for line in path.read_text().split()] if path.exists() else []

    @property
    def seen(self) -> Any:
        return json.loads((self.folder / stub_node.SEEN).read_text())

    def jobs(self) -> list[tuple[int, str]]:
        """Every job that the controller has under this name, with its state."""
        rows = self.world.slurm("squeue", "-h", "-t", "all", "-n", self.name, "-o", "%A %T").splitlines()
        return [(int(row.split()[0]), row.split()[1]) for row in rows]

    def processes(self) -> list[int]:
        """Those that carry the mark of the attempt, whoever is their parent."""
        marked = f"GATEKIT_JOB={self.name}.".encode()
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                environment = (entry / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if any(one.startswith(marked) for one in environment) and daemons.is_living(int(entry.name)):
                found.append(int(entry.name))
        return found

    def scratch(self) -> list[Path]:
        """What lies on the nodes for any job that has had this name."""
        ids = {str(id) for id, _ in self.jobs()} | {str(id) for id in self.starts}
        return [path for id in ids for path in self.world.place.local.glob(f"gk-*-{id}.*")]


@dataclass
class SlurmWorld:
    place: Place
    opened: list[SlurmExecutor] = field(default_factory=list)

    @property
    def root(self) -> Path:
        return self.place.shared / "gatekit"

    @property
    def address(self) -> Address:
        folder = self.place.folder
        return Address(
            "127.0.0.1", self.place.ports.ssh, self.place.user, str(folder / "bot_key"), str(folder / "known_hosts")
        )

    def request(self, **changes: Any) -> Request:
        return replace(Request("gpu", "bench", 5, 1), **changes)

    def executor(self, address: Address | None = None, **changes: Any) -> SlurmExecutor:
        """`changes`: root, request, nodes, node, patience, timing."""
        site = ClusterSite(
            ClusterLayout(str(changes.get("root", self.root))),
            changes.get("request", self.request()),
            changes.get("nodes", NodeSetup("/usr/bin/python3", str(self.place.local))),
        )
        ssh = Ssh(address or self.address, changes.get("timing", EAGER))
        made = SlurmExecutor(ssh, site, changes.get("node", STUB), changes.get("patience", SHORT))
        self.opened.append(made)
        return made

    def drill(
        self, *words: str, executor: SlurmExecutor | None = None, name: str | None = None, **changes: Any
    ) -> Drill:
        """`words`: what the stub node does. `changes`: as for an executor, and env."""
        env = changes.pop("env", ())
        engine = EngineStart("vllm", words, env, (), "/health", "/metrics", 60, 0.0)
        name = name or f"gk-{os.getpid()}-drill{next(_numbers)}-1"  # two sessions on one machine have different ones
        job = Job(1, name, "f" * 64, 1, "toy", "toy", engine, REPLAY, ("aiperf",), None, 1.0)
        return Drill(self, executor or self.executor(**changes), job, changes.get("root"))

    async def close(self) -> None:
        """Nothing of a drill is in the way of the next one."""
        while self.opened:
            await self.opened.pop().close()
        if self.active():
            self.slurm("scancel", "-u", self.place.user)
            await until(lambda: not self.active())

    def active(self) -> bool:
        return bool(self.slurm("squeue", "-h", "-u", self.place.user).strip())

    def slurm(self, *words: object) -> str:
        """As root, and on this machine."""
        return daemons.run(self.place, *words)

    def questions(self) -> int:
        """How often the controller was asked for jobs, by its own count."""
        return self._heard("REQUEST_JOB_INFO", "REQUEST_JOB_USER_INFO")  # and REQUEST_JOB_INFO_SINGLE

    def submissions(self) -> int:
        """How often the controller was given a job, by its own count."""
        return self._heard("REQUEST_SUBMIT_BATCH_JOB")

    def _heard(self, *messages: str) -> int:
        lines = [line for line in self.slurm("sdiag").splitlines() if line.strip().startswith(messages)]
        return sum(int(line.split("count:")[1].split()[0]) for line in lines)

    def tell(self, daemon: str, number: signal.Signals) -> None:
        pid = daemons.pid_of(self.place, daemon)
        assert pid is not None, f"{daemon} does not run"
        os.kill(pid, number)

    def sessions(self) -> list[int]:
        """The processes of every SSH session of the account; not the door itself."""
        ours = f"sshd: {self.place.user}".encode()
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if (entry / "cmdline").read_bytes().startswith(ours):
                    found.append(int(entry.name))
        return found

    @staticmethod
    def kill(pid: int, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
