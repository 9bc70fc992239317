"""kill -9 at any instant: of twelve gates none is lost, none runs twice, and one comment says so."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.worlds.crashes.crashing_bot import Nursery, nursery
from tests.worlds.crashes.random_kills import killed_at_random


@pytest.fixture(scope="module")
def bots() -> Iterator[Nursery]:
    with nursery() as opened:
        yield opened


@pytest.mark.parametrize("seed", range(5))
async def test_four_kills_at_random_instants(tmp_path: Path, bots: Nursery, seed: int) -> None:
    toll = await killed_at_random(tmp_path, bots, seed, kills=4)
    assert toll.unfinished == toll.kills == 4
