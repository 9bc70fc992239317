"""Waiting for a condition instead of for some time. How long anybody may wait stands here: it only ends what hangs."""

import asyncio
import time
from collections.abc import Callable

LOOK_SECONDS = 0.002
PATIENCE = 120.0  # seconds for one step, on a machine that has ten times as much to do as it can
WHOLE_GATE = 600.0  # for a gate from its start to its result


async def until(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Returns when the condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds:g} s for nothing"
        await asyncio.sleep(LOOK_SECONDS)


def wait_until(condition: Callable[[], object], what: str = "nothing") -> None:
    """The same where nothing else is to go on meanwhile."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"waited {PATIENCE:g} s for {what}"
        time.sleep(10 * LOOK_SECONDS)
