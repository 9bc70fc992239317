"""Every decision about reuse stands in the audit once: in the database, in the log, on the sweep's page."""

import logging
from collections.abc import Iterable

import aiohttp
import pytest

from bot.demo import sample_pr
from bot.demo.github.merging import Merging
from gatekit.domain.audit import Note, Subject
from tests.worlds.bench.bench_pr import DRAFT, LABEL, LEAN, SELF, THIRD
from tests.worlds.bot.bot_world import BotWorld
from tests.worlds.github.actions import RUN, a_run, measured, say

NEAR_AGAIN = sample_pr.second_push().edits  # changes one recipe of four
TITLES = {"README.md": b"nothing that is measured"}


async def notes(world: BotWorld, subject: Subject) -> list[Note]:
    return [line.note for line in await world.audit() if line.note.subject is subject]


async def by_config(world: BotWorld, found: Iterable[Note]) -> dict[str, Note]:
    keys = {row.gate.key: row.gate.config_key for sweep in await world.sweeps() for row in sweep.rows}
    return {keys[note.key]: note for note in found if note.key is not None}


async def test_a_command_is_on_record_once_and_again_where_it_is_looked_at_for_another_head(world: BotWorld) -> None:
    await measured(world)
    await say(world, "/use 1")
    await world.push(TITLES)
    await say(world, "/use 999")
    lines = await notes(world, Subject.USE)
    assert [(one.actor, one.command, one.run, one.outcome) for one in lines] == [
        ("maria", "/use 1", 1, "accepted"),
        ("maria", "/use 1", 1, "accepted"),
        ("maria", "/use 999", 999, "not-found"),
    ]
    assert len({one.head for one in lines}) == 2


async def test_each_gate_of_a_sweep_with_what_it_took_and_why(world: BotWorld) -> None:
    await measured(world)
    first = world.pull.head
    await world.push(NEAR_AGAIN)
    lines = await notes(world, Subject.GATE)
    assert len(lines) == 8
    started, later = await by_config(world, lines[:4]), await by_config(world, lines[4:])
    assert {(one.actor, one.command, one.outcome, one.sweep) for one in started.values()} == {
        ("maria", f"label {LABEL}", "started", 1)
    }
    assert {key: one.outcome for key, one in later.items()} == dict.fromkeys((DRAFT, SELF, THIRD), "reused") | {
        LEAN: "started"
    }
    assert {(one.actor, one.command, one.head, one.sweep) for one in later.values()} == {
        ("pat", f"push under {LABEL}", world.pull.head, 2)
    }
    assert (later[DRAFT].run, later[LEAN].run) == (1, None)
    assert later[DRAFT].reason.startswith(f"reused from sweep 1 (`{first[:7]}`")
    assert later[LEAN].parts == ("drafting.draft_model", "launch.args.model-draft")


async def test_what_runs_and_is_kept(world: BotWorld) -> None:
    await world.label()
    await world.push(TITLES)
    assert {one.outcome for one in (await notes(world, Subject.GATE))[4:]} == {"adopted"}


async def test_a_merge_is_on_record_once_however_often_it_is_told(world: BotWorld) -> None:
    a_run(world)
    await say(world, f"/use {RUN}")
    sha = Merging(world.people).merge(world.repo, world.pull, by="maria")
    await world.settled()
    (closed,) = [one for one in world.github.hooks.deliveries if one.action == "closed"]
    world.github.hooks.redeliver(closed)
    await world.settled()
    await say(world, "/use 999")
    (note,) = await notes(world, Subject.MERGE)
    assert (note.actor, note.command, note.run, note.head, note.outcome) == ("maria", "merge", RUN, sha, "reused")
    assert f"Workflow run {RUN}" in note.reason


async def test_the_same_sweep_again_is_no_second_decision(world: BotWorld) -> None:
    await world.label()
    for delivery in world.github.hooks.deliveries[1:]:
        world.github.hooks.redeliver(delivery)
    await world.settled()
    assert len(await notes(world, Subject.GATE)) == 4


async def test_the_log_says_the_same(world: BotWorld, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="gatekit.audit")
    await measured(world)
    await say(world, "/use 1")
    told = [record for record in caplog.records if record.name == "gatekit.audit"]
    assert [record.getMessage().partition(":")[0] for record in told] == ["started"] * 4 + ["accepted"]
    assert (told[-1].__dict__["actor"], told[-1].__dict__["command"], told[-1].__dict__["run"]) == (
        "maria",
        "/use 1",
        1,
    )


async def test_the_page_of_the_sweep_shows_it_and_has_it_as_json(world: BotWorld) -> None:
    await measured(world)
    await say(world, "/use 1", by="pat")
    async with aiohttp.ClientSession(world.bot.operator_url) as web:
        async with web.get("/api/sweeps/1/audit") as answer:
            found = await answer.json()
        async with web.get("/sweeps/1") as answer:
            page = await answer.text()
    assert [line["subject"] for line in found] == ["gate"] * 4 + ["use"]
    assert (found[-1]["actor"], found[-1]["command"], found[-1]["run"], found[-1]["gate"]) == ("pat", "/use 1", 1, None)
    assert found[0]["gate"] == (await world.sweep()).rows[0].gate.key
    assert "Who asked for what, and what came of it: 5" in page
    assert "<bdi>pat</bdi>: <code>/use 1</code>" in page
