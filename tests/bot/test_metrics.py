"""Each number shows up under its name, with the value that the events before it make."""

from collections import Counter
from pathlib import Path

import pytest
from aiohttp import ClientSession
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from bot.demo.github.faults import Answer
from bot.github.channel import RequestSeen
from bot.metrics import Metrics, ReachMeter
from gatekit.domain.sweep import Pausing
from tests.worlds.bench.bench_pr import DRAFT
from tests.worlds.bot.bot_world import BotWorld, bot_world

PERMISSION = "/repos/*/collaborators/*/permission"
INSTALLATION = "5001"
GATE_STATES = ("waiting", "submitting", "running", "ended", "judged", "cancelled")

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def read(text: str) -> Samples:
    """By name and labels; no creation times."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


def of(samples: Samples, name: str, **labels: str) -> float:
    return samples[f"gatekit_{name}", tuple(sorted(labels.items()))]


def settled(samples: Samples) -> float:
    return of(samples, "deliveries", state="done") + of(samples, "deliveries", state="nothing")


def taken(world: BotWorld) -> int:
    """Deliveries that the bot answered 202, those of its own comments among them."""
    return sum(one.status == 202 for one in world.github.hooks.deliveries)


async def scraped(world: BotWorld) -> Samples:
    async with ClientSession() as web, web.get(f"{world.bot.operator_url}/metrics") as answer:
        assert answer.status == 200
        return read(await answer.text())


async def test_a_story_in_numbers(tmp_path: Path) -> None:
    async with bot_world(tmp_path) as world:
        before = await scraped(world)
        assert of(before, "lease") == 1
        assert of(before, "backlog") == 0
        assert {of(before, "gates", state=state) for state in GATE_STATES} == {0}
        assert of(before, "cluster_out_of_reach_seconds", cluster="demo") == 0
        assert of(before, "github_out_of_reach_seconds") == 0
        assert of(before, "free_disk_bytes") > 0

        await world.label()
        planned = await scraped(world)
        assert of(planned, "gates", state="running") == 4
        assert of(planned, "deliveries", state="waiting") == 0
        assert settled(planned) == taken(world)

        await world.finish(DRAFT, 3.7)
        one_judged = await scraped(world)
        assert of(one_judged, "gates", state="running") == 3
        assert of(one_judged, "gates", state="judged") == 1

        await world.unlabel()
        cancelled = await scraped(world)
        assert of(cancelled, "gates", state="running") == 0
        assert of(cancelled, "gates", state="cancelled") == 3
        assert settled(cancelled) == taken(world) > settled(planned)


async def test_requests_to_github_are_counted_by_operation_and_status(tmp_path: Path) -> None:
    async with bot_world(tmp_path) as world:
        world.github.faults.on("GET", PERMISSION, Answer(502), times=1)
        await world.label()
        samples = await scraped(world)
        asked = Counter(f"{call.method} {call.route.template}" for call in world.github.calls if call.route)
    counted: Counter[str] = Counter()
    for (name, labels), value in samples.items():
        if name == "gatekit_github_requests_total":
            counted[dict(labels)["operation"]] += int(value)
    assert counted == asked
    operation = "GET /repos/{owner}/{repo}/collaborators/{username}/permission"
    assert of(samples, "github_requests_total", operation=operation, status="502") == 1
    assert of(samples, "github_requests_total", operation=operation, status="200") == 1
    assert 0 < of(samples, "github_remaining", installation=INSTALLATION) < 5000


async def test_what_was_set_aside_and_what_is_out_of_reach(tmp_path: Path) -> None:
    async with bot_world(tmp_path) as world:
        world.github.faults.on("GET", PERMISSION, Answer(502), times=100)
        await world.label()
        assert of(await scraped(world), "deliveries", state="parked") == 1
        world.github.faults.clear()
        await world.unlabel()
        world.cluster.out_of_reach = True
        await world.label()
        samples = await scraped(world)
        assert of(samples, "gates", state="submitting") == 1
        assert of(samples, "cluster_out_of_reach_seconds", cluster="demo") > 0
        assert of(samples, "github_out_of_reach_seconds") == 0


async def test_a_paused_cluster_says_why(tmp_path: Path) -> None:
    async with bot_world(tmp_path) as world:
        await world.label()
        before = await scraped(world)
        world.cluster.litter(await world.job(DRAFT), "root:/scratch/gk-7/cache")
        await world.settled()
        paused = await scraped(world)
        await world.pauses.end("demo", Pausing.LEFTOVERS)
        world.cluster.out_of_reach = True
        await world.later(1)
        await world.later(61)
        silent = await scraped(world)
    said = [[of(one, "cluster_paused", cluster="demo", why=why) for why in Pausing] for one in (before, paused, silent)]
    assert list(Pausing) == ["out-of-reach", "leftovers"]
    assert said == [[0, 0], [0, 1], [1, 0]]


def test_a_state_that_empties_counts_zero() -> None:
    metrics = Metrics()
    metrics.stored({"running": 3, "judged": 1}, {"waiting": 2})
    metrics.stored({"judged": 4}, {"done": 2})
    samples = read(generate_latest(metrics.registry).decode())
    assert (of(samples, "gates", state="running"), of(samples, "gates", state="judged")) == (0, 4)
    assert (of(samples, "deliveries", state="waiting"), of(samples, "deliveries", state="done")) == (0, 2)


def test_a_request_without_an_answer_is_counted_too() -> None:
    metrics = Metrics()
    metrics.github(RequestSeen(None, "GET /app", None, None))
    metrics.github(RequestSeen(7, "GET /app", 200, 4321))
    samples = read(generate_latest(metrics.registry).decode())
    assert of(samples, "github_requests_total", operation="GET /app", status="none") == 1
    assert of(samples, "github_remaining", installation="7") == 4321


def test_the_process_tells_its_memory() -> None:
    assert read(generate_latest(Metrics().registry).decode())["process_resident_memory_bytes", ()] > 0


def test_out_of_reach_counts_from_the_first_try_that_failed() -> None:
    times = iter((100.0, 107.5, 120.0, 121.0))
    reach = ReachMeter(lambda: next(times))
    assert reach.seconds == 0
    reach.failed()
    reach.failed()
    assert reach.seconds == 7.5
    reach.answered()
    assert reach.seconds == 0
    reach.failed()
    assert reach.seconds == 1


@pytest.mark.parametrize("lease", [True, False])
def test_the_process_says_whether_it_is_the_active_one(lease: bool) -> None:
    metrics = Metrics()
    metrics.process(backlog=3, lease=lease)
    samples = read(generate_latest(metrics.registry).decode())
    assert (of(samples, "backlog"), of(samples, "lease")) == (3, lease)
