"""`gatekit collect`: real drafting on llama.cpp, replayed by aiperf, written cell by cell; here, and through SLURM."""

import asyncio
import json
import signal
from pathlib import Path

import pytest

from bot.demo import prompts
from bot.node.rendering import digest
from gatekit.domain.collection import Thinking
from tests.worlds.bot.until import WHOLE_GATE, until
from tests.worlds.cluster.collecting import CollectDesk, forced_words, local_desk, slurm_desk
from tests.worlds.slurm.world import SlurmWorld


async def collects_what_it_can(desk: CollectDesk) -> None:
    """K=1 is measured for real and written; K=2 is not, and says why."""
    status, said = await desk.ended("--k", "1-2", "--hardware", "a test")
    assert status == 1, said
    assert "K=2 not measured: The engine did not start" in said
    curve = desk.curve
    ((k, al),) = curve.values[Thinking.ON].items()
    assert k == 1
    assert 1.2 < al < 1.9  # the recipe would force more than one token can give
    assert round(al, 2) == al
    block = curve.collection
    assert block is not None
    assert (block.prompts_sha256, block.hardware) == (prompts.SHA256, "a test")
    assert block.engine.startswith("llamacpp ")
    assert block.server == {"ctx-size": 8192, "parallel": 2}
    start = f"gatekit collect --cluster {desk.cluster} --recipe third.yaml:override_c1 "
    assert (block.source or "").startswith(start)
    assert desk.out.read_text().startswith("# A third model.\n")
    assert "synth" not in "".join(forced_words(desk))
    assert not desk.leftovers


async def test_each_k_is_measured_for_real_or_not_written(tmp_path: Path) -> None:
    desk = local_desk(tmp_path)
    await collects_what_it_can(desk)
    assert len(desk.jobs) == 2


async def test_a_curve_is_collected_on_a_cluster(slurm: SlurmWorld, tmp_path: Path) -> None:
    desk, scratch = slurm_desk(tmp_path, slurm), set(slurm.place.local.iterdir())
    await collects_what_it_can(desk)
    assert not slurm.active()
    assert set(slurm.place.local.iterdir()) == scratch
    (requests,) = [job / "requests.jsonl" for job in desk.jobs if (job / "requests.jsonl").exists()]
    texts = [json.loads(line)["payload"]["prompt"] for line in requests.read_text().splitlines()]
    block = desk.curve.collection
    assert block is not None
    assert block.sampling[Thinking.ON].rendered_sha256 == digest(texts)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_an_interrupted_collect_leaves_nothing_running_and_the_file_as_it_was(
    tmp_path: Path, number: signal.Signals
) -> None:
    await interrupted(local_desk(tmp_path), number, "4")


async def test_an_interrupted_collect_takes_its_job_off_the_cluster(slurm: SlurmWorld, tmp_path: Path) -> None:
    desk, scratch = slurm_desk(tmp_path, slurm), set(slurm.place.local.iterdir())
    await interrupted(desk, signal.SIGTERM, "4")
    assert not slurm.active()
    assert set(slurm.place.local.iterdir()) == scratch


async def interrupted(desk: CollectDesk, number: signal.Signals, k: str) -> None:
    before = desk.out.read_text()
    async with desk.started("--k", k, "--hardware", "a test") as child:
        await until(
            lambda: child.returncode is not None or any((job / "before.prom").exists() for job in desk.jobs), WHOLE_GATE
        )
        assert child.returncode is None, (await child.communicate())[1]
        assert len(desk.leftovers) >= 2  # the node program, the engine
        child.send_signal(number)
        async with asyncio.timeout(WHOLE_GATE):
            _, err = await child.communicate()
    assert child.returncode == 130
    assert err.decode().endswith("nothing runs any more\n")
    assert not desk.leftovers
    assert desk.out.read_text() == before
    (job,) = desk.jobs
    assert json.loads((job / "result.json").read_text())["reason"] == "cancelled"


async def test_what_slurm_refuses_is_one_sentence_for_every_k(slurm: SlurmWorld, tmp_path: Path) -> None:
    desk = slurm_desk(tmp_path, slurm, partition="nowhere")
    before = desk.out.read_text()
    status, said = await desk.ended("--k", "1-8", "--hardware", "a test")
    assert status == 1
    refused = [line for line in said.splitlines() if "not measured" in line]
    assert len(refused) == 1, said
    assert refused[0].startswith(
        "K=1, 2, 3, 4, 5, 6, 7, 8 not measured: The cluster does not take the job: SLURM refuses"
    )
    assert "nvalid partition" in refused[0]
    assert desk.out.read_text() == before
    assert not slurm.active()
