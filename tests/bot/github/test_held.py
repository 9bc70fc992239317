"""What is kept, and what is asked only once."""

import asyncio

import pytest

from bot.github.cache import ByteLru, SingleFlight


@pytest.mark.parametrize(
    ("puts", "kept"),
    [
        ([("a", 4), ("b", 4)], ["a", "b"]),
        ([("a", 4), ("b", 4), ("c", 4)], ["b", "c"]),
        ([("a", 4), ("a", 9)], ["a"]),
        ([("a", 4), ("b", 11)], ["a"]),
        ([("a", 4), ("a", 11)], []),
    ],
)
def test_the_oldest_goes_when_the_bytes_are_spent(puts: list[tuple[str, int]], kept: list[str]) -> None:
    lru: ByteLru[str, int] = ByteLru(10)
    for name, size in puts:
        lru.put(name, size, size)
    assert [name for name in "abc" if lru.get(name) is not None] == kept
    assert lru.size == sum(lru.get(name) or 0 for name in kept)


def test_what_was_used_last_stays() -> None:
    lru: ByteLru[str, int] = ByteLru(10)
    lru.put("a", 1, 5)
    lru.put("b", 2, 5)
    lru.get("a")
    lru.put("c", 3, 5)
    assert (lru.get("a"), lru.get("b"), lru.get("c")) == (1, None, 3)


async def test_work_goes_on_when_its_first_asker_leaves() -> None:
    flight: SingleFlight[str, int] = SingleFlight()
    begun, may_end, times = asyncio.Event(), asyncio.Event(), []

    async def work() -> int:
        times.append(1)
        begun.set()
        await may_end.wait()
        return 7

    first = asyncio.create_task(flight.run("key", work))
    await begun.wait()
    second = asyncio.create_task(flight.run("key", work))
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    may_end.set()
    assert (await second, len(times)) == (7, 1)
    assert await flight.run("key", work) == 7
    assert len(times) == 2


async def test_work_that_nobody_waits_for_ends_with_the_house() -> None:
    flight: SingleFlight[str, bool] = SingleFlight()
    asker = asyncio.create_task(flight.run("key", asyncio.Event().wait))
    await asyncio.sleep(0)
    await flight.close()
    with pytest.raises(asyncio.CancelledError):
        await asker
