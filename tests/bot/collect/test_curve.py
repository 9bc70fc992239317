"""A curve, K by K, through a scripted cluster: what is written, what is said, and what becomes of the jobs."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from bot.cluster.config import read_clusters
from bot.cluster.executor import ClusterUnreachable
from bot.collect.curve import Order, Place, collect
from bot.collect.files import read_curve_file
from bot.collect.runs import Runs
from bot.demo import sample_pr
from bot.demo.site import Tools, write_clusters
from gatekit.cluster.policy import Policy
from gatekit.domain.collection import Thinking
from gatekit.domain.ids import JobName, SweepId, is_job_name
from gatekit.domain.sweep import Ending
from gatekit.goldens.curve import curve_text
from gatekit.plan.collect import sitting
from tests.worlds.bot.until import until
from tests.worlds.cluster.scripted_cluster import ScriptedCluster

LEAN = "benchmarks/single_node/srt-slurm-recipes/llamacpp/tiny/lean.yaml"
LAWS = {"draft-near.gguf": 1.8}


@dataclass
class Silent(ScriptedCluster):
    """Does not answer so many times, once its first job has started."""

    silences: int = 0

    def _answer(self) -> None:
        if self.silences and self.started:
            self.silences -= 1
            raise ClusterUnreachable("the connection was cut")
        super()._answer()


@dataclass
class Desk:
    order: Order
    cluster: Silent
    said: list[str] = field(default_factory=list)

    def place(self) -> Place:
        known = read_clusters(self.order.out.with_name("clusters.toml"))[0].cluster
        runs = Runs(self.cluster, 0.001, self.said.append, gone_seconds=0.05)
        return Place(known, runs, "d" * 64, SweepId(1_796_000_000_000), "a collection", self.said.append)

    async def collect(self) -> tuple[int, ...]:
        return await collect(self.order, self.place())

    @property
    def values(self) -> dict[int, float]:
        return dict(read_curve_file(self.order.out).values.get(Thinking.ON, {}))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    clusters = write_clusters(tmp_path, tmp_path / "models", Tools())
    out, base = tmp_path / "tiny_draft.yaml", sample_pr.base()
    out.write_bytes(base["goldens/tiny_draft.yaml"])
    header = replace(read_curve_file(out), values={})
    out.write_text(curve_text(header))
    known = read_clusters(clusters)[0].cluster
    what = sitting(header, "lean.yaml", base[LEAN], Thinking.ON, known)
    order = Order(what, (1, 2, 3), header, True, out, "a test", "gatekit collect")
    return Desk(order, Silent(tmp_path / "jobs", laws=LAWS))


def at_start(desk: Desk, number: int, act: Callable[[JobName], None]) -> None:
    """Acts on the job of that number as soon as it has started."""

    def hear(note: str) -> None:
        what, _, name = note.partition(" ")
        if what == "start" and len(desk.cluster.started) == number:
            act(JobName(name))

    desk.cluster.hear = hear


async def test_every_k_is_a_job_of_its_own_that_no_bot_takes_for_its_own(desk: Desk) -> None:
    assert await desk.collect() == ()
    assert desk.values == {1: 1.8, 2: 1.8, 3: 1.8}
    names = desk.cluster.started
    assert len(names) == 3
    assert all(is_job_name(name) and name.startswith("gk-1796000000000-") for name in names)
    assert {desk.cluster.job(JobName(name)).submitter for name in names} == {"a collection"}
    assert desk.cluster.cancelled == names  # and each was seen to be gone
    assert desk.order.out.read_text().startswith("model: ")


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (
            lambda cluster, name: cluster.lose(name),
            "Neither the job nor anything it wrote can be found: run the gate again.",
        ),
        (
            lambda cluster, name: cluster.fail_it(name, Ending.INFRASTRUCTURE),
            "The cluster failed the job on node7: a node of the job failed.",
        ),
        (
            lambda cluster, name: cluster.fail_it(name, Ending.BUDGET, "the limit of 5 minutes"),
            "The job came to its time limit on node7: the limit of 5 minutes.",
        ),
        (
            lambda cluster, name: cluster.fail(name, "the engine exited with code 1", "out of memory"),
            "The engine did not start: the engine exited with code 1.",
        ),
    ],
)
async def test_a_k_that_fails_is_one_sentence_and_the_others_go_on(
    desk: Desk, act: Callable[[ScriptedCluster, JobName], None], said: str
) -> None:
    desk.cluster.laws = None
    at_start(desk, 2, lambda name: act(desk.cluster, name))
    finish_others(desk)
    assert await desk.collect() == (2,)
    assert [line for line in desk.said if "not measured" in line] == [f"K=2 not measured: {said}"]
    assert desk.values == {1: 1.5, 3: 1.5}


def finish_others(desk: Desk) -> None:
    """Every job but the second ends well."""
    second = desk.cluster.hear

    def hear(note: str) -> None:
        what, _, name = note.partition(" ")
        second(note)
        if what == "start" and len(desk.cluster.started) != 2:
            desk.cluster.finish(JobName(name), 1.5)

    desk.cluster.hear = hear


async def test_what_no_job_could_measure_is_said_once_and_before_any_starts(desk: Desk) -> None:
    refused = replace(desk.order.what.cluster, policy=Policy((), ()))
    desk.order = replace(desk.order, what=replace(desk.order.what, cluster=refused))
    assert await desk.collect() == (1, 2, 3)
    (line,) = desk.said
    assert line.startswith("K=1, 2, 3 not measured: lean.yaml: image: ")
    assert desk.cluster.started == []


async def test_a_cluster_that_takes_no_such_job_is_not_asked_for_every_k(desk: Desk) -> None:
    before = desk.order.out.read_text()
    at_start(desk, 1, lambda name: desk.cluster.fail_it(name, Ending.REFUSED, "no such partition", node=""))
    desk.cluster.laws = None
    assert await desk.collect() == (1, 2, 3)
    assert desk.said[-1] == "K=1, 2, 3 not measured: The cluster does not take the job: no such partition."
    assert len(desk.cluster.started) == 1
    assert desk.order.out.read_text() == before


async def test_a_cluster_out_of_reach_is_one_sentence_and_nothing_is_asked_of_it(desk: Desk) -> None:
    before = desk.order.out.read_text()
    desk.cluster.out_of_reach = True
    assert await desk.collect() == (1, 2, 3)
    assert desk.said == ["K=1, 2, 3 not measured: the cluster does not answer"]
    assert (desk.cluster.submitted, desk.order.out.read_text()) == ([], before)


async def test_a_silence_is_waited_out(desk: Desk) -> None:
    desk.cluster.silences = 5
    assert await desk.collect() == ()
    assert sum("it is asked again" in line for line in desk.said) == 1


async def test_a_cluster_that_stays_silent_ends_the_collection_and_the_job_is_named(desk: Desk) -> None:
    desk.cluster.silences = 1_000_000
    assert await desk.collect() == (1, 2, 3)
    (name,) = desk.cluster.started
    assert desk.said[-2:] == [
        f"{name} could not be seen to end (the connection was cut): end it by hand",
        "K=1, 2, 3 not measured: the connection was cut",
    ]
    assert desk.values == {}


async def test_what_a_job_left_behind_is_named(desk: Desk) -> None:
    def act(name: JobName) -> None:
        desk.cluster.finish(name, 1.5)
        desk.cluster.litter(name, "files that it could not remove: /tmp/x root")

    at_start(desk, 1, act)
    assert await desk.collect() == ()
    name = desk.cluster.started[0]
    assert f"{name} left behind: files that it could not remove: /tmp/x root; remove that" in desk.said


async def test_an_interrupted_collection_ends_its_job_and_writes_nothing(desk: Desk) -> None:
    before = desk.order.out.read_text()
    desk.cluster.lasts = 600.0
    work = asyncio.ensure_future(desk.collect())
    await until(lambda: desk.cluster.running)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert desk.cluster.running == []
    assert desk.cluster.cancelled == desk.cluster.started
    assert desk.order.out.read_text() == before
