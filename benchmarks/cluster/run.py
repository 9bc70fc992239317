"""238 gates to a real SLURM over one SSH connection, and one look at all of them, beside the naive way.

usage: python -m benchmarks.cluster.run [--jobs N] [--rounds N]        as root: it brings up a SLURM of its own
"""

import argparse
import asyncio
import logging
import shlex
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from statistics import median

import asyncssh

from bot.cluster.slurm.executor import SlurmExecutor
from bot.scheduler.submit import AT_ONCE
from gatekit.cluster.slurm.script import Request, sbatch_options
from gatekit.domain.ids import JobName
from tests.worlds.slurm.conf import Place
from tests.worlds.slurm.up import cluster
from tests.worlds.slurm.world import Drill, SlurmWorld

HELD = Request("gpu", "bench", 5, 1, ("--hold",))  # jobs that wait: what they would do is not measured


class Refusals(logging.Handler):
    """Counts what our SSH connection says of channels that sshd refused."""

    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += "refused a channel" in record.getMessage()


@dataclass(frozen=True)
class Cost:
    seconds: float
    cpu: float  # of this process
    questions: int  # to the controller, for jobs
    connections: int
    refused: int  # channels


@dataclass
class Till:
    """What a piece of work costs, by the counts of the controller and of sshd."""

    world: SlurmWorld
    refusals: Refusals

    async def cost(self, work: Callable[[], Awaitable[object]]) -> Cost:
        questions, connections, refused = self._counts()
        began, cpu = time.perf_counter(), time.process_time()
        await work()
        seconds, used = time.perf_counter() - began, time.process_time() - cpu
        now = self._counts()
        return Cost(seconds, used, now[0] - questions, now[1] - connections, now[2] - refused)

    def _counts(self) -> tuple[int, int, int]:
        logged = (self.world.place.log / "sshd.log").read_text()
        return self.world.questions(), logged.count("Accepted publickey"), self.refusals.count


async def submit_ours(drills: Iterable[Drill]) -> None:
    """As the scheduler does: so many at once, over the executor's one connection."""
    queue = iter(drills)

    async def work() -> None:
        for drill in queue:
            await drill.submitted()

    await asyncio.gather(*(work() for _ in range(AT_ONCE)))


def connect(world: SlurmWorld) -> "asyncssh.misc._ACMWrapper[asyncssh.SSHClientConnection]":
    place = world.address
    return asyncssh.connect(
        place.host, place.port, username=place.user, client_keys=[place.key_file], known_hosts=place.known_hosts_file,
        config=None, agent_path=None,
    )  # fmt: skip


async def submit_naively(world: SlurmWorld, names: Iterable[str], script: bytes) -> list[str]:
    """A connection for each sbatch, one after another; no digest, no lock, no job.json."""
    ids = []
    for name in names:
        async with connect(world) as connection:
            words = shlex.join(("sbatch", "--parsable", f"--job-name={name}", *sbatch_options(HELD)))
            answer = await connection.run(words, input=script, encoding=None, check=True)
            ids.append(bytes(answer.stdout or b"").decode().strip())
    return ids


async def look_naively(world: SlurmWorld, ids: Iterable[str]) -> None:
    """One squeue for each job; at least over one connection."""
    async with connect(world) as connection:
        for id in ids:
            await connection.run(f"squeue --noheader --jobs={id} --format=%T", check=True)


async def once(place: Place, refusals: Refusals, number: int, jobs: int) -> dict[str, Cost]:
    world = SlurmWorld(place)
    till = Till(world, refusals)
    try:
        ours: SlurmExecutor = world.executor(request=HELD)
        drills = [world.drill("finish", executor=ours, name=f"gk-{number}-{n:04}-1") for n in range(jobs)]
        found = {"submit": await till.cost(lambda: submit_ours(drills))}
        names = [JobName(drill.job.job) for drill in drills]
        found["look"] = await till.cost(lambda: ours.states(names))
        waiting = world.slurm("squeue", "-h", "-t", "PENDING", "-u", place.user, "-o", "%j").split()
        assert sorted(waiting) == sorted(names), f"{len(waiting)} jobs wait, not {jobs}"
        script = ours._submission.script(names[0])
        ids: list[str] = []

        async def naive() -> None:
            ids.extend(await submit_naively(world, (f"naive-{number}-{n}" for n in range(jobs)), script))

        found["naive submit"] = await till.cost(naive)
        found["naive look"] = await till.cost(lambda: look_naively(world, ids))
        return found
    finally:
        await world.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=238)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    refusals = Refusals()
    logging.getLogger("bot.cluster.ssh.client").addHandler(refusals)
    logging.getLogger("bot.cluster.ssh.client").setLevel(logging.INFO)
    with cluster(sessions=10) as place:
        rounds = [asyncio.run(once(place, refusals, number, args.jobs)) for number in range(1, args.rounds + 1)]
    print(
        f"{args.jobs} jobs, {args.rounds} rounds, medians\n\n"
        "| | seconds | CPU of the bot, ms a job | ÷ naive | questions to the controller | connections | channels "
        "refused |\n|---|---:|---:|---:|---:|---:|---:|"
    )
    for name in ("submit", "naive submit", "look", "naive look"):
        seconds, cpu = (median(getattr(one[name], field) for one in rounds) for field in ("seconds", "cpu"))
        naive = median(one[name].seconds / one[f"naive {name.removeprefix('naive ')}"].seconds for one in rounds)
        most = [max(getattr(one[name], field) for one in rounds) for field in ("questions", "connections", "refused")]
        counts = " | ".join(map(str, most))
        print(f"| {name} | {seconds:.2f} | {cpu / args.jobs * 1000:.2f} | {naive:.3f} | {counts} |")


if __name__ == "__main__":
    main()
