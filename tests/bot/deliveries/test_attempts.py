from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.deliveries.attempts import Options, Parked
from bot.store.deliveries import DeliveryState
from gatekit.domain.errors import Refusal
from gatekit.domain.ids import DeliveryId, GateKey, Login, PrRef, Repo, SweepId
from handlers.errors import LookupFailed
from handlers.events import GateEnded, LabelAdded
from tests.worlds.bot.desk import Desk, open_desk
from tests.worlds.bot.until import until

DONE, PARKED = DeliveryState.DONE, DeliveryState.PARKED
PR = PrRef(Repo("Codertocat", "Hello-World"), 1)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with open_desk(tmp_path / "a.db") as desk:
        yield desk


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
    assert desk.parked == [Parked(LabelAdded(PR, "a", Login("Codertocat")), DeliveryId("a"), error)]


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


async def test_our_own_event_that_fails_is_tried_again_and_parked(tmp_path: Path) -> None:
    async with open_desk(tmp_path / "a.db", Options(delays=(1,))) as desk:
        desk.failures["GateEnded"] = [RuntimeError("x"), RuntimeError("y")]
        await desk.dispatcher.start()
        ended = GateEnded(PR, SweepId(1), GateKey("0" * 64), attempt=1)
        desk.dispatcher.post(ended)
        await until(lambda: desk.clock.waits == (1,))
        desk.clock.advance(1)
        await desk.dispatcher.idle()
        assert desk.parked == [Parked(ended, None, "RuntimeError: y")]


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
