"""What a tired operator sees: open sweeps first, each gate where it stands, and everything that it left behind."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.cluster.executor import JobState, JobStatus
from bot.pages.app import WITH_LOGS
from bot.pages.texts import ON_A_PAGE
from bot.store.deliveries import DeliveryState
from bot.store.pauses import PauseStore
from gatekit.comments.audit import gate_notes
from gatekit.domain.ids import job_name, short
from gatekit.domain.job import Material
from gatekit.domain.sweep import Cause, ClusterReport, Earlier, Ending, GateState, Pausing, SweepState
from tests.bot.pages.house import House, open_house, pr, with_leftovers
from tests.bot.pages.reading import Page
from tests.worlds.bench.plans import gate, wish
from tests.worlds.bot.bot_world import CLUSTER
from tests.worlds.bot.stories import BELOW, FAILED, FAR, NEAR, NO_HEAD, ON_CURVE, SAMPLED
from tests.worlds.cluster.attempts import Attempt

GATES = (NEAR, FAR, NO_HEAD, SAMPLED)


async def test_without_sweeps_the_page_says_how_one_starts(house: House) -> None:
    words = Page(await house.get("/")).words
    assert "No sweep runs. One starts when somebody with write access adds a sweep label" in words
    assert "Recent" not in words


async def test_open_sweeps_stand_before_newer_ones_that_ended(house: House) -> None:
    running = await house.plan(NEAR, number=1)
    ended = await house.plan(NEAR, number=2)
    await house.end(ended, SweepState.CANCELLED, "the pull request was closed")
    page = Page(await house.get("/"))
    assert page.words.index("acme/bench#1") < page.words.index("Recent") < page.words.index("acme/bench#2")
    assert "cancelled the pull request was closed" in page.words
    assert [link for link in page.links if link.startswith("/sweeps/")] == [f"/sweeps/{running}", f"/sweeps/{ended}"]


async def test_the_list_counts_gates_by_where_they_stand(house: House) -> None:
    sweep = await house.plan(*GATES, gate("fifth"))
    await house.judge(sweep, NEAR, ON_CURVE)
    await house.judge(sweep, FAR, BELOW)
    await house.judge(sweep, NO_HEAD, FAILED)
    await house.bring(sweep, SAMPLED, GateState.RUNNING)
    counted = "1 on curve, 1 below, 1 not measured, 1 waiting, 1 running"
    assert counted in Page(await house.get("/")).words
    assert f"Gates: {counted}." in Page(await house.get(f"/sweeps/{sweep}")).words


async def test_the_list_never_reads_a_plan(house: House) -> None:
    """They are large: a list of a hundred sweeps must stay cheap."""
    await house.plan(NEAR)
    await house.db.write(lambda conn: conn.execute("UPDATE sweeps SET plan = 'no plan at all'").rowcount)
    assert "acme/bench#7" in await house.get("/")
    assert "full-sweep-enabled" in await house.get("/api/sweeps")


async def test_parked_deliveries_are_counted_and_the_command_that_shows_them_named(house: House) -> None:
    assert "no parked deliveries" in Page(await house.get("/")).words
    for name, state in (("a", DeliveryState.PARKED), ("b", DeliveryState.DONE), ("c", DeliveryState.PARKED)):
        await house.delivery(name, state)
    await house.delivery("d", DeliveryState.WAITING)
    words = Page(await house.get("/")).words
    assert "2 parked deliveries, set aside after the last try: gatekit deliveries list --state parked" in words


async def test_what_jobs_left_on_a_paused_cluster_is_named_with_the_command(house: House) -> None:
    assert "paused" not in Page(await house.get("/")).words
    await PauseStore(house.db).begin(CLUSTER, Pausing.LEFTOVERS, house.clock.now(), "gk-1-a-1: root:/scratch/<b>")
    words = Page(await house.get("/")).words
    assert "cluster demo is paused, because of what jobs left there: gk-1-a-1: root:/scratch/<b>" in words
    assert "gatekit cluster resume demo" in words
    found = await house.json("/readyz")
    assert isinstance(found, dict)
    assert found["clusters_paused"] == {"demo": "gk-1-a-1: root:/scratch/<b>"}


async def test_attempts_in_vain_are_told(house: House) -> None:
    sweep = await house.plan(NEAR)
    await house.bring(sweep, NEAR, GateState.ENDED)
    died = ClusterReport(Ending.INFRASTRUCTURE, sentence="a node of the <job> failed", node="node7")
    await house.sweeps.retry(sweep, NEAR.key, (Earlier(1, died),), house.clock.now())
    words = Page(await house.get(f"/sweeps/{sweep}")).words
    assert "waits for attempt 2" in words
    assert "attempt 1 in vain: a node of the <job> failed, on node7" in words


async def test_what_is_out_of_reach_is_said(house: House) -> None:
    house.reach["b200"] = 1234.5
    words = Page(await house.get("/")).words
    assert "this process is the active one" in words
    assert "GitHub: not known to be out of reach" in words
    assert "cluster demo: not known to be out of reach" in words
    assert "cluster b200: out of reach for 1,234 s" in words


async def test_a_waiting_process_names_the_active_one_and_claims_nothing_about_clusters(
    house: House, tmp_path: Path
) -> None:
    async with open_house(tmp_path) as second:
        words = Page(await second.get("/")).words
    assert f"waiting: {house.lease.owner} is the active process; this one only stores deliveries" in words
    assert "cluster demo" not in words


async def test_a_sweeps_page_says_everything_that_was_planned_and_found(house: House) -> None:
    sweep = await house.plan(new=with_leftovers(replace(wish(*GATES), sender="mona", cause=Cause.PUSH, enforce=True)))
    await house.judge(sweep, NEAR, ON_CURVE)
    await house.judge(sweep, NO_HEAD, FAILED, "loading model", "out of memory")
    words = Page(await house.get(f"/sweeps/{sweep}")).words
    for told in (
        "acme/bench#7 at aaaaaaa",
        "mona pushed while full-sweep-enabled was on",
        "Enforced: a gate off its curve fails the check.",
        "Of 11 speculative points 8 have a gate.",
        "on curve: Realized AL 2.480 (95 % interval 2.460 to 2.500) lies within the 2.375 to 2.625",
        "2.480 (−0.8 %) = 1 + 3,000 accepted ÷ 2,000 drafts; 95 % interval 2.460 to 2.500",
        "2.50 from the curve tiny_draft; allowed −5 % to +5 %",
        "not measured (engine-failed): The engine did not start: exit status 1",
        "loading model out of memory",
        "forced acceptance spec-synth-len = 2.6 at roles.agg.args.spec-synth-len",
        "mtp, K = 3, thinking on",
        "draft sampling probabilistic",
        "waiting: planned, nothing is submitted yet",
        "no changelog entry, so they were not gated: tiny-new, tiny-other.",
        "The row forces 2.49, golden AL for K=4 is 2.50. (tiny-near)",
        "tiny-trt 1, 4 exempt-framework The framework dynamo-trt is never gated.",
        "tiny-eagle 8 no-curve There is no golden curve tiny_eagle3; collect one.",
        f"gk-{sweep}-{short(NEAR.key)}-1",
        NEAR.key,
    ):
        assert told in words, told


async def test_why_a_sweep_ended_stands_on_its_page(house: House) -> None:
    sweep = await house.plan(NEAR)
    await house.end(sweep, SweepState.SUPERSEDED, "the head moved to abc1234")
    words = Page(await house.get(f"/sweeps/{sweep}")).words
    assert "superseded: the head moved to abc1234. Gates: 1 cancelled." in words
    assert "cancelled: nobody needs it any more" in words


async def test_a_plan_that_is_not_on_the_pull_request_yet_is_told(house: House) -> None:
    sweep = (await house.sweeps.create(wish(NEAR), gate_notes)).id
    told = "The plan does not stand on the pull request yet, so nothing is submitted."
    assert told in Page(await house.get(f"/sweeps/{sweep}")).words
    await house.sweeps.announced(sweep)
    assert told not in Page(await house.get(f"/sweeps/{sweep}")).words


@pytest.mark.parametrize(
    ("github_url", "link"),
    [("https://github.example", "https://github.example/acme/bench/pull/7"), (None, None)],
)
async def test_a_pull_request_is_linked_where_its_address_is_known(
    tmp_path: Path, github_url: str | None, link: str | None
) -> None:
    async with open_house(tmp_path, github_url) as house:
        sweep = await house.plan(NEAR)
        for path in ("/", f"/sweeps/{sweep}"):
            outside = [href for href in Page(await house.get(path)).links if not href.startswith(("/", "#"))]
            assert outside == ([link] if link else [])


async def test_a_running_gate_shows_its_log_and_what_its_cluster_says(house: House) -> None:
    sweep = await house.plan(NEAR, FAR)
    await house.bring(sweep, NEAR, GateState.RUNNING)
    house.statuses[job_name(sweep, NEAR.key, 1)] = JobStatus(JobState.RUNNING, "replaying 12 of 20")
    house.materials[NEAR.key] = Material(None, {}, {}, None, "loading weights", "starting the engine")
    words = Page(await house.get(f"/sweeps/{sweep}")).words
    assert "running, replaying 12 of 20 at the last look" in words
    assert "job.log starting the engine engine.log loading weights" in words
    assert "No job, so no log." in words  # of the other gate


async def test_a_cluster_that_never_answers_does_not_hold_up_the_page(house: House) -> None:
    sweep = await house.plan(NEAR, FAR)
    for one in (NEAR, FAR):
        await house.bring(sweep, one, GateState.RUNNING)
        house.silent.add(one.key)
    assert "No log can be shown" in Page(await house.get(f"/sweeps/{sweep}")).words
    assert "No log can be shown" in Page(await house.get(f"/sweeps/{sweep}/gates/{NEAR.key}")).words


async def test_a_judged_gate_shows_its_logs_and_its_raw_scrapes(house: House) -> None:
    sweep = await house.plan(NEAR)
    await house.judge(sweep, NEAR, ON_CURVE)
    house.materials[NEAR.key] = Attempt(gate=NEAR).material()
    for path in (f"/sweeps/{sweep}", f"/sweeps/{sweep}/gates/{short(NEAR.key)}", f"/sweeps/{sweep}/gates/{NEAR.key}"):
        words = Page(await house.get(path)).words
        for told in ("job says hello", "engine says hello", '"outcome": "replayed"', "before: agg-0", "after: agg-0"):
            assert told in words
        assert 'vllm:spec_decode_num_accepted_tokens_total{engine="0",model_name="tiny"} 3000.0' in words


async def test_the_page_of_a_large_sweep_leaves_logs_to_the_pages_of_its_gates(house: House) -> None:
    gates = [gate(f"gate-{n}") for n in range(WITH_LOGS + 1)]
    sweep = await house.plan(*gates)
    await house.bring(sweep, gates[0], GateState.RUNNING)
    house.materials[gates[0].key] = Material(None, {}, {}, None, "loading weights", None)
    page = Page(await house.get(f"/sweeps/{sweep}"))
    own = f"/sweeps/{sweep}/gates/{short(gates[0].key)}"
    assert "loading weights" not in page.words
    assert own in page.links
    assert "loading weights" in await house.get(own)


async def test_a_long_log_is_cut_on_the_page_and_whole_in_the_json(house: House) -> None:
    sweep = await house.plan(NEAR)
    await house.bring(sweep, NEAR, GateState.RUNNING)
    log = "the first line\n" + "one of many lines\n" * 4000 + "the last line"
    house.materials[NEAR.key] = Material(None, {}, {}, None, log, None)
    page = Page(await house.get(f"/sweeps/{sweep}"))
    assert "the last line" in page.words
    assert "the first line" not in page.words
    assert f"{len(log) - ON_A_PAGE:,} before them stand in the JSON" in page.words
    (whole,) = (link for link in page.links if link.startswith("/api/") and "/gates/" in link)
    assert "the first line" in await house.get(whole)


async def test_the_pages_of_two_pull_requests_do_not_mix(house: House) -> None:
    one, two = await house.plan(NEAR, number=1), await house.plan(FAR, number=2)
    assert str(pr(2)) not in await house.get(f"/sweeps/{one}")
    assert "tiny near" not in await house.get(f"/sweeps/{two}")
