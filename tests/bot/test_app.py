"""A whole bot on its ports: what listens where, what a restart goes on with, and two bots on one database."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest

from bot.app import running
from bot.store.connection import StoreUnusable
from gatekit.domain.sweep import SweepState
from tests.worlds.bench.bench_pr import DRAFT, LABEL, SELF
from tests.worlds.bot.bot_world import active, bot_world
from tests.worlds.bot.until import until
from tests.worlds.crashes.crash_drill import crash_drill
from tests.worlds.crashes.crashing_bot import Nursery, nursery


@pytest.fixture(scope="module")
def bots() -> Iterator[Nursery]:
    with nursery() as opened:
        yield opened


async def status(method: str, url: str) -> int:
    async with aiohttp.ClientSession() as web, web.request(method, url) as answer:
        return answer.status


async def test_each_port_serves_its_own_and_nothing_else(tmp_path: Path) -> None:
    async with bot_world(tmp_path) as world:
        public, operator = world.bot.webhook_url, world.bot.operator_url
        assert await status("GET", f"{public}/healthz") == 200
        assert await status("POST", f"{public}/webhook") == 401
        for path in ("/readyz", "/metrics", "/", "/api/sweeps"):
            assert await status("GET", f"{operator}{path}") == 200, path
            assert await status("GET", f"{public}{path}") == 404, path
        assert await status("POST", f"{operator}/webhook") in (404, 405)


async def test_metrics_count_what_github_was_asked(tmp_path: Path) -> None:
    async with bot_world(tmp_path) as world:
        await world.label()
        async with aiohttp.ClientSession() as web, web.get(f"{world.bot.operator_url}/metrics") as answer:
            text = await answer.text()
    assert 'operation="POST /repos/{owner}/{repo}/check-runs",status="201"} 1.0' in text
    assert "gatekit_lease 1.0" in text
    assert 'gatekit_gates{state="running"} 4.0' in text


async def test_a_restart_in_the_middle_of_a_sweep_goes_on_with_it(tmp_path: Path) -> None:
    async with bot_world(tmp_path) as world:
        await world.label()
        await world.finish(DRAFT, 3.7)
        await world.stop()
        await world.start()
        await world.settled()
        await world.finish_all()
        assert (await world.sweep()).state is SweepState.DONE
        assert world.check == ("completed", "neutral")
        assert len(world.cluster.submitted) == 4
        assert len(world.repo.checks) == len([one for one in world.repo.comments.values() if one.by_app]) == 1


async def test_jobs_that_end_while_no_bot_runs_are_judged_by_the_next(tmp_path: Path) -> None:
    async with bot_world(tmp_path) as world:
        await world.label()
        jobs = [(await world.job(DRAFT), 3.7), (await world.job(SELF), 4.9)]
        await world.stop()
        for name, al in jobs:
            world.cluster.finish(name, al)
        await world.start()
        await world.settled()
        assert "2 of 4 on curve" in world.gates


async def test_a_restart_that_finds_everything_done_asks_github_nothing(tmp_path: Path) -> None:
    async with bot_world(tmp_path) as world:
        await world.label()
        await world.finish_all()
        await world.stop()
        before = len(world.github.calls)
        await world.start()
        await world.settled()
        assert len(world.github.calls) == before


async def test_a_bot_that_ends_lets_the_next_one_begin_at_once(tmp_path: Path) -> None:
    async with bot_world(tmp_path) as world:
        await world.stop()
        async with running(world.parts) as bot:
            await active(bot)


async def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    async with bot_world(tmp_path) as world:
        (tmp_path / "other.db").write_bytes(b"no database at all" * 100)
        settings = world.parts.settings.model_copy(update={"database": tmp_path / "other.db"})
        with pytest.raises(StoreUnusable):
            async with running(replace(world.parts, settings=settings)):
                pass


async def test_two_bots_on_one_database(tmp_path: Path, bots: Nursery) -> None:
    """The second one takes deliveries and waits; when the first one dies, it goes on with everything."""
    async with crash_drill(tmp_path, bots) as drill:
        first = await drill.bot(None, ending=False, lease_seconds=6.0)
        await drill.bot(None, ending=True, lease_seconds=6.0)
        drill.people.add_label(drill.repo, drill.pull, LABEL, by="maria")  # at the second one's door
        await until(lambda: len(drill.cluster.started) == 2)
        assert drill.github.hooks.deliveries[-1].status == 202
        await first.kill()
        await drill.at_rest()
        (sweep,) = await drill.sweeps()
        assert sweep.state is SweepState.DONE
        assert "3 of 4 on curve, 1 below" in drill.comment()
        assert drill.check(1).said["status"] == "completed"
        assert len(drill.cluster.started) == 4
