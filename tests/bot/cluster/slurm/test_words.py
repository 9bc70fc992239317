"""What a recipe says reaches its engine byte for byte: through the plan, job.json, SFTP, SLURM and the node program."""

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from bot.cluster.executor import JobState
from bot.cluster.node_program import build_node
from gatekit.cluster.job import job_for
from gatekit.domain.gates import EngineName, Gate
from gatekit.domain.ids import SweepId
from gatekit.domain.sweep import Ending
from gatekit.engines.registry import ENGINES
from gatekit.plan.plan import plan_keys
from tests.worlds.bench.small_bench import CLUSTER, bench, config, recipe, sources
from tests.worlds.slurm.world import Drill, SlurmWorld

SPOKEN = (
    "plain", "two words", " blanks at both ends ", "", "$(touch pwned)", "`id`", "'", '"', "\\", "\\n", "%j%A", "*",
    "~", "!", "#SBATCH --uid=0", "é ü 漢字 🙂", "a,b,,c", "a;b&c|d>e<f", "${HOME}", "=", "-1",
)  # fmt: skip
REFUSED = ("a\nb\n", "tab\there", "-", "--", "\x01\x7f", "\r\n", "x" * 20_000)  # by the policy; no harm, all the same
PROMPTS = 80
WITNESS = """
import json, os, sys
with open(sys.argv[1], "w") as file:
    json.dump({"argv": sys.argv[2:], "env": {k: v for k, v in os.environ.items() if k.startswith("VLLM_")}}, file)
"""


def gate_of(args: Mapping[str, str], env: Mapping[str, str]) -> Gate:
    """The gate of a recipe whose role has these beside its own."""
    lines = [f"      {name}: {json.dumps(text, ensure_ascii=False)}" for name, text in args.items()]
    text = recipe().replace("    env:\n", "\n".join(("", *lines, "    env:\n")).lstrip("\n"))
    text += "".join(f"      {name}: {json.dumps(word, ensure_ascii=False)}\n" for name, word in env.items())
    made = sources(bench(config(), {"glow.yaml": text}))
    plan = plan_keys(made, None, {"cluster:h100": CLUSTER}, "node")
    (gate,) = plan.gates
    return gate


async def test_arguments_and_environment_reach_the_engine_as_the_recipe_has_them(
    slurm: SlurmWorld, tmp_path: Path
) -> None:
    free = sorted(name for name in ENGINES.by_name[EngineName("vllm")].arguments.allowed if "parallel" not in name)
    free.remove("served-model-name")
    free.remove("max-num-seqs")  # the recipe's own
    args = dict(zip(free, SPOKEN, strict=False))
    env = {f"VLLM_WITNESS_{number}": word for number, word in enumerate(SPOKEN)}
    assert list(args.values()) == list(SPOKEN)
    gate = gate_of(args, env)

    seen, prompts = slurm.place.shared / "witness.json", slurm.place.shared / "prompts.jsonl"
    messages = [{"role": "user", "content": "Hush."}]
    rows = [json.dumps({"category": "coding", "question_id": str(n), "messages": messages}) for n in range(PROMPTS)]
    prompts.write_text("\n".join(rows))
    witness = ("/usr/bin/python3", "-c", WITNESS, str(seen))
    cluster = replace(CLUSTER, engines={"vllm": witness}, prompts=str(prompts), container="")
    job = job_for(gate, SweepId(os.getpid()), 1, cluster)
    engine = job.engine
    more = tuple((f"VLLM_REFUSED_{number}", word) for number, word in enumerate(REFUSED))
    job = replace(job, engine=replace(engine, command=(*engine.command, *REFUSED), env=(*engine.env, *more)))

    drill = Drill(slurm, slurm.executor(node=build_node(tmp_path)), job)
    await drill.submitted()
    status = await drill.ended()
    assert (status.state, status.ending) == (JobState.ENDED, Ending.GATE_FAILED), status  # a witness serves nothing
    assert seen.exists(), (drill.folder / "engine.log").read_text()
    found = json.loads(seen.read_text())
    said = [word for pair in args.items() for word in (f"--{pair[0]}", pair[1])]
    argv = found["argv"]
    begin = argv.index(said[0])
    assert argv[begin : begin + len(said)] == said
    assert argv[-len(REFUSED) :] == list(REFUSED)
    assert {name: found["env"][name] for name in env} == env
    assert {name: found["env"][name] for name, _ in more} == dict(more)
    assert not list(drill.folder.glob("**/pwned"))
