"""From a label to a verdict on a cluster: webhook, bot, real sshd, sbatch, node program, aiperf and engine, comment."""

from collections.abc import Mapping
from pathlib import Path

from bot.app import running
from bot.demo import prompts, sample_pr
from bot.demo.github.world import World
from bot.demo.site import demo_parts
from gatekit.comments.slots import Slot, carries
from tests.worlds.bench.bench_pr import LEAN, Setting, pull_of
from tests.worlds.bot.bot_world import active
from tests.worlds.bot.until import WHOLE_GATE, until
from tests.worlds.engine import llama
from tests.worlds.github.openapi import held_to_contract
from tests.worlds.github.standin import WatchedGitHub, an_app
from tests.worlds.slurm.world import Drill, SlurmWorld

CLUSTERS = """\
[clusters.small]
serves = ["cluster:demo"]
executor = "slurm"
host = "127.0.0.1"
port = {port}
user = "{user}"
key_file = "{folder}/bot_key"
known_hosts_file = "{folder}/known_hosts"
partition = "gpu"
account = "bench"
time_limit_minutes = 30
gpus_per_node = 1
root = "{shared}/whole"
scratch = "{local}"
python = "/usr/bin/python3"
aiperf = ["{aiperf}"]
prompts = "{prompts}"
tokenizer = "{tokenizer}"
start_minutes = 10
replay_minutes = 10
[clusters.small.policy]
images = ["gatekit-demo/llamacpp:"]
models = ["gatekit-demo/"]
[clusters.small.engines]
llamacpp = [{engine}]
"""


def entry(key: str) -> bytes:
    """The changelog with one more entry, which names one config key of the pull request."""
    before = sample_pr.base()[sample_pr.CHANGELOG]
    link = "https://github.example/gatekit-demo/bench/pull/XXX"
    return before + f"\n- config-keys: [{key}]\n  description: [Leaner]\n  pr-link: {link}\n".encode()


def short_answers() -> Mapping[str, bytes]:
    """The story's repository with curves of short answers: what is far below its curve is so after a few tokens."""
    curve = "goldens/tiny_draft.yaml"
    base = sample_pr.base()
    assert b"output_len: 384" in base[curve]
    return {**base, curve: base[curve].replace(b"output_len: 384", b"output_len: 48")}


def clusters_file(slurm: SlurmWorld, folder: Path) -> Path:
    """What the operator writes for this cluster, with the small engine on it."""
    place = slurm.place
    models = place.shared / "models"
    llama.make_models(models)
    path = folder / "clusters.toml"
    path.write_text(
        CLUSTERS.format(
            port=place.ports.ssh,
            user=place.user,
            folder=place.folder,
            shared=place.shared,
            local=place.local,
            aiperf=llama.AIPERF,
            prompts=prompts.FILE,
            tokenizer=llama.tokenizer(models),
            engine=", ".join(f'"{word}"' for word in llama.engine_words(models)),
        )
    )
    return path


async def test_a_label_brings_a_verdict_over_ssh_and_slurm(slurm: SlurmWorld, tmp_path: Path) -> None:
    """The bot is down while the job runs, too."""
    file = clusters_file(slurm, tmp_path)
    setting = Setting(base=short_answers(), edits={sample_pr.CHANGELOG: entry(LEAN)})
    async with WatchedGitHub(World.create(an_app())) as github, held_to_contract(github):
        repo, pull = pull_of(github, setting)

        def begun() -> bool:
            return any((slurm.place.shared / "whole" / "runs").glob("gk-1-*/slurm/node"))

        def done() -> bool:
            return any(run.said["status"] == "completed" for run in repo.checks.values())

        async with running(demo_parts(tmp_path, github.world.app, github.url, file)) as bot:
            github.hooks.target = f"{bot.webhook_url}/webhook"
            await active(bot)
            github.people.add_label(repo, pull, sample_pr.LABEL, by="maria")
            await until(begun, WHOLE_GATE)
        github.hooks.target = None
        assert not done()
        async with running(demo_parts(tmp_path, github.world.app, github.url, file)):
            await until(done, WHOLE_GATE)
        (comment,) = [one.body for one in repo.comments.values() if one.by_app]
        (check,) = repo.checks.values()
    assert carries(Slot.GATES, comment)
    assert "**Acceptance length: 0 of 1 on curve, 1 below**" in comment
    assert (check.head, check.said["conclusion"]) == (pull.head, "neutral")
    (name,) = names(slurm)
    nothing_left(slurm.drill(name=name))


def names(slurm: SlurmWorld) -> list[str]:
    """The jobs that the cluster has of the bot."""
    rows = slurm.slurm("squeue", "-h", "-t", "all", "-u", slurm.place.user, "-o", "%j %Z").splitlines()
    return [row.split()[0] for row in rows if row.split()[1].startswith(f"{slurm.place.shared}/whole/")]


def nothing_left(job: Drill) -> None:
    assert len(job.jobs()) == 1
    assert job.processes() == []
    assert job.scratch() == []
