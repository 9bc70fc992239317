import asyncio
import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.attempts import Options, Parked
from bot.store.deliveries import DeliveryState
from gatekit.ids import DeliveryId, GateKey, PrRef, Repo, SweepId
from gatekit.refusal import Refusal
from handlers.errors import LookupFailed
from handlers.events import GateEnded
from tests.worlds.desk import Desk, open_desk
from tests.worlds.hand_clock import NOON
from tests.worlds.until import until

DONE, NOTHING, PARKED, WAITING = (
    DeliveryState.DONE,
    DeliveryState.NOTHING,
    DeliveryState.PARKED,
    DeliveryState.WAITING,
)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with open_desk(tmp_path / "a.db") as desk:
        yield desk


def _ended(pr: int = 1, attempt: int = 1) -> GateEnded:
    return GateEnded(PrRef(Repo("Codertocat", "Hello-World"), pr), SweepId(1), GateKey("0" * 64), attempt)


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


async def test_a_failed_event_is_tried_again_before_later_ones(desk: Desk) -> None:
    desk.failures["a"] = [RuntimeError("once"), LookupFailed("twice")]
    await desk.dispatcher.start()
    await desk.store("a")
    await desk.store("b")
    await until(lambda: desk.clock.waits == (1,))
    assert desk.begun == ["a"]
    desk.clock.advance(1)
    await until(lambda: desk.clock.waits == (5,))
    desk.clock.advance(5)
    await desk.dispatcher.idle()
    assert desk.begun == ["a", "a", "a", "b"]
    assert [(row.id, row.state, row.tries) for row in await desk.rows()] == [("a", DONE, 2), ("b", DONE, 0)]


async def test_what_fails_too_often_is_parked_and_the_next_one_runs(desk: Desk) -> None:
    desk.failures["a"] = [RuntimeError(f"no {n}\nghs_16C7e42F292c6912") for n in range(9)]
    await desk.dispatcher.start()
    await desk.store("a")
    await desk.store("b")
    for seconds in Options().delays:
        await until(lambda s=seconds: desk.clock.waits == (s,))
        desk.clock.advance(seconds)
    await desk.dispatcher.idle()
    assert desk.begun == ["a"] * 6 + ["b"]
    assert await desk.states() == {"a": PARKED, "b": DONE}
    error = "RuntimeError: no 5 [redacted]"
    assert (await desk.rows())[0].detail == error
    assert desk.parked == [Parked(PrRef(Repo("Codertocat", "Hello-World"), 1), DeliveryId("a"), error)]


async def test_a_restart_remembers_the_tries_and_the_wait(tmp_path: Path) -> None:
    async with open_desk(tmp_path / "a.db") as before:
        before.failures["a"] = [RuntimeError("x")] * 9
        await before.dispatcher.start()
        await before.store("a")
        await until(lambda: before.clock.waits == (1,))
        before.clock.advance(1)
        await until(lambda: before.clock.waits == (5,))
    async with open_desk(tmp_path / "a.db") as desk:
        desk.clock.advance(2)
        await desk.dispatcher.start()
        await until(lambda: desk.clock.waits == (4,))
        assert desk.begun == []
        desk.failures["a"] = [RuntimeError("x")]
        desk.clock.advance(4)
        await until(lambda: desk.clock.waits == (30,))


async def test_a_parked_delivery_can_be_replayed_while_the_dispatcher_runs(tmp_path: Path) -> None:
    async with open_desk(tmp_path / "a.db", Options(delays=())) as desk:
        desk.failures["a"] = [RuntimeError("x")]
        await desk.dispatcher.start()
        await desk.store("a")
        await desk.dispatcher.idle()
        assert await desk.states() == {"a": PARKED}
        await desk.deliveries.replay(DeliveryId("a"))
        await until(lambda: desk.ended == ["a"])


async def test_a_refusal_is_an_answer_not_a_failure(desk: Desk) -> None:
    desk.failures["a"] = [Refusal("two primaries")]
    await desk.dispatcher.start()
    await desk.store("a")
    await desk.dispatcher.idle()
    (row,) = await desk.rows()
    assert (row.state, row.detail, row.tries) == (DONE, "refused: two primaries", 0)


async def test_a_handler_that_hangs_has_failed(tmp_path: Path) -> None:
    async with open_desk(tmp_path / "a.db", Options(delays=(), handler_seconds=0.05)) as desk:
        desk.hold("a")
        await desk.dispatcher.start()
        await desk.store("a")
        await desk.store("b")
        await until(lambda: desk.ended == ["b"])
        assert (await desk.states())["a"] is PARKED


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


async def test_our_own_event_that_fails_is_tried_again_and_parked(tmp_path: Path) -> None:
    async with open_desk(tmp_path / "a.db", Options(delays=(1,))) as desk:
        desk.failures["GateEnded"] = [RuntimeError("x"), RuntimeError("y")]
        await desk.dispatcher.start()
        desk.dispatcher.post(_ended())
        await until(lambda: desk.clock.waits == (1,))
        desk.clock.advance(1)
        await desk.dispatcher.idle()
        assert desk.parked == [Parked(_ended().pr, None, "RuntimeError: y")]


async def test_an_apology_that_fails_stops_nobody(tmp_path: Path) -> None:
    async with open_desk(tmp_path / "a.db", Options(delays=())) as desk:
        desk.apology_fails_with = RuntimeError("GitHub is down")
        desk.failures["a"] = [RuntimeError("x")]
        await desk.dispatcher.start()
        await desk.store("a")
        await desk.store("b")
        await desk.dispatcher.idle()
        assert await desk.states() == {"a": PARKED, "b": DONE}


async def test_a_failure_is_one_traceback_that_names_the_delivery(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    desk.failures["a"] = [RuntimeError("ours")]
    await desk.dispatcher.start()
    await desk.store("a", pr=7)
    await until(lambda: desk.clock.waits == (1,))
    (record,) = [record for record in caplog.records if record.exc_info]
    assert vars(record) | {"delivery": "a", "pr": "Codertocat/Hello-World#7", "event": "LabelAdded"} == vars(record)


async def test_a_graceful_stop_lets_the_running_handler_end_and_starts_no_other(desk: Desk) -> None:
    await desk.dispatcher.start()
    first = desk.hold("a")
    await desk.store("a")
    await desk.store("b")
    await until(lambda: desk.begun == ["a"] and desk.dispatcher.backlog == 2)
    stopping = asyncio.create_task(desk.dispatcher.stop(grace_seconds=20))
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
