import asyncio
import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.deliveries.attempts import Options
from bot.store.deliveries import DeliveryState
from gatekit.domain.ids import GateKey, PrRef, Repo, SweepId
from handlers.events import GateEnded
from tests.worlds.bot.desk import Desk, open_desk
from tests.worlds.bot.hand_clock import NOON
from tests.worlds.bot.until import PATIENCE, until

DONE, NOTHING, WAITING = DeliveryState.DONE, DeliveryState.NOTHING, DeliveryState.WAITING


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with open_desk(tmp_path / "a.db") as desk:
        yield desk


def _ended(attempt: int = 1) -> GateEnded:
    return GateEnded(PrRef(Repo("Codertocat", "Hello-World"), 1), SweepId(1), GateKey("0" * 64), attempt)


async def test_a_pull_requests_events_run_in_order_one_at_a_time(desk: Desk) -> None:
    await desk.dispatcher.start()
    first = desk.hold("a")
    for label in ("a", "b", "c"):
        await desk.store(label)
    await until(lambda: desk.dispatcher.backlog == 3)
    assert desk.begun == ["a"]
    first.set()
    await desk.dispatcher.idle()
    assert desk.ended == ["a", "b", "c"]
    assert set((await desk.states()).values()) == {DONE}


async def test_pull_requests_do_not_wait_for_each_other(desk: Desk) -> None:
    await desk.dispatcher.start()
    desk.hold("slow")
    await desk.store("slow", pr=1)
    await desk.store("quick", pr=2)
    await until(lambda: desk.ended == ["quick"])


async def test_only_so_many_handlers_run_at_once(tmp_path: Path) -> None:
    async with open_desk(tmp_path / "a.db", Options(at_once=2)) as desk:
        await desk.dispatcher.start()
        held = [desk.hold(str(pr)) for pr in range(1, 5)]
        for pr in range(1, 5):
            await desk.store(str(pr), pr=pr)
        await until(lambda: desk.dispatcher.backlog == 4)
        await until(lambda: len(desk.begun) == 2)
        for one in held:
            one.set()
        await desk.dispatcher.idle()
        assert len(desk.ended) == 4


async def test_a_start_takes_up_what_was_left_in_order(tmp_path: Path) -> None:
    async with open_desk(tmp_path / "a.db") as before:
        for label in ("a", "b", "c"):
            await before.store(label)
        await before.deliveries.finish(1, DONE, "", NOON)
    async with open_desk(tmp_path / "a.db") as desk:
        await desk.dispatcher.start()
        await desk.dispatcher.idle()
        assert desk.ended == ["b", "c"]


async def test_what_asks_nothing_of_us_is_settled_with_the_reason(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    await desk.dispatcher.start()
    await desk.store("push", event="push")
    await desk.store("odd", body=json.dumps({"action": "closed"}).encode())
    await desk.store("deep", body=b"[" * 200_000 + b"]" * 200_000)
    await desk.dispatcher.idle()
    assert [(row.state, row.detail) for row in await desk.rows()] == [
        (NOTHING, "no handler for push"),
        (NOTHING, "pull_request.closed: no pull request number"),
        (NOTHING, "no action"),
    ]
    assert [record.message for record in caplog.records if record.levelno == logging.WARNING] == [
        "not understood: pull_request.closed: no pull request number",
        "not understood: no action",
    ]


async def test_our_own_events_run_in_the_pull_requests_lane_and_once(desk: Desk) -> None:
    await desk.dispatcher.start()
    first = desk.hold("a")
    await desk.store("a")
    await until(lambda: desk.begun == ["a"])
    for _ in range(3):
        desk.dispatcher.post(_ended())
    desk.dispatcher.post(_ended(attempt=2))
    assert desk.dispatcher.backlog == 3
    first.set()
    await desk.dispatcher.idle()
    assert desk.ended == ["a", "GateEnded", "GateEnded"]
    desk.dispatcher.post(_ended())
    await desk.dispatcher.idle()
    assert desk.ended.count("GateEnded") == 3


async def test_a_graceful_stop_lets_the_running_handler_end_and_starts_no_other(desk: Desk) -> None:
    await desk.dispatcher.start()
    first = desk.hold("a")
    await desk.store("a")
    await desk.store("b")
    await until(lambda: desk.begun == ["a"] and desk.dispatcher.backlog == 2)
    stopping = asyncio.create_task(desk.dispatcher.stop(grace_seconds=PATIENCE))
    await until(lambda: not desk.dispatcher.running)
    first.set()
    await stopping
    assert (desk.begun, desk.ended) == (["a"], ["a"])
    assert await desk.states() == {"a": DONE, "b": WAITING}


async def test_a_stop_at_once_cuts_the_handler_and_the_delivery_runs_after_the_next_start(desk: Desk) -> None:
    await desk.dispatcher.start()
    desk.hold("a")
    await desk.store("a")
    await until(lambda: desk.begun == ["a"])
    await desk.dispatcher.stop()
    assert await desk.states() == {"a": WAITING}
    desk.held.clear()
    await desk.dispatcher.start()
    await desk.dispatcher.idle()
    assert desk.ended == ["a"]


async def test_a_stop_does_not_wait_for_what_only_waits(tmp_path: Path) -> None:
    """Neither for a delay nor for room: both begin again with the next start."""
    async with open_desk(tmp_path / "a.db", Options(at_once=1)) as desk:
        desk.failures["fails"] = [RuntimeError("x")]
        await desk.dispatcher.start()
        await desk.store("fails", pr=1)
        await until(lambda: desk.clock.waits == (1,))
        running = desk.hold("runs")
        await desk.store("runs", pr=2)
        await until(lambda: "runs" in desk.begun)
        await desk.store("no room", pr=3)
        await until(lambda: desk.dispatcher.backlog == 3)
        stopping = asyncio.create_task(desk.dispatcher.stop(grace_seconds=3600))
        await until(lambda: desk.clock.waits == ())
        running.set()
        await stopping
        assert desk.begun == ["fails", "runs"]
        assert await desk.states() == {"fails": WAITING, "runs": DONE, "no room": WAITING}


async def test_what_was_settled_long_ago_is_forgotten(desk: Desk) -> None:
    await desk.store("old")
    await desk.deliveries.finish(1, DONE, "", NOON)
    desk.clock.advance(31 * 24 * 3600)
    await desk.store("new")
    await desk.dispatcher.start()
    await desk.dispatcher.idle()
    assert await desk.states() == {"new": DONE}


async def test_nothing_begins_without_the_lease(tmp_path: Path) -> None:
    ours = [False]
    async with open_desk(tmp_path / "a.db", Options(may_run=lambda: ours[0])) as desk:
        await desk.dispatcher.start()
        await desk.store("a")
        await until(lambda: desk.clock.waits == (0.5,))
        assert desk.begun == []
        ours[0] = True
        desk.clock.advance(0.5)
        await desk.dispatcher.idle()
        assert desk.ended == ["a"]


async def test_what_another_process_stored_is_found(desk: Desk, tmp_path: Path) -> None:
    await desk.dispatcher.start()
    await desk.dispatcher.idle()
    async with open_desk(tmp_path / "a.db") as other:
        await other.store("theirs")
    await until(lambda: desk.ended == ["theirs"])
