"""A GitHub, a cluster and a database that outlive the bots between them."""

import os
import signal
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path

from bot.demo.github.faults import Moment
from bot.demo.github.server import Call
from bot.demo.github.world import CheckRun, Pull, Repo, World
from bot.files import SystemClock
from bot.store.database import Database
from bot.store.sweeps import SweepStore
from gatekit.comments.slots import Slot, carries
from gatekit.domain.ids import PrRef
from gatekit.domain.ids import Repo as RepoName
from gatekit.domain.sweep import Sweep
from tests.worlds.bench.bench_pr import Setting, pull_of
from tests.worlds.bot.until import until
from tests.worlds.cluster.scripted_cluster import ScriptedCluster
from tests.worlds.crashes.crashing_bot import BotProcess, Nursery, Order, Point
from tests.worlds.github.openapi import held_to_contract
from tests.worlds.github.standin import Crowd, Observer, WatchedGitHub, an_app

_OPEN = (
    "SELECT (SELECT count(*) FROM deliveries WHERE state = 'waiting')"
    " + (SELECT count(*) FROM sweeps WHERE shown = 0 OR announced = 0 OR state = 'running')"
    " + (SELECT count(*) FROM gates WHERE state = 'cancelled' AND attempt > 0 AND gone = 0)"
)


@dataclass(repr=False)
class CrashDrill:
    github: WatchedGitHub
    repo: Repo
    pull: Pull
    cluster: ScriptedCluster
    nursery: Nursery
    folder: Path
    db: Database
    lasts: float = 0.0  # seconds until a job ends, where jobs end by themselves
    ahead: float = 0.0  # seconds that the clocks of new bots are ahead
    bots: list[BotProcess] = field(default_factory=list)

    @property
    def people(self) -> Crowd:
        return self.github.people

    async def bot(self, point: Point | None, *, ending: bool, lease_seconds: float = 15.0) -> BotProcess:
        """A process that dies at the point. `ending`: the cluster's jobs end by themselves."""
        app = self.github.world.app
        order = Order(
            folder=str(self.folder),
            api_url=self.github.url,
            app_id=app.id,
            private_key=app.private_key,
            webhook_secret=app.webhook_secret,
            ending=ending,
            lasts=self.lasts,
            point=point,
            lease_seconds=lease_seconds,
            ahead=self.ahead,
        )
        bot = await self.nursery.bot(order)
        self.bots.append(bot)
        self.github.hooks.target = bot.url
        if point is not None and " " in point.step:
            self.github.on_request(killer(bot, point))
        return bot

    async def another(self, dead: BotProcess, *, ending: bool, point: Point | None = None) -> BotProcess:
        """A new process, the dead one's lease having run out. GitHub sends again what nobody took."""
        await dead.died()
        await self.github.hooks.settled()
        await self.db.write(lambda conn: conn.execute("UPDATE lease SET expires = 0").rowcount)
        bot = await self.bot(point, ending=ending)
        for delivery in self.github.hooks.deliveries[1:]:  # the first came before any bot
            if delivery.status != 202:
                self.github.hooks.redeliver(delivery)
        return bot

    async def at_rest(self) -> None:
        """Until the database says that nobody has anything left to do."""
        await self.github.hooks.settled()
        await until(lambda: self._open() == 0)

    def _open(self) -> int:
        with closing(sqlite3.connect(self.db.path)) as conn:
            (count,) = conn.execute(_OPEN).fetchone()
            return int(count)

    def folders(self, *, over: bool) -> int:
        """Run folders that the bot knows of, those that may go or those that are still in use."""
        with closing(sqlite3.connect(self.db.path)) as conn:
            (count,) = conn.execute("SELECT count(*) FROM folders WHERE (over IS NOT NULL) = ?", (over,)).fetchone()
            return int(count)

    async def sweeps(self) -> tuple[Sweep, ...]:
        """The newest first."""
        owner, _, name = self.repo.full_name.partition("/")
        return await SweepStore(self.db, SystemClock()).history(PrRef(RepoName(owner, name), self.pull.number))

    def comment(self) -> str:
        """The only one that the bot wrote."""
        (body,) = [one.body for one in self.repo.comments.values() if one.by_app]
        assert carries(Slot.GATES, body)
        return body

    def check(self, number: int) -> CheckRun:
        """The only check run of a sweep."""
        (run,) = [run for run in self.repo.checks.values() if run.said["external_id"] == str(number)]
        return run


def killer(bot: BotProcess, point: Point) -> Observer:
    """Kills the bot while GitHub has its call: before it changed anything, or before its answer left."""
    seen = 0

    async def observe(moment: Moment, call: Call) -> None:
        nonlocal seen
        wanted = call.route is not None and f"{call.method} {call.route.template}".endswith(point.step)
        if wanted and moment is (Moment.AFTER if point.after else Moment.BEFORE):
            seen += 1
            if seen == point.nth:
                os.kill(bot.pid, signal.SIGKILL)
                await bot.died()

    return observe


@asynccontextmanager
async def crash_drill(folder: Path, nursery: Nursery, setting: Setting | None = None) -> AsyncIterator[CrashDrill]:
    async with WatchedGitHub(World.create(an_app())) as github, held_to_contract(github):
        repo, pull = pull_of(github, setting or Setting())
        cluster = ScriptedCluster(folder / "cluster")
        async with Database(folder / "gatekit.db") as db:
            drill = CrashDrill(github, repo, pull, cluster, nursery, folder, db)
            try:
                yield drill
            finally:
                for bot in drill.bots:
                    await bot.kill()
        assert cluster.gates_started_twice == []
