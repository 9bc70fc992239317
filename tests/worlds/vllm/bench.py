"""A benchmark repository whose recipe is served by vLLM on the CPU, and the gate that is planned of it."""

from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from bot.demo import prompts
from gatekit.bench.repo.settings_file import parse_settings
from gatekit.cluster.policy import Cluster, Policy
from gatekit.domain.gates import Gate
from gatekit.plan.plan import PlanSources, plan_keys
from tests.worlds.bench.small_bench import CLUSTERS, bench, config, curves
from tests.worlds.engine import llama
from tests.worlds.vllm import engine

SERVED = "tiny"
PATH = "recipes/tiny.yaml"
FORCED = {"rejection_sample_method": "synthetic", "synthetic_acceptance_length": 1.5}

CHAT = {"endpoint": "/v1/chat/completions", "rendering": "server"}
CLIENT = {"endpoint": "/v1/completions", "rendering": "client"}  # as the published curves were collected
GREEDY = {"temperature": 0.0, "seed": 1}


@dataclass(frozen=True, slots=True)
class Wish:
    """What a gate shall be: how the recipe drafts, on how many ranks, and what of the collection is not as usual."""

    drafting: Mapping[str, object]
    ranks: int
    collection: Mapping[str, object]


def cluster(words: tuple[str, ...]) -> Cluster:
    """`words` start vLLM. It is slow to start, and its counters are waited for as on a real cluster."""
    (runner,) = CLUSTERS
    return Cluster(
        name="here",
        serves=(runner,),
        policy=Policy(images=("vllm/",), models=(f"{engine.MODELS}/",)),
        engines={"vllm": words},
        aiperf=(str(llama.AIPERF),),
        prompts=str(prompts.FILE),
        tokenizer=engine.model("target"),
        container="",
        start_minutes=10,
        replay_minutes=5,
    )


def recipe(wish: Wish) -> str:
    """One that forces acceptance."""
    args = {
        "served-model-name": SERVED,
        "data-parallel-size": wish.ranks,
        "dtype": "bfloat16",
        "max-model-len": 2048,
        "max-num-seqs": 8,
        "enforce-eager": True,
        "no-enable-prefix-caching": True,
        "seed": 0,
        "speculative-config": {**wish.drafting, **FORCED},
    }
    role = {"nodes": 1, "workers": 1, "gpus": wish.ranks, "args": args, "env": {"VLLM_CPU_KVCACHE_SPACE": "1"}}
    model = {"path": engine.model("target")}
    whole = {"schema": 2, "name": SERVED, "engine": "vllm", "model": model, "roles": {"agg": role}}
    return yaml.safe_dump(whole, sort_keys=False)


def curve(wish: Wish) -> str:
    """One whose golden AL nobody knows yet: the models are trained on the machine that runs them."""
    collection = {
        "dataset": "gatekit/demo-prompts",
        "split": "demo",
        "category": prompts.CATEGORY,
        "prompts": prompts.COUNT,
        "prompts_sha256": prompts.SHA256,
        "turns": "first",
        **CHAT,
        "output_len": 128,
        "ignore_eos": True,
        "concurrency": 4,
        "sampling": {"on": GREEDY},
        "thinking_marker": None,
        "adaptive_verification": False,
        "engine": "vllm",
        "hardware": "cpu",
        **wish.collection,
    }
    drafting = wish.drafting
    values = {"on": {drafting["num_speculative_tokens"]: 2.0}}
    return yaml.safe_dump(
        {"model": SERVED, "method": drafting["method"], "collection": collection, "curves": values}, sort_keys=False
    )


def planned(wish: Wish, words: tuple[str, ...]) -> Gate:
    """The one gate of a pull request with that recipe."""
    attention = str(wish.ranks > 1).lower()
    row = (
        f"{{tp: 1, dp-attn: {attention}, kv-offloading: none, spec-decoding: mtp, conc-list: [4], srt-recipe: {PATH}}}"
    )
    tree = bench(config(row, key="tiny-bf16-cpu-vllm-agentic", prefix=SERVED), {"tiny.yaml": recipe(wish)})
    goldens = curves(curve(wish), name=f"{SERVED}_{wish.drafting['method']}")
    ours = cluster(words)
    made = plan_keys(PlanSources(tree, tree, None, parse_settings(None), goldens), None, {ours.serves[0]: ours}, "node")
    assert made.unresolved == (), made.unresolved
    (gate,) = made.gates
    return gate
