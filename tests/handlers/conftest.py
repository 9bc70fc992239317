from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.worlds.bot.bot_world import BotWorld, bot_world
from tests.worlds.signoff.signing import signing_world


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[BotWorld]:
    async with bot_world(tmp_path) as opened:
        yield opened


@pytest.fixture
async def signing(tmp_path: Path) -> AsyncIterator[BotWorld]:
    async with signing_world(tmp_path) as opened:
        yield opened
