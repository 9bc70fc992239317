"""The real recipes of the later formats, in a tree of the later layout: one config for each file, one row a variant."""

from collections.abc import Iterator

import yaml

from bot.files import own_curves
from gatekit.bench.recipes.variants import is_bundle, variants
from gatekit.bench.repo.settings_file import parse_settings
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.gates import GatePlan
from gatekit.formats.yaml_document import read_yaml
from gatekit.plan.plan import PlanSources, plan_keys
from tests.shared import shared_snapshot

ROOT = "inferencex-e2e"
FOLDERS = {
    "single_node": "benchmarks/single_node/srt-slurm-recipes",
    "multi_node": "benchmarks/multi_node/srt-slurm-recipes",
    "llm-d": "benchmarks/multi_node/llm-d-recipes",
}
CLUSTER = {
    "gpus-per-node": 8,
    "available-cpu-dram-mib": 2_000_000,
    "slurm": {"srt-slurm": {"fabric": {"ucx-net-devices": ["mlx5_0:1"], "nccl-ib-hca": ["mlx5_0", "mlx5_1"]}}},
}
# Framework by the second part of a file's name, on one node and on several.
FRAMEWORKS = {"trtllm": ("trt", "dynamo-trt"), "vllm": ("vllm", "dynamo-vllm"), "sglang": ("sglang", "dynamo-sglang")}


def files() -> Iterator[tuple[str, bytes]]:
    for path, data in shared_snapshot("data/inferencex-later").files.items():
        if path.endswith(".yaml"):
            yield path, data


def planned() -> GatePlan:
    """Config keys are the paths of the files, concurrencies the places of the variants in them."""
    configs, tree = {}, {}
    for path, data in files():
        folder, name = path.split("/")
        tree[f"{ROOT}/{FOLDERS[folder]}/{name}"] = data
        configs[path] = _config(folder, name, data)
    tree[f"{ROOT}/configs/nvidia-master.yaml"] = yaml.safe_dump(configs, sort_keys=False).encode()
    tree[f"{ROOT}/configs/runners.yaml"] = yaml.safe_dump({"clusters": {"later": CLUSTER}}).encode()
    snapshot = Snapshot(None, tree)
    return plan_keys(PlanSources(snapshot, snapshot, None, parse_settings(None), own_curves()), None, None, "node")


def _config(folder: str, name: str, data: bytes) -> dict[str, object]:
    prefix, engine = ("dsv4", "vllm") if folder == "llm-d" else name.split("--")[:2]
    several = folder != "single_node"
    framework = "llmd-vllm" if folder == "llm-d" else FRAMEWORKS.get(engine, (engine, engine))[several]
    content = read_yaml(name, data).data
    assert isinstance(content, dict)
    selectors = [each.selector for each in variants(content, None)] if is_bundle(content) else [None]
    rows = [_row(folder, name, selector, number) for number, selector in enumerate(selectors, 1)]
    return {
        **{"image": "vllm/vllm-openai:v1", "model": "org/model", "model-prefix": prefix, "precision": "fp4"},
        **{"framework": framework, "runner": "cluster:later", "multinode": several},
        "scenarios": {"agentic-coding": [{"dram-utilization": 0.8, "search-space": rows}]},
    }


def _row(folder: str, name: str, selector: str | None, number: int) -> dict[str, object]:
    row: dict[str, object] = {
        **{"spec-decoding": "mtp", "conc-list": [number], "kv-offloading": "dram"},
        "kv-offload-backend": {"name": "mooncake"},
    }
    reference = f"{FOLDERS[folder]}/{name}" + ("" if selector is None else f":{selector}")
    if folder == "llm-d":
        return {**row, "worker": {"tp": 8, "additional-settings": [f"CONFIG_FILE={reference}"]}}
    return {**row, "srt-recipe": reference, **({"tp": 8} if folder == "single_node" else {"worker": {"tp": 8}})}
