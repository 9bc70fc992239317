"""A benchmark repository of the later layout with 1,347 speculative points, every form of recipe among them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gatekit.bench.repo.snapshot import Snapshot
from tests.worlds.bench import wide_recipes as made
from tests.worlds.bench.wide_recipes import LADDER, TENS, text

POINTS = 1_347
ROOT = "inferencex-e2e"
SINGLE, MULTI = (f"benchmarks/{lane}_node/srt-slurm-recipes" for lane in ("single", "multi"))
LLM_D = "benchmarks/multi_node/llm-d-recipes"
SETTINGS = "layout:\n  scripts: {scripted-00: 'recipes/glm/x00.yaml:override_c2'}\n"
RUNNERS = "clusters:\n" + "".join(
    f"  c{n}: {{gpus-per-node: 8, available-cpu-dram-mib: 1_{n}00_000, slurm: {{srt-slurm: {{fabric: "
    f"{{ucx-net-devices: [mlx5_0, mlx5_1], nccl-ib-hca: [mlx5_{n}]}}}}}}}}\n"
    for n in range(4)
)
BLOCK = text("""
    health_check: {max_attempts: 360, interval_seconds: 10}
    benchmark:
      type: custom
      command: bash /workspace/benchmarks/agentic.sh
      env: {PORT: '8000', RESULT_DIR: /logs/agentic}
    """)
NONE = "kv-offloading: none"
DRAM = "kv-offloading: dram, kv-offload-backend: {name: mooncake, version: '0.3'}"
ZIPPED = (1, 4, 8, 12, 16, 24, 32, 48)
WORKER = "worker: {num-worker: 1, tp: 8}"


@dataclass(frozen=True)
class Config:
    """One key of a master config; `rows` are flow mappings without their braces."""

    key: str
    framework: str
    prefix: str
    rows: tuple[str, ...]
    several: bool = False  # nodes
    folder: str = ""

    def text(self, number: int) -> str:
        rows = "".join(f"      - {{{row}}}\n" for row in self.rows)
        folder = f"  srt-recipe-dir: {self.folder}\n" if self.folder else ""
        return (
            f"{self.key}:\n  image: vendor/{self.framework}:v1\n  model: vendor/{self.prefix}-{number}\n"
            f"  model-prefix: {self.prefix}\n  precision: fp4\n  framework: {self.framework}\n"
            f"  runner: cluster:c{number % 4}\n  multinode: {str(self.several).lower()}\n{folder}"
            f"  scenarios:\n    agentic-coding:\n    - dram-utilization: 0.8\n      search-space:\n{rows}"
        )


def row(sizes: str, at: Iterable[int], recipe: str = "") -> str:
    named = f", srt-recipe: '{recipe}'" if recipe else ""
    return f"{sizes}, spec-decoding: mtp, conc-list: {list(at)}{named}"


def single_node() -> Iterator[Config]:
    for n in range(12):
        rows = (row(f"tp: 8, {DRAM}", LADDER, "a.yaml"),)
        yield Config(f"kimik3-{n:02}-vllm", "vllm", "kimik3", rows, folder=f"kimi{n:02}")
    for n in range(16):
        rows = (row(f"tp: 4, {NONE}", ZIPPED, "a.yaml"), row(f"tp: 8, {DRAM}", ZIPPED, "a.yaml"))
        yield Config(f"qwen3.5-{n:02}-sglang", "sglang", "qwen3.5", rows, folder=f"qwen{n:02}")
    for n in range(8):
        rows = (row(f"tp: 8, {DRAM}", TENS, "a.yaml"),)
        yield Config(f"minimaxm3-{n:02}-trt", "trt", "minimaxm3", rows, folder=f"mini{n:02}")
    for n in range(8):
        yield Config(f"dsv4-{n:02}-atom", "atom", "dsv4", (row(f"tp: 8, {NONE}", LADDER),), folder=f"atom{n:02}")


def several_nodes() -> Iterator[Config]:
    for n in range(14):
        rows = tuple(
            row(
                f"prefill: {{num-worker: {1 + each % 3}, tp: 8}}, decode: {{num-worker: 1, tp: 16, dp-attn: true}}",
                (32 + each, 64 + each, 128 + each, 256 + each),
                f"recipes/dsv4/d{n:02}-{each}.yaml",
            )
            for each in range(6)
        )
        yield Config(f"dsv4-{n:02}-dynamo-vllm", "dynamo-vllm", "dsv4", rows, several=True)
    selectors = ("override_c2", "override_c4", "override_c8", *(f"zip_override_wide[{step}]" for step in range(4)))
    for n in range(10):
        rows = tuple(
            row(f"{WORKER}, num-nodes: 2", (2 + at, 20 + at), f"recipes/glm/x{n:02}.yaml:{name}")
            for at, name in enumerate(selectors)
        )
        yield Config(f"glm5.2-{n:02}-dynamo-sglang", "dynamo-sglang", "glm5.2", rows, several=True)
    for n in range(3):
        rows = tuple(
            row(
                f"worker: {{tp: 8, additional-settings: ['CONFIG_FILE={LLM_D}/l{each}.yaml', THINKING_MODE=on]}}",
                (1, 8, 64, 256),
            )
            for each in range(4)
        )
        yield Config(f"dsv4-{n:02}-llmd-vllm", "llmd-vllm", "dsv4", rows, several=True)


def without_gates() -> Iterator[Config]:
    """Exempt frameworks, shell scripts, a curve without a collection, a file that is not there."""
    for n in range(10):
        rows = tuple(row(WORKER, (each, 10 + each, 20 + each), "recipes/t.yaml") for each in range(1, 5))
        yield Config(f"glm5.2-{n:02}-dynamo-trt", "dynamo-trt", "glm5.2", rows, several=True)
    for n in range(2):
        yield Config(f"glm5.1-{n:02}-tilert", "tilert", "glm5.1", (row(WORKER, (1, 2, 4)),), several=True)
    for n in range(10):
        yield Config(f"scripted-{n:02}", "sglang", "glm5.2", (row(f"tp: 8, {NONE}", range(1, 13)),))
    for n in range(4):
        rows = (row(f"tp: 8, {NONE}", range(1, 11), "benchmarks/flash.yaml"),)
        yield Config(f"dsv41flash-{n:02}-vllm", "vllm", "dsv41flash", rows)
    yield Config("gone", "vllm", "dsv4", (row(f"tp: 8, {NONE}", range(1, 42), "benchmarks/gone.yaml"),))


def recipes() -> Iterator[tuple[str, str]]:
    yield from ((f"{SINGLE}/kimi{n:02}/a.yaml", made.drafts_by_concurrency()) for n in range(12))
    yield from ((f"{SINGLE}/qwen{n:02}/a.yaml", made.lists_of_a_zip(ZIPPED)) for n in range(16))
    yield from ((f"{SINGLE}/mini{n:02}/a.yaml", made.settings_of_a_file()) for n in range(8))
    yield from ((f"{SINGLE}/atom{n:02}/c{at}.yaml", made.plain(at)) for n in range(8) for at in LADDER)
    yield from ((f"{MULTI}/dsv4/d{n:02}-{each}.yaml", made.two_roles(each)) for n in range(14) for each in range(6))
    yield from ((f"{MULTI}/glm/x{n:02}.yaml", made.selected()) for n in range(10))
    yield from ((f"{LLM_D}/l{each}.yaml", made.router(each)) for each in range(4))
    yield "benchmarks/flash.yaml", made.without_collection()


def fixed_sequences(count: int = 130) -> str:
    """Configs without AgentX rows, as most of a real master config is: they are read, and give no point."""
    rows = "".join(
        text(f"""
            - spec-decoding: mtp
              conc-list: [{4 * each}]
              prefill:
                num-worker: 1
                tp: 8
                ep: 8
                dp-attn: false
                additional-settings:
                - CONFIG_FILE=recipes/f{each}.yaml
              decode: {{num-worker: {each}, tp: 8, ep: 8, dp-attn: true}}
            """)
        .replace("\n", "\n      ")
        .join(("      ", "\n"))
        for each in range(1, 9)
    )
    head = (
        "image: v/x:v1\n  model: v/x\n  model-prefix: x\n  precision: fp8\n  framework: dynamo-trt\n  runner: cluster:c"
    )
    space = "scenarios:\n    fixed-seq-len:\n    - isl: 8192\n      osl: 1024\n      search-space:"
    return "".join(f"fixed-{n:03}:\n  {head}\n  multinode: true\n  {space}\n{rows}" for n in range(count))


def wide_tree() -> Snapshot:
    """The whole repository."""
    configs = (*single_node(), *several_nodes(), *without_gates())
    files = {
        "configs/nvidia-master.yaml": "".join(each.text(n) for n, each in enumerate(configs)) + fixed_sequences(),
        "configs/runners.yaml": RUNNERS,
        "configs/srt-recipes/agentic-single.yaml": BLOCK,
        "configs/srt-recipes/agentic-multi.yaml": BLOCK,
        **dict(recipes()),
    }
    below = {f"{ROOT}/{path}": content.encode() for path, content in files.items()}
    return Snapshot(None, {".github/gatekit.yml": SETTINGS.encode(), **below})
