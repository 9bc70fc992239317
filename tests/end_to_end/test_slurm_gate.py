"""A gate from its plan to its verdict through SLURM: real sshd, sbatch, node program, aiperf and engine."""

import os
from pathlib import Path

import pytest

from bot.cluster.executor import JobState
from bot.cluster.zipapp import build_node
from bot.demo import prompts
from gatekit.ending import Ending
from gatekit.engines import ENGINES
from gatekit.ids import SweepId
from gatekit.judge import judge
from gatekit.launch import job_for
from gatekit.policy import Cluster, Policy
from gatekit.result import parse_result
from gatekit.verdict import Judged
from tests.end_to_end.local_gate import gate
from tests.worlds import llama, plans
from tests.worlds.slurm.world import Drill, SlurmWorld

ARGS = (("ctx-size", 8192), ("parallel", 2), ("model-draft", "gatekit-demo/draft-near.gguf"), ("draft-max", 4))
SECONDS = 120.0


async def test_a_gate_is_measured_on_a_cluster(slurm: SlurmWorld, tmp_path: Path) -> None:
    models = slurm.place.shared / "models"
    llama.make_models(models)
    wanted = gate("slurm", launch=plans.replace(plans.LAUNCH, args=ARGS))
    cluster = Cluster(
        name="small",
        serves=(wanted.cluster,),
        policy=Policy((), ()),
        engines={wanted.launch.engine: llama.engine_words(models)},
        aiperf=(str(llama.AIPERF),),
        prompts=str(prompts.FILE),
        tokenizer=llama.tokenizer(models),
        container="",
        start_minutes=1,
        replay_minutes=2,
    )
    job = job_for(wanted, SweepId(os.getpid()), 1, cluster)
    drill = Drill(slurm, slurm.executor(node=build_node(tmp_path)), job)
    await drill.submitted()
    status = await drill.ended(SECONDS)
    assert (status.state, status.ending) == (JobState.ENDED, Ending.REPLAYED), status
    material = await drill.executor.material(drill.name)
    assert material.result is not None
    result = parse_result(material.result)
    assert (result.outcome, result.requests.ok) == ("replayed", wanted.collection.prompts)
    verdict = judge(wanted, drill.name, material, ENGINES[wanted.launch.engine].counters)
    assert isinstance(verdict, Judged), verdict
    assert verdict.realized.al == pytest.approx(1 + verdict.realized.accepted / verdict.realized.drafts)
    assert 1 < verdict.realized.al < 5

    assert await drill.executor.cancel([drill.name]) == {drill.name}
    assert drill.processes() == []
    assert drill.scratch() == []
