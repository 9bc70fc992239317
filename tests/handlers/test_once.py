"""However often, in whatever order and at how many doors it is told: one sweep, one comment, one check run, one job a
gate. And few questions to GitHub."""

import asyncio
from pathlib import Path

import aiohttp
import pytest

from bot.demo import sample_pr
from bot.demo.github.faults import Cut, Moment
from gatekit.comments.slots import Slot
from gatekit.domain.sweep import SweepState
from tests.worlds.bench.bench_pr import LABEL, Setting
from tests.worlds.bench.wide_bench import GATES, wide
from tests.worlds.bot.bot_world import BotWorld, bot_world
from tests.worlds.github.standin import resend

USUAL = Setting(show_seconds=10.0)


async def one_of_each(world: BotWorld, sweeps: int = 1) -> None:
    assert [one.id for one in await world.sweeps()] == list(range(sweeps, 0, -1))
    assert len(world.comments(Slot.GATES)) == 1
    assert len(world.comments(Slot.REPLY)) == 0
    assert len(world.repo.checks) == sweeps
    assert len(world.cluster.started) == len(world.cluster.submitted) == 4 * sweeps


async def test_the_same_delivery_five_times(world: BotWorld) -> None:
    await world.label()
    (labeled,) = [one for one in world.github.hooks.deliveries if one.action == "labeled"]
    for _ in range(4):
        world.github.hooks.redeliver(labeled)
    await world.settled()
    await world.finish_all()
    await one_of_each(world)


async def test_every_stored_body_again_under_a_new_id(world: BotWorld) -> None:
    """Somebody who captured signed bodies can send them again, at every moment of the story."""
    hooks = world.github.hooks

    async def again() -> None:
        before = (world.reply, [one.state for one in await world.sweeps()], world.cluster.submitted)
        for delivery in hooks.deliveries[:]:
            resend(hooks, delivery)
        await world.settled()
        assert (world.reply, [one.state for one in await world.sweeps()], world.cluster.submitted) == before

    await world.label()
    await again()
    await world.push(sample_pr.second_push().edits)
    await again()
    await world.finish_all()
    await again()
    assert [one.id for one in await world.sweeps()] == [2, 1]
    assert len(world.comments(Slot.GATES)) == 1
    assert len(world.cluster.started) == len(world.cluster.submitted) == 5  # of the second head one gate is new
    world.people.close(world.repo, world.pull, by="maria")
    await world.settled()
    await again()
    assert {one.status for one in hooks.deliveries[1:]} == {202}  # the first came before the bot


async def test_bodies_of_a_label_that_is_gone_bring_nothing_back(world: BotWorld) -> None:
    await world.label()
    await world.unlabel()
    for delivery in world.github.hooks.deliveries[:]:
        resend(world.github.hooks, delivery)
    await world.settled()
    assert [one.state for one in await world.sweeps()] == [SweepState.CANCELLED]
    assert (world.cluster.running, len(world.cluster.started)) == ([], 4)


async def test_two_deliveries_at_once_for_one_pull_request(world: BotWorld) -> None:
    hooks, people = world.github.hooks, world.people
    target, hooks.target = hooks.target, None
    people.add_label(world.repo, world.pull, LABEL, by="maria")
    people.push(world.repo, "leaner", {"README.md": b"x"}, by="pat")
    await hooks.settled()
    waiting = [one for one in hooks.deliveries if one.action in ("labeled", "synchronize")]
    assert target is not None
    async with aiohttp.ClientSession() as web:
        posts = [web.post(target, data=one.body, headers=hooks.headers(one)) for one in waiting * 3]
        answers = await asyncio.gather(*posts)
    assert [answer.status for answer in answers] == [202] * 6
    await world.settled()
    await one_of_each(world)


@pytest.mark.parametrize("moment", list(Moment))
@pytest.mark.parametrize("path", ["/repos/*/issues/1/comments", "/repos/*/check-runs"])
async def test_a_creation_whose_answer_is_lost_is_not_done_twice(world: BotWorld, path: str, moment: Moment) -> None:
    world.github.faults.on("POST", path, Cut(moment))
    await world.label()
    await one_of_each(world)


async def test_the_calls_for_a_label(tmp_path: Path) -> None:
    """Cold: also the installation and its token. That gates run is shown later, with two more calls."""
    async with bot_world(tmp_path, USUAL) as world:
        await world.label()
        calls = len(world.github.calls)
        assert calls <= 15, [call.path for call in world.github.calls]
        assert "4 gates planned" in world.gates
        await world.later(10)
        assert "4 running" in world.gates
        assert len(world.github.calls) == calls + 2


async def test_the_calls_for_a_label_on_a_base_that_moved_on(tmp_path: Path) -> None:
    async with bot_world(tmp_path, USUAL) as world:
        world.people.push(world.repo, "main", {"README.md": b"new"}, by="maria")
        await world.label()
        assert len(world.cluster.started) == 4
        assert len(world.github.calls) <= 15, [call.path for call in world.github.calls]


async def test_the_calls_for_a_label_do_not_grow_with_the_sweep(tmp_path: Path) -> None:
    async with bot_world(tmp_path, Setting(edits=wide(), show_seconds=10.0)) as world:
        await world.label()
        assert len((await world.sweep()).plan.gates) == GATES
        assert len(world.github.calls) <= 15


async def test_a_gate_that_ends_costs_two_calls_and_a_look_costs_none(world: BotWorld) -> None:
    await world.label()
    before = len(world.github.calls)
    await world.settled()
    await world.settled()
    assert len(world.github.calls) == before
    await world.finish_all()
    assert len(world.github.calls) - before <= 2 * 4


async def test_any_other_label_costs_two_questions(world: BotWorld) -> None:
    await world.label("bug")
    assert [call.method for call in world.github.calls].count("GET") <= 3
