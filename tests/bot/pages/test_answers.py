"""JSON with keys that stay, strict headers on every answer, readiness, and one sentence for what is not there."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.pages.readiness import LOW_DISK, Readiness
from bot.pages.sources import github_pages
from bot.store.deliveries import DeliveryState
from gatekit.domain.gates import GatePlan
from gatekit.domain.ids import short
from gatekit.domain.sweep import GateState, SweepState
from tests.bot.pages.house import House, open_house, with_leftovers
from tests.worlds.bench.plans import HEAD, PR, gate, wish
from tests.worlds.bot.stories import BELOW, FAILED, FAR, NEAR, NO_HEAD, ON_CURVE
from tests.worlds.cluster.attempts import Attempt

LINE = {
    *("id", "pr", "head", "label", "sender", "cause", "state", "ended_because", "created", "gates", "standing"),
}
SWEEP = {
    *("id", "pr", "head", "label", "sender", "cause", "state", "ended_because", "announced", "enforce", "created"),
    *("plan", "rows", "canary", "fail_fast", "pauses", "changes", "retired", "standing"),
}
ROW = {"gate", "state", "attempt", "verdict", "log_tail", "earlier", "said", "source", "past"}
GATE = {
    *("key", "title", "config_key", "framework", "cluster", "recipe", "drafting", "golden", "collection", "launch"),
    *("concurrencies", "representative", "stripped", "starting"),
}
STATUS = {
    *("ready", "unready_because", "database", "lease", "lease_holder", "free_disk_bytes", "parked_deliveries"),
    *("github_out_of_reach_seconds", "clusters_out_of_reach_seconds", "clusters_paused"),
}
READY = Readiness(True, True, "host:1:ab", LOW_DISK + 1, 0, 0.0, {"demo": 0.0})


async def test_the_list_as_json(house: House) -> None:
    running = await house.plan(NEAR, FAR, number=1)
    ended = await house.plan(NEAR, number=2)
    await house.end(ended, SweepState.CANCELLED, "closed")
    await house.judge(running, NEAR, ON_CURVE)
    lines = await house.json("/api/sweeps")
    assert isinstance(lines, list)
    assert [line.keys() for line in lines] == [LINE, LINE]
    first, second = lines
    assert (first["id"], first["state"], first["gates"]) == (running, "running", 2)
    assert first["standing"] == {"on curve": 1, "waiting": 1}
    assert (second["id"], second["state"], second["ended_because"]) == (ended, "cancelled", "closed")
    whole = await house.json("/api/")
    assert isinstance(whole, dict)
    assert whole["sweeps"] == lines
    assert whole["status"].keys() == STATUS


async def test_a_sweep_as_json(house: House) -> None:
    sweep = await house.plan(new=with_leftovers(wish(NEAR, FAR, NO_HEAD)))
    await house.judge(sweep, NEAR, ON_CURVE)
    await house.judge(sweep, NO_HEAD, FAILED, "the last line")
    found = await house.json(f"/api/sweeps/{sweep}")
    assert isinstance(found, dict)
    assert found.keys() == SWEEP
    assert (found["id"], found["head"], found["state"]) == (sweep, HEAD, "running")
    assert found["pr"] == {"repo": {"owner": PR.repo.owner, "name": PR.repo.name}, "number": PR.number}
    assert found["plan"].keys() == set(GatePlan.__dataclass_fields__)
    assert [row.keys() for row in found["rows"]] == [ROW] * 3
    assert found["rows"][0]["gate"].keys() == GATE
    judged, waiting, failed = (row["verdict"] for row in found["rows"])
    assert (judged["outcome"], judged["realized"]["al"], judged["golden"]) == ("on curve", 2.48, 2.5)
    assert waiting is None
    assert (failed["why"], found["rows"][2]["log_tail"]) == ("engine-failed", ["the last line"])
    assert found["standing"] == {"on curve": 1, "not measured": 1, "waiting": 1}


async def test_a_gate_as_json_holds_its_raw_scrapes(house: House) -> None:
    sweep = await house.plan(NEAR)
    await house.judge(sweep, NEAR, BELOW)
    material = Attempt(gate=NEAR).material()
    house.materials[NEAR.key] = material
    found = await house.json(f"/api/sweeps/{sweep}/gates/{short(NEAR.key)}")
    assert isinstance(found, dict)
    assert found.keys() == {"sweep", "short", "job", "status", "texts"} | ROW
    assert found["job"] == f"gk-{sweep}-{short(NEAR.key)}-1"
    assert found["texts"]["before: agg-0"] == material.before["agg-0"]
    assert found["texts"]["after: agg-0"] == material.after["agg-0"]


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/sweeps/12", "There is no sweep 12: / lists the newest ones."),
        ("/sweeps/0", "There is no sweep 0: / lists the newest ones."),
        ("/sweeps/abc", "There is no sweep abc: / lists the newest ones."),
        ("/sweeps/" + "9" * 30, f"There is no sweep {'9' * 30}: / lists the newest ones."),
        ("/sweeps/9223372036854775807", "There is no sweep 9223372036854775807: / lists the newest ones."),
        ("/api/sweeps/12", "There is no sweep 12: / lists the newest ones."),
        ("/sweeps/1/gates/nope", "Sweep 1 has no gate nope: /sweeps/1 lists its gates."),
        ("/api/sweeps/1/gates/nope", "Sweep 1 has no gate nope: /sweeps/1 lists its gates."),
        ("/sweeps", "There is no such page: / lists the sweeps."),
        ("/signoffs", "There is no such page: / lists the sweeps."),
        ("/webhook", "There is no such page: / lists the sweeps."),
    ],
)
async def test_what_is_not_there_is_said_in_one_sentence(house: House, path: str, sentence: str) -> None:
    await house.plan(gate())
    assert await house.get(path, 404) == f"{sentence}\n"


async def test_every_answer_has_the_strict_headers(house: House) -> None:
    sweep = await house.plan(NEAR)
    paths = ["/", "/style.css", f"/sweeps/{sweep}", f"/sweeps/{sweep}/gates/{short(NEAR.key)}", "/sweeps/77", "/nope"]
    paths += ["/api/", "/api/sweeps", f"/api/sweeps/{sweep}", "/readyz", "/metrics"]
    for path in paths:
        async with house.client.get(path) as answer:
            policy = answer.headers["Content-Security-Policy"]
            assert policy.startswith("default-src 'none'; style-src 'self';"), path
            assert answer.headers["X-Content-Type-Options"] == "nosniff", path
            assert answer.headers["Referrer-Policy"] == "no-referrer", path
    async with house.client.post("/") as answer:
        assert (answer.status, "Content-Security-Policy" in answer.headers) == (405, True)


async def test_a_database_that_cannot_be_read_is_told_in_one_sentence(house: House) -> None:
    await house.db.close()
    for path in ("/", "/sweeps/1", "/api/", "/api/sweeps/1"):
        assert await house.get(path, 503) == "The database could not be read: /readyz says more.\n"
    found = await house.json("/readyz", 503)
    assert isinstance(found, dict)
    assert (found["ready"], found["database"], found["parked_deliveries"]) == (False, False, None)
    assert "the database takes no work" in found["unready_because"]


async def test_readyz_of_the_active_process(house: House) -> None:
    house.reach["b200"], house.github_seconds = 60.5, 12.5
    await house.delivery("a", DeliveryState.PARKED)
    found = await house.json("/readyz")
    assert isinstance(found, dict)
    assert found.keys() == STATUS
    assert found["free_disk_bytes"] > 0
    assert {**found, "free_disk_bytes": 1} == {
        "ready": True,
        "unready_because": [],
        "database": True,
        "lease": True,
        "lease_holder": house.lease.owner,
        "free_disk_bytes": 1,
        "parked_deliveries": 1,
        "github_out_of_reach_seconds": 12.5,
        "clusters_out_of_reach_seconds": {"demo": 0.0, "b200": 60.5},
        "clusters_paused": {},
    }


async def test_readyz_of_a_waiting_process(house: House, tmp_path: Path) -> None:
    async with open_house(tmp_path) as second:
        found = await second.json("/readyz", 503)
    assert isinstance(found, dict)
    assert (found["lease"], found["lease_holder"]) == (False, house.lease.owner)
    assert found["unready_because"] == ["another process is the active one"]


@pytest.mark.parametrize(
    ("readiness", "because"),
    [
        (READY, ()),
        (replace(READY, github_out_of_reach_seconds=1e6, clusters_out_of_reach_seconds={"demo": 1e6}), ()),
        (replace(READY, parked_deliveries=None), ()),
        (replace(READY, database=False), ("the database takes no work",)),
        (replace(READY, lease=False), ("another process is the active one",)),
        (replace(READY, lease=False, lease_holder=None), ("no process holds the lease",)),
        (replace(READY, free_disk_bytes=LOW_DISK), ("the disk is nearly full",)),
    ],
)
def test_what_makes_a_bot_unready(readiness: Readiness, because: tuple[str, ...]) -> None:
    assert (readiness.unready_because, readiness.ready) == (because, not because)


@pytest.mark.parametrize(
    ("api_url", "pages"),
    [
        ("https://api.github.com", "https://github.com"),
        ("https://api.octo.ghe.com", "https://octo.ghe.com"),
        ("https://github.example.org/api/v3", "https://github.example.org"),
        ("http://127.0.0.1:8099", None),
    ],
)
def test_where_people_read_what_an_api_serves(api_url: str, pages: str | None) -> None:
    assert github_pages(api_url) == pages


async def test_the_states_of_gates_count_as_words(house: House) -> None:
    sweep = await house.plan(NEAR, FAR, NO_HEAD)
    await house.bring(sweep, NEAR, GateState.SUBMITTING)
    await house.bring(sweep, FAR, GateState.ENDED)
    found = await house.json(f"/api/sweeps/{sweep}")
    assert isinstance(found, dict)
    assert found["standing"] == {"waiting": 1, "submitting": 1, "ended": 1}
