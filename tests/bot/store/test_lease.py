import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from bot.store.database import Database
from bot.store.lease import Lease
from tests.worlds.bot.desk import Desk
from tests.worlds.bot.hand_clock import HandClock
from tests.worlds.bot.until import until


class Pair:
    """Two processes on one file, as two databases."""

    def __init__(self, first: Database, second: Database) -> None:
        self.clock, self.second_clock = HandClock(), HandClock()
        self.first = Lease(first, self.clock)
        self.second = Lease(second, self.second_clock)

    def advance(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.second_clock.advance(seconds)


@pytest.fixture
async def pair(tmp_path: Path) -> AsyncIterator[Pair]:
    async with Database(tmp_path / "a.db") as first, Database(tmp_path / "a.db") as second:
        yield Pair(first, second)


async def test_one_process_holds_it(pair: Pair) -> None:
    assert not pair.first.held
    assert await pair.first.take()
    assert not await pair.second.take()
    assert (pair.first.held, pair.second.held) == (True, False)
    assert await pair.second.holder() == pair.first.owner


async def test_both_at_once_give_it_to_one(pair: Pair) -> None:
    assert sorted(await asyncio.gather(pair.first.take(), pair.second.take())) == [False, True]


async def test_a_heartbeat_keeps_it(pair: Pair) -> None:
    await pair.first.take()
    for _ in range(4):
        pair.advance(10)
        assert await pair.first.take()
    assert not await pair.second.take()


async def test_it_is_taken_over_after_it_ran_out(pair: Pair) -> None:
    await pair.first.take()
    pair.advance(14.9)
    assert not await pair.second.take()
    pair.advance(0.1)
    assert not pair.first.held, "a process that slept sees it without asking the file"
    assert await pair.second.take()
    assert not await pair.first.take()
    assert await pair.first.holder() == pair.second.owner


async def test_it_can_be_given_back(pair: Pair) -> None:
    await pair.first.take()
    await pair.first.give_back()
    assert not pair.first.held
    assert await pair.second.take()
    await pair.first.give_back()
    assert await pair.second.holder() == pair.second.owner, "only the holder gives it back"


async def test_what_is_kept_calls_once_for_each_change(pair: Pair) -> None:
    calls: list[str] = []

    async def gained() -> None:
        calls.append("gained")

    async def lost() -> None:
        calls.append("lost")

    await pair.second.take()
    keeping = asyncio.create_task(pair.first.keep(gained, lost, pair.clock.sleep))
    await until(lambda: pair.clock.waits == (5,))
    assert calls == []
    for _ in range(5):
        pair.clock.advance(5)
        await until(lambda: pair.clock.waits == (5,))
    assert calls == ["gained"]

    pair.second_clock.advance(60)  # to the other one it looks dead
    assert await pair.second.take()
    pair.clock.advance(5)
    await until(lambda: calls == ["gained", "lost"])
    keeping.cancel()
    await asyncio.wait((keeping,))


async def test_a_heartbeat_that_cannot_be_written_loses_it_only_when_it_runs_out(tmp_path: Path) -> None:
    clock, calls = HandClock(), list[str]()

    async def gained() -> None:
        calls.append("gained")

    async def lost() -> None:
        calls.append("lost")

    async with Database(tmp_path / "a.db") as db:
        lease = Lease(db, clock)
        keeping = asyncio.create_task(lease.keep(gained, lost, clock.sleep))
        await until(lambda: clock.waits == (5,))
        await db.write(lambda conn: conn.execute("ALTER TABLE lease RENAME TO gone"))
        for seconds in (5, 5):
            clock.advance(seconds)
            await until(lambda: clock.waits == (5,))
            assert calls == ["gained"]
        clock.advance(5)
        await until(lambda: calls == ["gained", "lost"])
        keeping.cancel()
        await asyncio.wait((keeping,))


async def test_the_one_with_the_lease_dispatches_and_the_other_takes_over(tmp_path: Path) -> None:
    """Both store; one handles. When its heartbeats stop, its running handler is cut and the other one does the work."""
    async with AsyncExitStack() as stack:
        clock = HandClock()
        desks, leases, keeping = [], [], []
        for _ in range(2):
            db = await stack.enter_async_context(Database(tmp_path / "a.db"))
            desks.append(Desk(db, clock))
            leases.append(Lease(db, clock))
        for desk, lease in zip(desks, leases, strict=True):
            keep = lease.keep(desk.dispatcher.start, desk.dispatcher.stop, clock.sleep)
            keeping.append(asyncio.create_task(keep))
            await until(lambda: len(clock.waits) == len(keeping))
        active, second = desks
        active.hold("a")
        await second.store("a")
        await until(lambda: active.begun == ["a"])
        assert second.begun == []

        keeping[0].cancel()
        for _ in range(3):
            clock.advance(5)
            await until(lambda: clock.waits == (5,))
        await until(lambda: second.ended == ["a"])

        again = asyncio.create_task(leases[0].keep(active.dispatcher.start, active.dispatcher.stop, clock.sleep))
        await until(lambda: len(clock.waits) == 2)
        assert not leases[0].held
        for task in (keeping[1], again):
            task.cancel()
        await asyncio.wait([*keeping, again])
        for desk in desks:
            await desk.dispatcher.stop()
        assert active.ended == []
