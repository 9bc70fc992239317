"""kill -9 of the bot, a hundred times over sweeps of twelve gates."""

from collections.abc import Callable
from pathlib import Path

from tests.worlds.crashes.crashing_bot import nursery
from tests.worlds.crashes.random_kills import GATES, killed_at_random

SWEEPS, KILLS = 25, 4


async def test_a_hundred_kills(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    tolls = []
    with nursery() as bots:
        for seed in range(1000, 1000 + SWEEPS):
            folder = tmp_path / str(seed)
            folder.mkdir()
            tolls.append(await killed_at_random(folder, bots, seed, KILLS))
    kills, before = sum(toll.kills for toll in tolls), sum(toll.unfinished for toll in tolls)
    record_property(
        "said",
        f"{SWEEPS} sweeps of {GATES} gates, the bot killed {kills} times at random instants, {before} times before the "
        "sweep had ended: 0 gates lost, 0 run twice, 1 comment and 1 check run each",
    )
