import hashlib
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.store.database import Database
from bot.store.deliveries import Arrival, Deliveries, DeliveryState, Route
from gatekit.domain.ids import DeliveryId
from tests.worlds.bot.hand_clock import NOON

ROUTE = Route("labeled", 7, "Octo/Bench", 2)
EVERY = list(DeliveryState)


@pytest.fixture
async def deliveries(tmp_path: Path) -> AsyncIterator[Deliveries]:
    async with Database(tmp_path / "a.db") as db:
        yield Deliveries(db)


def arrival(name: str, body: bytes = b"", route: Route = ROUTE) -> Arrival:
    body = body or b'{"by": "%s"}' % name.encode()
    return Arrival(DeliveryId(name), "pull_request", route, body, hashlib.sha256(body).hexdigest(), NOON)


async def test_a_delivery_comes_back_byte_for_byte(deliveries: Deliveries) -> None:
    body = '{"title": "Größe ✓"}'.encode() * 1000
    assert await deliveries.store(arrival("a", body))
    (waiting,) = await deliveries.waiting(0)
    assert (waiting.id, waiting.event, waiting.lane, waiting.tries) == ("a", "pull_request", "octo/bench#2", 0)
    assert await deliveries.body(waiting.seq) == body


async def test_a_repeat_changes_nothing(deliveries: Deliveries) -> None:
    assert await deliveries.store(arrival("a", b"first"))
    assert not await deliveries.store(arrival("a", b"second"))
    (waiting,) = await deliveries.waiting(0)
    assert await deliveries.body(waiting.seq) == b"first"


async def test_a_body_that_came_before_is_nothing_under_another_id(deliveries: Deliveries) -> None:
    """Who captured a signed body can choose its id: the signature does not cover it."""
    assert await deliveries.store(arrival("a", b"captured"))
    assert not await deliveries.store(arrival("b", b"captured"))
    assert [one.id for one in await deliveries.waiting(0)] == ["a"]
    (kept,) = await deliveries.listing([DeliveryState.NOTHING], 10)
    assert (kept.id, kept.detail) == ("b", "this body came before under another id")


async def test_a_body_is_known_for_longer_than_its_delivery(deliveries: Deliveries) -> None:
    await deliveries.store(arrival("a", b"captured"))
    await deliveries.finish(1, DeliveryState.DONE, "", NOON)
    assert await deliveries.prune(NOON + timedelta(days=31), timedelta(days=30)) == 1
    assert not await deliveries.store(arrival("b", b"captured"))


async def test_a_repeat_of_a_finished_delivery_does_not_run_again(deliveries: Deliveries) -> None:
    await deliveries.store(arrival("a"))
    await deliveries.finish(1, DeliveryState.DONE, "", NOON)
    assert not await deliveries.store(arrival("a"))
    assert await deliveries.waiting(0) == ()


async def test_waiting_deliveries_come_in_order_and_in_pieces(deliveries: Deliveries) -> None:
    for name in "abcde":
        await deliveries.store(arrival(name))
    await deliveries.finish(2, DeliveryState.NOTHING, "no handler", NOON)
    assert [one.id for one in await deliveries.waiting(0, limit=3)] == ["a", "c", "d"]
    assert [one.id for one in await deliveries.waiting(4)] == ["e"]


async def test_a_failure_is_remembered(deliveries: Deliveries) -> None:
    await deliveries.store(arrival("a"))
    await deliveries.retry(1, 2, NOON + timedelta(seconds=30), "LookupFailed: no answer")
    (waiting,) = await deliveries.waiting(0)
    assert (waiting.tries, waiting.next_at) == (2, NOON + timedelta(seconds=30))
    (row,) = await deliveries.listing([DeliveryState.WAITING], 10)
    assert (row.tries, row.detail, row.next_at) == (2, "LookupFailed: no answer", NOON + timedelta(seconds=30))


@pytest.mark.parametrize(
    ("state", "runs_again"),
    [
        (DeliveryState.DONE, True),
        (DeliveryState.NOTHING, True),
        (DeliveryState.PARKED, True),
        (DeliveryState.WAITING, False),
    ],
)
async def test_replay_puts_what_was_settled_at_the_end(
    deliveries: Deliveries, state: DeliveryState, runs_again: bool
) -> None:
    await deliveries.store(arrival("a", b"kept"))
    await deliveries.store(arrival("b"))
    if state is not DeliveryState.WAITING:
        await deliveries.retry(1, 5, NOON, "again")
        await deliveries.finish(1, state, "", NOON)

    assert await deliveries.replay(DeliveryId("a")) is state

    found = await deliveries.waiting(0)
    assert [one.id for one in found] == (["b", "a"] if runs_again else ["a", "b"])
    again = next(one for one in found if one.id == "a")
    assert again.tries == 0
    assert await deliveries.body(again.seq) == b"kept"


async def test_nobody_replays_what_is_not_there(deliveries: Deliveries) -> None:
    assert await deliveries.replay(DeliveryId("x")) is None


async def test_old_settled_deliveries_are_forgotten_others_are_kept(deliveries: Deliveries) -> None:
    for seq, state in enumerate(
        (DeliveryState.DONE, DeliveryState.NOTHING, DeliveryState.PARKED, DeliveryState.DONE), 1
    ):
        await deliveries.store(arrival(str(seq)))
        await deliveries.finish(seq, state, "", NOON + timedelta(days=seq))
    await deliveries.store(arrival("waits"))

    assert await deliveries.prune(NOON + timedelta(days=33), keep=timedelta(days=30)) == 2

    assert [row.id for row in await deliveries.listing(EVERY, 10)] == ["waits", "4", "3"]


@pytest.mark.parametrize("name", ["'; DROP TABLE deliveries; --", "", "x" * 5000, "ключ"])
async def test_an_id_is_only_text(deliveries: Deliveries, name: str) -> None:
    assert await deliveries.store(arrival(name))
    assert [row.id for row in await deliveries.listing(EVERY, 10)] == [name]
