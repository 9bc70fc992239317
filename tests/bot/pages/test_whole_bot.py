"""The pages of a whole bot: fed from its own store, its clusters and its settings."""

from pathlib import Path

from aiohttp import ClientSession

from gatekit.domain.ids import short
from tests.bot.pages.reading import Page
from tests.worlds.bench.bench_pr import DRAFT, LEAN
from tests.worlds.bot.bot_world import BotWorld, bot_world


async def page(world: BotWorld, path: str) -> str:
    async with ClientSession() as web, web.get(world.bot.operator_url + path) as answer:
        assert answer.status == 200
        return Page(await answer.text()).words


async def test_a_story_on_the_pages(tmp_path: Path) -> None:
    async with bot_world(tmp_path) as world:
        assert "No sweep runs." in await page(world, "/")

        await world.label()
        assert "4 running" in await page(world, "/")
        whole = await page(world, "/sweeps/1")
        assert "maria added non-canary-full-sweep-enabled" in whole
        assert "Of 9 speculative points 8 have a gate." in whole
        assert "running at the last look" in whole

        await world.finish(DRAFT, 3.7)
        world.cluster.fail(await world.job(LEAN), "exit status 1", "CUDA is not there\n")
        await world.settled()
        world.cluster.out_of_reach = True  # what was judged was fetched before
        assert "1 on curve, 1 not measured, 2 running" in await page(world, "/")
        judged = await page(world, f"/sweeps/1/gates/{short((await world.row(DRAFT)).gate.key)}")
        assert "main: server is listening" in judged
        assert "llamacpp:spec_decode_num_drafts_total" in judged
        failed = await page(world, f"/sweeps/1/gates/{short((await world.row(LEAN)).gate.key)}")
        assert "not measured (engine-failed): The engine did not start: exit status 1. CUDA is not there" in failed
        assert "No log can be shown" in await page(world, "/sweeps/1")

        await world.unlabel()
        ended = await page(world, "/sweeps/1")
        assert "cancelled: the label non-canary-full-sweep-enabled was removed by maria." in ended
        assert "1 on curve, 1 not measured, 2 cancelled" in ended
        assert "cluster demo: out of reach for" in await page(world, "/")
