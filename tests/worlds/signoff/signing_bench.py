"""A sign-off on a benchmark change in order: one config of vLLM, run green, with its recipe published."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from bot.demo.github.reviews import Job
from bot.demo.github.world import Role
from tests.worlds.bench.bench_pr import SETTINGS, Setting
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG, CURVE, KEY, config, entry, row, text
from tests.worlds.bot.bot_world import BotWorld, bot_world
from tests.worlds.github.actions import RUN, a_run, say
from tests.worlds.github.recipe_pages import RecipePages, recipe_pages
from tests.worlds.signoff.checklist import form
from tests.worlds.signoff.signed import GLOW, MODELS, OWNERS, PAGE, RECIPE, SAID, URL
from tests.worlds.signoff.signing import CHECKLIST, grounds, propose

BODY = form(details=f"- recipe: {URL}\n{SAID}", signed="ann")
OLD = entry("old").replace("old", KEY)
BASE = {
    CONFIG: config(row("[4]")).encode(),
    RECIPE: text(GLOW).encode(),
    CHANGELOG: OLD.encode(),
    "docs/MODELS.md": text(MODELS).encode(),
    "goldens/glow_mtp.yaml": text(CURVE).encode(),
    "infx/evals/thresholds.yaml": b"default: {gsm8k: 0.9}\n",
    ".github/CODEOWNERS": text(OWNERS).encode(),
    SETTINGS: b"layout: {goldens: goldens}\n",
    CHECKLIST: grounds()[CHECKLIST],
}
CHANGE = {CONFIG: config(row("[4, 8]")).encode(), CHANGELOG: f"{OLD}{entry()}".encode()}
LANES = (Job("agentic / p1 | glow"), Job("canary / p1 | glow"))


@asynccontextmanager
async def benching(folder: Path, more: dict[str, bytes] | None = None) -> AsyncIterator[tuple[BotWorld, RecipePages]]:
    """`ann` owns the configs. The run is green and selected; the recipe is published."""
    async with recipe_pages() as pages, bot_world(folder, Setting(base={**BASE, **(more or {})})) as world:
        pages.pages[URL.removeprefix("https://")] = PAGE
        await world.stop()
        world.parts = replace(world.parts, recipe_pages=pages.url)
        await world.start()
        world.people.invite(world.repo, "ann", Role.WRITE)
        propose(world, "points", CHANGE)
        a_run(world, jobs=LANES)
        await say(world, f"/use {RUN}")
        yield world, pages
