"""A benchmark repository of one config and one recipe, to change one thing at a time."""

import textwrap
from collections.abc import Mapping

from gatekit.bench.repo.settings_file import parse_settings
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.cluster.policy import Cluster, Policy
from gatekit.goldens.curve import Curve
from gatekit.goldens.lookup import load_curves
from gatekit.plan.plan import PlanSources

CONFIG = "configs/nvidia-master.yaml"
CHANGELOG = "perf-changelog.yaml"
RECIPES = "benchmarks/multi_node/srt-slurm-recipes"
KEY = "glow-fp8-h100-vllm-agentic"

CURVE = """
    model: example/glow
    method: mtp
    collection:
      dataset: nvidia/SPEED-Bench
      split: qualitative
      category: coding
      prompts: 80
      prompts_sha256: null
      turns: first
      endpoint: /v1/completions
      rendering: client
      output_len: 4096
      ignore_eos: false
      concurrency: 1
      sampling:
        "on": {temperature: 0.6, top_p: 0.95, template_kwargs: {enable_thinking: true}}
        "off": {temperature: 0.7}
      thinking_marker: </think>
      adaptive_verification: false
      engine: vllm
      hardware: B300
    curves:
      "on": {1: 1.80, 2: 2.30, 3: 2.60}
      "off": {3: 2.90}
    """

RECIPE = """
    schema: 2
    name: glow-{number}
    engine: vllm
    roles:
      agg:
        nodes: 1
        workers: 1
        gpus: 8
        args:
          served-model-name: example/glow
          tensor-parallel-size: 8
          max-num-seqs: {number}
          speculative-config: '{{"method":"mtp","num_speculative_tokens":3}}'
        env:
          VLLM_USE_V2_MODEL_RUNNER: '1'
    """


def text(block: str) -> str:
    return textwrap.dedent(block).lstrip("\n")


def recipe(number: int = 8) -> str:
    return text(RECIPE).format(number=number)


def row(concurrencies: str = "[4, 8]", named: str = "recipes/glow.yaml", spec: str = "mtp") -> str:
    written = f", srt-recipe: {named}" if named else ""
    return f"{{tp: 8, kv-offloading: none, spec-decoding: {spec}, conc-list: {concurrencies}{written}}}"


def config(*rows: str, key: str = KEY, framework: str = "vllm", prefix: str = "glow") -> str:
    head = f"""
        {key}:
          image: vllm/vllm-openai:v0.21.0
          model: example/glow
          model-prefix: {prefix}
          precision: fp8
          framework: {framework}
          runner: cluster:h100
          multinode: false
          scenarios:
            agentic-coding:
            - search-space:
        """
    return text(head) + "".join(f"      - {one}\n" for one in rows or (row(),))


def entry(key: str = KEY) -> str:
    return f"- config-keys: [{key}]\n  description: [More]\n  pr-link: https://github.com/acme/bench/pull/XXX\n"


def tree(files: Mapping[str, str]) -> Snapshot:
    return Snapshot(sha=None, files={path: content.encode() for path, content in files.items()})


def bench(configs: str = "", recipes: Mapping[str, str] | None = None, changelog: str = "") -> Snapshot:
    """A repository; recipes by their path behind `recipes/`."""
    named = {"glow.yaml": recipe()} if recipes is None else recipes
    written = {f"{RECIPES}/{path}": content for path, content in named.items()}
    return tree({CONFIG: configs or config(), CHANGELOG: entry() + changelog, **written})


def curves(content: str = CURVE, name: str = "glow_mtp") -> Mapping[str, Curve]:
    return load_curves({f"{name}.yaml": text(content).encode()})


def sources(head: Snapshot, base: Snapshot | None = None, settings: str = "") -> PlanSources:
    return PlanSources(
        head=head,
        base=base or head,
        fork_point=None,
        settings=parse_settings(text(settings).encode() if settings else None),
        curves=curves(),
    )


CLUSTER = Cluster(
    name="h100",
    serves=("cluster:h100",),
    policy=Policy(images=("vllm/vllm-openai:",), models=("example/", "/models/")),
    engines={"vllm": ("vllm", "serve")},
    aiperf=("/shared/aiperf",),
    prompts="/shared/prompts.jsonl",
    tokenizer=None,
    container="pyxis",
    start_minutes=20,
    replay_minutes=60,
)
CLUSTERS = {"cluster:h100": CLUSTER}
