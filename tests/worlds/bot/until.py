"""Waiting for a condition instead of for some time."""

import asyncio
from collections.abc import Callable

LOOK_SECONDS = 0.002


async def until(condition: Callable[[], bool], seconds: float = 20) -> None:
    """Returns when the condition holds; fails after `seconds`."""
    for _ in range(int(seconds / LOOK_SECONDS)):
        if condition():
            return
        await asyncio.sleep(LOOK_SECONDS)
    raise AssertionError(f"waited {seconds} s for nothing")
