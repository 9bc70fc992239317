"""A gate in a container, from the label to the verdict: GitHub stand-in, bot, SSH, SLURM, srun, node program, aiperf.

srun has a stand-in for pyxis: see tests/worlds/slurm/container.c.
"""

import json
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bot.app import running
from bot.cluster.executor import RunningCluster
from bot.cluster.node_program import build_node
from bot.demo import prompts
from bot.demo.github.world import World
from gatekit.cluster.policy import Cluster, Policy
from tests.end_to_end.test_toy_gate import toy
from tests.worlds.bench.bench_pr import LABEL, Setting
from tests.worlds.bench.odd_bench import CURVES, ENV, IMAGE, LAWS, ODD, OddPull, executed, odd_pull
from tests.worlds.bot.bot_world import active, identity_of, parts_for
from tests.worlds.bot.until import WHOLE_GATE, until
from tests.worlds.engine import llama
from tests.worlds.engine.tokenizer import write_tokenizer
from tests.worlds.github.openapi import held_to_contract
from tests.worlds.github.standin import WatchedGitHub, an_app
from tests.worlds.slurm.contained import programs, read_step, removed
from tests.worlds.slurm.world import SlurmWorld


@dataclass(frozen=True)
class Story:
    slurm: SlurmWorld
    pr: OddPull
    root: Path

    @property
    def record(self) -> Path:
        """Where the engine's words and environment are written down before it starts."""
        return self.slurm.place.containers / "told.json"

    @property
    def told(self) -> Any:
        return json.loads(self.record.read_text())

    def jobs(self) -> dict[str, int]:
        """Job ids by name, of all that the queue remembers of this bot."""
        rows = self.slurm.slurm("squeue", "-h", "-t", "all", "-o", "%A %j %Z").splitlines()
        return {name: int(job) for job, name, run in map(str.split, rows) if run.startswith(f"{self.root}/")}


def cluster(slurm: SlurmWorld, root: Path) -> Cluster:
    place = slurm.place
    record = place.containers / "told.json"
    hidden = (root, place.home / place.user)
    telling = (sys.executable, str(llama.RUN), "telling", str(record), *map(str, hidden), "/models/weights", "--")
    return Cluster(
        name="small",
        serves=("cluster:h100",),
        policy=Policy(("vllm/vllm-openai:",), ("example/",), (f"{place.shared}/container-models:/models:ro",)),
        engines={"vllm": (*telling, *toy(LAWS))},
        aiperf=(str(llama.AIPERF),),
        prompts=str(prompts.FILE),
        tokenizer=str(place.shared / "tokenizer"),
        container="pyxis",
        start_minutes=10,
        replay_minutes=10,
        gpus=1,
    )


@asynccontextmanager
async def story(slurm: SlurmWorld, folder: Path) -> AsyncIterator[Story]:
    place, node, setting = slurm.place, build_node(folder), Setting(poll_seconds=0.3)
    root = place.shared / "contained"
    write_tokenizer(place.shared / "tokenizer")
    (place.shared / "container-models").mkdir()
    (place.shared / "container-models" / "weights").touch()
    (place.containers / "image.env").write_text("VLLM_IMAGE_HAS=the image's\nVLLM_IMAGE_ALONE=kept\n")
    executor = slurm.executor(root=root, node=node)
    async with WatchedGitHub(World.create(an_app())) as github, held_to_contract(github):
        pr = odd_pull(github)
        parts = parts_for(identity_of(github.world.app), github.url, folder, executor, setting)
        one = RunningCluster(cluster(slurm, root), executor, 1)
        async with running(replace(parts, clusters=(one,), curves=CURVES, node=node)) as bot:
            github.hooks.target = f"{bot.webhook_url}/webhook"
            await active(bot)
            yield Story(slurm, pr, root)
            github.hooks.target = None
    (place.containers / "image.env").unlink()


async def test_a_gate_in_a_container_is_measured_and_the_next_one_cancelled(slurm: SlurmWorld, tmp_path: Path) -> None:
    async with story(slurm, tmp_path) as world:
        world.pr.label(LABEL)
        await until(lambda: world.pr.conclusion is not None, WHOLE_GATE)
        assert "1 of 1 on curve" in world.pr.comment, world.pr.comment
        assert world.pr.conclusion == "success"
        assert "is not used" not in world.pr.comment
        ((name, job),) = world.jobs().items()
        as_the_recipe_says(world, name)
        out_of_reach(world)
        nothing_for_the_helpers(world, job)

        world.record.unlink()
        world.pr.push()
        await until(world.record.exists, WHOLE_GATE)
        (second,) = world.jobs().keys() - {name}
        world.pr.unlabel(LABEL)
        await until(lambda: "cancelled" in world.pr.comment and not slurm.active(), WHOLE_GATE)
        later = world.jobs()[second]
    await slurm.close()
    place = slurm.place
    await until(lambda: programs(place) == [])  # the bot's last look at the queue ends by itself
    for one in (job, later):
        assert list(place.local.glob(f"gk-*-{one}.*")) == []
        assert removed(place, one)
    assert not executed()


def as_the_recipe_says(world: Story, name: str) -> None:
    """Byte for byte, at the engine."""
    job = json.loads((world.root / "runs" / name / "job.json").read_text())
    result = json.loads((world.root / "runs" / name / "result.json").read_text())
    words = job["engine"]["command"]
    own = words[words.index("--") + 1 :]
    told = world.told
    port = told["argv"][-1]
    assert told["argv"] == [word.replace("{port}", port) for word in own], shlex.join(told["argv"])
    assert json.loads(own[own.index("--compilation-config") + 1]) == {"cudagraph_mode": ODD}
    assert {key: told["env"].get(key) for key in ENV} == ENV
    assert told["env"]["VLLM_IMAGE_ALONE"] == "kept"
    assert result["engine"]["command"][-len(own) :] == told["argv"]
    assert job["engine"]["container"]["image"] == IMAGE


def out_of_reach(world: Story) -> None:
    """The engine sees its own folder and the operator's mount, and nothing else of ours."""
    told = world.told
    assert (told["cwd"], told["env"]["HOME"], told["env"]["TMPDIR"]) == ("/gatekit",) * 3
    place = world.slurm.place
    assert told["sees"] == {str(world.root): False, str(place.home / place.user): False, "/models/weights": True}
    assert told["env"]["GATEKIT_JOB"]


def nothing_for_the_helpers(world: Story, job: int) -> None:
    step = read_step(world.slurm.place, job)
    assert step.options["image"] == IMAGE
    assert step.options["mounts"].endswith(f":/gatekit,{world.slurm.place.shared}/container-models:/models:ro")
    assert not step.env.keys() & {*ENV, "GATEKIT_JOB", "LD_LIBRARY_PATH"}
    assert step.argv[0] == "/usr/bin/env"
    assert f"VLLM_ODD={ODD}" in step.argv
