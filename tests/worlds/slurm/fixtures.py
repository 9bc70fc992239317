"""One cluster for a whole test session, and the world of one test on it."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.worlds.slurm.conf import Place
from tests.worlds.slurm.up import cluster
from tests.worlds.slurm.world import SlurmWorld


@pytest.fixture(scope="session")
def slurm_place() -> Iterator[Place]:
    with cluster() as place:
        yield place


@pytest.fixture
async def slurm(slurm_place: Place) -> AsyncIterator[SlurmWorld]:
    world = SlurmWorld(slurm_place)
    yield world
    await world.close()
