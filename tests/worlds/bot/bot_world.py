"""A GitHub, a bot and a cluster, over HTTP and on free ports: what people do on one side, what came of it on the other.

The repository and its pull request are the demo's, with curves of the tests: four gates, and one point that is never
gated.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from aiohttp import ClientSession
from pydantic import SecretStr

from bot.app import RunningBot, running
from bot.assembly import Parts
from bot.cluster.executor import Executor, RunningCluster
from bot.cluster.node_program import NodeProgram
from bot.demo.github.app import App
from bot.demo.github.faults import Moment
from bot.demo.github.objects import Entry
from bot.demo.github.server import Call
from bot.demo.github.world import CheckRun, Comment, Pull, Repo, World
from bot.github.limits import GitHubLimits
from bot.settings import AppCredentials, Settings
from bot.store.audit import AuditLine, AuditStore
from bot.store.database import Database
from bot.store.pauses import PauseStore
from bot.store.sweeps import SweepStore
from gatekit.cluster.policy import Cluster, Policy
from gatekit.comments.slots import Slot, carries
from gatekit.domain.gates import EngineName
from gatekit.domain.ids import JobName, PrRef, job_name
from gatekit.domain.ids import Repo as RepoName
from gatekit.domain.sweep import GateRow, Sweep
from tests.worlds.bench.bench_pr import DRAFT, LABEL, LAWS, LEAN, SELF, Setting, pull_of
from tests.worlds.bot.hand_clock import ShiftedClock
from tests.worlds.bot.until import PATIENCE
from tests.worlds.cluster.scripted_cluster import ScriptedCluster
from tests.worlds.github.openapi import held_to_contract
from tests.worlds.github.standin import Crowd, Observer, WatchedGitHub, an_app

__all__ = ["CLUSTER", "DRAFT", "LABEL", "LEAN", "SELF", "BotWorld", "Setting", "active", "bot_world", "parts_for"]

LIMITS = GitHubLimits(write_gap=0, backoff_seconds=0.01, look_again=(0.02, 0.05), retries=1)

CLUSTER = Cluster(
    name="demo",
    serves=("cluster:demo",),
    policy=Policy(images=("gatekit-demo/llamacpp:",), models=("gatekit-demo/",)),
    engines={EngineName("llamacpp"): ("llama-server",)},
    aiperf=("aiperf",),
    prompts="prompts.jsonl",
    tokenizer=None,
    container="pyxis",
    start_minutes=1,
    replay_minutes=3,
)


@dataclass(repr=False)
class BotWorld:
    github: WatchedGitHub
    repo: Repo
    pull: Pull
    cluster: ScriptedCluster
    parts: Parts
    store: SweepStore
    journal: list[str]  # writes to GitHub and what the cluster was asked, in order
    clock: ShiftedClock
    pauses: PauseStore
    _bot: RunningBot | None = None
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    @property
    def people(self) -> Crowd:
        return self.github.people

    @property
    def bot(self) -> RunningBot:
        assert self._bot is not None, "the bot does not run"
        return self._bot

    async def start(self) -> None:
        self._bot = await self._stack.enter_async_context(running(self.parts))
        self.github.hooks.target = f"{self.bot.webhook_url}/webhook"
        await active(self.bot)

    async def stop(self) -> None:
        self.github.hooks.target = None
        self._bot = None
        await self._stack.aclose()

    async def settled(self) -> None:
        """Every webhook was answered and dealt with, and the clusters were asked after that."""
        seen = -1
        while seen != (seen := len(self.github.hooks.deliveries)):
            await self.github.hooks.settled()
            await self.bot.idle()

    # what people do, until the bot is done with it

    async def label(self, name: str = LABEL, by: str = "maria") -> None:
        self.people.add_label(self.repo, self.pull, name, by=by)
        await self.settled()

    async def unlabel(self, name: str = LABEL, by: str = "maria") -> None:
        self.people.remove_label(self.repo, self.pull, name, by=by)
        await self.settled()

    async def push(self, edits: Mapping[str, bytes | Entry | None], by: str = "pat") -> None:
        assert self.pull.head_repo is not None
        self.people.push(self.pull.head_repo, self.pull.head_ref, edits, by=by)
        await self.settled()

    async def later(self, seconds: float) -> None:
        """So much later, and everything that was due by then is done."""
        self.clock.advance(seconds)
        await self.settled()

    # what the cluster does

    async def finish(self, config_key: str, al: float) -> None:
        self.cluster.finish(await self.job(config_key), al)
        await self.settled()

    async def finish_all(self) -> None:
        """Every job ends as the drafts' laws say, those that had to wait too."""
        while self.cluster.running:
            for name in self.cluster.running:
                self.cluster.finish(JobName(name), LAWS[self.cluster.drafting(JobName(name))])
            await self.settled()

    # what came of it

    async def sweeps(self) -> tuple[Sweep, ...]:
        """The newest first."""
        owner, _, name = self.repo.full_name.partition("/")
        return await self.store.history(PrRef(RepoName(owner, name), self.pull.number))

    async def audit(self) -> tuple[AuditLine, ...]:
        owner, _, name = self.repo.full_name.partition("/")
        async with Database(self.parts.settings.database) as db:
            return await AuditStore(db).of_pr(PrRef(RepoName(owner, name), self.pull.number))

    async def sweep(self) -> Sweep:
        return (await self.sweeps())[0]

    async def row(self, config_key: str) -> GateRow:
        return next(row for row in (await self.sweep()).rows if row.gate.config_key == config_key)

    async def job(self, config_key: str) -> JobName:
        sweep, row = await self.sweep(), await self.row(config_key)
        return job_name(row.source.sweep or sweep.id, row.gate.key, row.attempt)

    def comments(self, slot: Slot) -> list[Comment]:
        return [one for one in self.repo.comments.values() if one.by_app and carries(slot, one.body)]

    def says(self, slot: Slot) -> str:
        """The body of the slot's only comment, without its marker; empty: there is none."""
        found = self.comments(slot)
        assert len(found) < 2, [one.body for one in found]
        return found[0].body.partition("\n")[2] if found else ""

    @property
    def gates(self) -> str:
        return self.says(Slot.GATES)

    @property
    def reply(self) -> str:
        return self.says(Slot.REPLY)

    def checks(self, head: str | None = None) -> list[CheckRun]:
        return [run for run in self.repo.checks.values() if run.head == (head or self.pull.head)]

    @property
    def check(self) -> tuple[object, object]:
        """Status and conclusion of the head's only check run."""
        (run,) = self.checks()
        return run.said["status"], run.said.get("conclusion")


async def active(bot: RunningBot) -> None:
    """Until the bot holds the lease."""
    async with ClientSession() as web, asyncio.timeout(PATIENCE):
        while True:
            async with web.get(f"{bot.operator_url}/readyz") as answer:
                if (await answer.json())["lease"]:
                    return


def parts_for(identity: AppCredentials, api_url: str, folder: Path, cluster: Executor, setting: Setting) -> Parts:
    return Parts(
        settings=Settings(
            github_api_url=api_url,
            database=folder / "gatekit.db",
            port=0,
            operator_port=0,
            poll_seconds=setting.poll_seconds,
            public_url=setting.public_url,
        ),
        identity=identity,
        clusters=(RunningCluster(CLUSTER, cluster, setting.max_jobs),),
        curves={},
        node=NodeProgram(folder / "node.pyz", "d" * 64),
        limits=LIMITS,
        retry_delays=setting.retry_delays,
        show_seconds=setting.show_seconds,
    )


def identity_of(app: App) -> AppCredentials:
    return AppCredentials(app.id, SecretStr(app.private_key), SecretStr(app.webhook_secret))


@asynccontextmanager
async def bot_world(folder: Path, setting: Setting | None = None) -> AsyncIterator[BotWorld]:
    """Both sides are held to GitHub's description, and no gate may run twice."""
    setting = setting or Setting()
    async with WatchedGitHub(World.create(an_app())) as github, held_to_contract(github):
        repo, pull = pull_of(github, setting)
        journal: list[str] = []
        github.on_request(_writes_into(journal))
        cluster = ScriptedCluster(folder / "cluster", setting.laws, hear=journal.append)
        clock = ShiftedClock()
        parts = replace(parts_for(identity_of(github.world.app), github.url, folder, cluster, setting), clock=clock)
        async with Database(parts.settings.database) as db:
            world = BotWorld(github, repo, pull, cluster, parts, SweepStore(db, clock), journal, clock, PauseStore(db))
            await world.start()
            try:
                yield world
            finally:
                await world.stop()
        assert cluster.gates_started_twice == []
        assert github.leaks == []


def _writes_into(journal: list[str]) -> Observer:
    async def observe(moment: Moment, call: Call) -> None:
        if moment is Moment.AFTER and call.method != "GET" and call.route is not None and not call.route.as_app:
            journal.append(f"{call.method} {call.route.template.rpartition('/')[2]}")

    return observe
