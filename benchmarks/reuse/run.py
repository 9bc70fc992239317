"""A push that changes nothing of a large pull request: GitHub calls, jobs, and the time until the comment stands.

Beside it the way of a workflow without a memory: the artifacts of 30 runs, page by page, to find what was measured.

usage: python -m benchmarks.reuse.run [--rounds N]
"""

import argparse
import asyncio
import logging
import os
import random
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

import httpx

from bot.app import RunningBot, running
from bot.assembly import Parts
from bot.cli.folder import read_folder
from bot.cluster.executor import RunningCluster
from bot.demo.github.faults import Moment
from bot.demo.github.people import Opening
from bot.demo.github.server import Call
from bot.demo.github.workflows import ActionsRun, RunArtifact
from bot.demo.github.world import Pull, Repo, Role, World
from bot.files import own_curves
from bot.github.limits import GitHubLimits
from bot.store.database import Database
from bot.store.jobs import JobStore
from bot.store.measurements import MaterialStore
from bot.store.sweeps import SweepStore
from gatekit.bench.repo.settings_file import SETTINGS_PATH, parse_settings
from gatekit.cluster.policy import Cluster, Policy
from gatekit.domain.job import Material
from gatekit.domain.sweep import ClusterReport, GateState, JobOrigin, SweepState
from gatekit.domain.verdict import CurveOutcome
from gatekit.goldens.curve import Curve
from gatekit.plan.plan import PlanSources, plan_keys
from tests.worlds.bench import bench_pr
from tests.worlds.bench.wide_bench import wide
from tests.worlds.bot.bot_world import CLUSTER, active, identity_of, parts_for
from tests.worlds.bot.hand_clock import ShiftedClock
from tests.worlds.bot.stories import judged
from tests.worlds.cluster.scripted_cluster import ScriptedCluster
from tests.worlds.github.standin import WatchedGitHub, an_app

ROOT = Path(__file__).resolve().parents[2]
AUGUST = Path(os.environ.get("GATEKIT_SHARED", ROOT.parent / "shared")) / "data" / "inferencex"
CHANGELOG, LABEL = "perf-changelog.yaml", bench_pr.LABEL
ENTRY = b'\n- config-keys: ["*"]\n  description: [Everything.]\n  pr-link: https://github.com/acme/bench/pull/XXX\n'
RUNS, ARTIFACTS = 30, 1_000  # that the other way looks through: a full sweep uploads several for each job
RAW = 300_000  # bytes of raw material of a gate
MEASURED = judged(CurveOutcome.ON_CURVE, 2.5, 2.5)


@dataclass(frozen=True)
class Story:
    name: str
    base: Mapping[str, bytes]
    edits: Mapping[str, bytes]
    cluster: Cluster
    curves: Mapping[str, Curve]


def stories() -> list[Story]:
    found = [Story("Made up, 480 gates", bench_pr.BASE, wide(), CLUSTER, {})]
    return [august(), *found] if AUGUST.is_dir() else found


def august() -> Story:
    """The August tree, and a pull request that has every config of it gated."""
    tree = read_folder(AUGUST)
    settings = parse_settings(tree.files.get(SETTINGS_PATH))
    whole = plan_keys(PlanSources(tree, tree, None, settings, own_curves()), None, None, "node")
    engines = {gate.launch.engine: (gate.launch.engine.value,) for gate in whole.gates}
    serves = tuple({gate.cluster for gate in whole.gates})
    policy = Policy(images=("",), models=("",))
    cluster = replace(CLUSTER, serves=serves, engines=engines, policy=policy, launcher="srtctl")
    return Story("August", tree.files, {CHANGELOG: tree.files[CHANGELOG] + ENTRY}, cluster, own_curves())


@dataclass
class Watch:
    """When the stand-in was busy, and when the comment stood."""

    busy: float = 0.0
    calls: list[Call] = field(default_factory=list)
    comment: float = 0.0
    stands: asyncio.Event = field(default_factory=asyncio.Event)
    _open: int = 0
    _since: float = 0.0

    async def observe(self, moment: Moment, call: Call) -> None:
        now = time.perf_counter()
        if moment is Moment.BEFORE:
            self.calls.append(call)
            self._since = self._since if self._open else now
            self._open += 1
            return
        self._open -= 1
        if not self._open:
            self.busy += now - self._since
        if call.method == "PATCH" and "/issues/comments/" in call.path and not self.stands.is_set():
            self.comment = now
            self.stands.set()


@dataclass
class Scene:
    github: WatchedGitHub
    repo: Repo
    pull: Pull
    parts: Parts
    cluster: ScriptedCluster
    watch: Watch = field(default_factory=Watch)

    async def settled(self, bot: RunningBot) -> None:
        await self.github.hooks.settled()
        await bot.idle()

    @asynccontextmanager
    async def bot(self) -> AsyncIterator[RunningBot]:
        async with running(self.parts) as bot:
            self.github.hooks.target = f"{bot.webhook_url}/webhook"
            await active(bot)
            yield bot
            self.github.hooks.target = None

    async def push(self, bot: RunningBot, number: int) -> "Cost":
        """One that changes nothing that is measured, after the pause between two writes that the bot keeps."""
        await asyncio.sleep(1.1 * self.parts.limits.write_gap)
        self.watch.busy = 0.0
        self.watch.calls.clear()
        self.watch.stands.clear()
        began = time.perf_counter()
        people = self.github.people
        people.push(self.repo, self.pull.head_ref, {"README.md": str(number).encode()}, by="pat")
        await self.watch.stands.wait()
        whole, api = self.watch.comment - began, self.watch.busy
        await self.settled(bot)
        return Cost(len(self.watch.calls), whole, whole - api)


@dataclass(frozen=True)
class Cost:
    calls: int
    seconds: float  # from the push to the comment
    own: float  # of these, while the stand-in answered nothing


@dataclass(frozen=True)
class Found:
    gates: int
    jobs: int
    first: Cost  # of a new process
    later: list[Cost]
    other: Cost


@asynccontextmanager
async def world_of(story: Story, folder: Path) -> AsyncIterator[Scene]:
    async with WatchedGitHub(World.create(an_app())) as github:
        repo = github.world.add_repo("acme/bench", story.base)
        people = github.people
        people.invite(repo, "maria", Role.MAINTAIN)
        people.invite(repo, "pat", Role.WRITE)
        people.branch(repo, "everything")
        people.push(repo, "everything", story.edits, by="pat")
        pull = people.open_pull(repo, Opening("everything", "pat"))
        cluster = ScriptedCluster(folder / "cluster", out_of_reach=True)
        parts = parts_for(
            identity_of(github.world.app), github.url, folder, cluster, bench_pr.Setting(show_seconds=10.0)
        )
        running_cluster = RunningCluster(story.cluster, cluster, 8)
        world = Scene(
            github,
            repo,
            pull,
            replace(parts, clusters=(running_cluster,), curves=story.curves, limits=GitHubLimits()),
            cluster,
        )
        github.on_request(world.watch.observe)
        yield world


async def measure_all(world: Scene) -> int:
    """Every gate of the sweep is measured, as if a cluster had done it; how many there are."""
    async with Database(world.parts.settings.database) as db:
        sweeps, jobs, materials = SweepStore(db, ShiftedClock()), JobStore(db), MaterialStore(db)
        (sweep,) = await sweeps.recent(1)
        for gate in await jobs.open():
            await jobs.move(gate, GateState.SUBMITTING)
            begun = replace(gate, state=GateState.SUBMITTING, attempt=1)
            await jobs.ended(begun, ClusterReport())
            text = random.Random(gate.key).randbytes(RAW // 4).hex()
            await materials.put(begun.job, Material(text, {}, {}, text, None, None))
            await sweeps.judged(gate.sweep, gate.key, MEASURED, ())
        await sweeps.end(sweep.id, SweepState.DONE, "every gate has ended")
        return len(sweep.rows)


async def reused(world: Scene) -> bool:
    async with Database(world.parts.settings.database) as db:
        (sweep,) = await SweepStore(db, ShiftedClock()).recent(1)
        return sweep.state is SweepState.DONE and {row.source.origin for row in sweep.rows} == {JobOrigin.REUSED}


async def other_way(world: Scene) -> Cost:
    """30 runs of the branch, the artifacts of each page by page; none of them has the key that is looked for."""
    for number in range(1, RUNS + 1):
        listed = tuple(RunArtifact(number * 10_000 + n, f"bmk_agentic_{n}") for n in range(ARTIFACTS))
        world.repo.runs[number] = ActionsRun(
            number, world.pull.head, world.pull.head_ref, "pat", world.github.world.tick(), artifacts=listed
        )
    world.watch.calls.clear()
    app = world.github.world.app
    token = world.github.world.tokens.mint({"metadata": "read", "actions": "read"}, frozenset(app.installed_on)).text
    headers = {"Authorization": f"Bearer {token}"}
    began = time.perf_counter()
    async with httpx.AsyncClient(base_url=f"{world.github.url}/repos/acme/bench/actions", headers=headers) as web:
        query = {"event": "pull_request", "branch": world.pull.head_ref, "status": "completed", "per_page": 100}
        runs = (await web.get("/workflows/run-sweep.yml/runs", params=query)).json()["workflow_runs"][:RUNS]
        for run in runs:
            page, more = 1, True
            while more:
                answer = await web.get(f"/runs/{run['id']}/artifacts", params={"per_page": 100, "page": page})
                more, page = 'rel="next"' in answer.headers.get("link", ""), page + 1
    seconds = time.perf_counter() - began
    return Cost(len(world.watch.calls), seconds, seconds)


async def once(story: Story, rounds: int) -> Found:
    with tempfile.TemporaryDirectory() as folder:
        async with world_of(story, Path(folder)) as world:
            async with world.bot() as bot:
                world.github.people.add_label(world.repo, world.pull, LABEL, by="maria")
                await world.settled(bot)
            gates = await measure_all(world)
            world.cluster.out_of_reach = False
            async with world.bot() as bot:
                await world.settled(bot)
                first, *later = [await world.push(bot, number) for number in range(rounds + 1)]
            assert await reused(world)
            return Found(gates, len(world.cluster.submitted), first, later, await other_way(world))


def report(found: Found) -> str:
    lines = [
        "| | GitHub calls | jobs | until the comment stands, s | of these our own, s |",
        "|---|---:|---:|---:|---:|",
    ]
    middle = Cost(
        max(cost.calls for cost in found.later),
        median(cost.seconds for cost in found.later),
        median(cost.own for cost in found.later),
    )
    for name, cost in ((f"a push, median of {len(found.later)}", middle), ("the first of a process", found.first)):
        lines.append(f"| {name} | {cost.calls} | {found.jobs} | {cost.seconds:.2f} | {cost.own:.2f} |")
    other = found.other
    lines.append(
        f"| {RUNS} runs × {ARTIFACTS:,} artifacts | {other.calls} | | {other.seconds:.1f}, for nothing yet | |"
    )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    logging.disable(logging.CRITICAL)
    print(f"Load of the machine before: {os.getloadavg()[0]:.1f}, on {os.cpu_count()} cores.\n")
    for story in stories():
        found = asyncio.run(once(story, args.rounds))
        print(f"### {story.name}: {found.gates} gates\n\n{report(found)}\n")


if __name__ == "__main__":
    main()
