"""A benchmark repository with every kind of file that a plan reads, to spoil one line or byte at a time."""

import gc
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from gatekit.bench.repo.settings_file import parse_settings
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.cluster.policy import Cluster
from gatekit.domain.errors import Refusal
from gatekit.domain.gates import GatePlan, Reason
from gatekit.goldens.lookup import load_curves
from gatekit.plan.plan import PlanSources, plan
from tests.worlds.bench import small_bench
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG, RECIPES, text

MIB = 1024 * 1024
MOST_SECONDS = 10.0  # of the processor; the slowest takes a fraction of one, and what never ends more than this
MOST_BYTES = 200 * MIB

ROLES, OLD, BUNDLE, DISAGG = (f"{RECIPES}/{name}.yaml" for name in ("roles", "old", "bundle", "disagg"))
CURVE, RUNNERS = "goldens/glow_mtp.yaml", "configs/runners.yaml"
HISTORY = """\
- config-keys:
    - glow-*
  description:
    - "The first points."
  pr-link: https://github.com/acme/bench/pull/1

- config-keys: [glow-fp8-h100-vllm-old]
  description: ["More points", "And a note: nothing else"]
  pr-link: https://github.com/acme/bench/pull/2
  scenario-type: [agentic-coding]
"""
ADDED = """
- config-keys:
    - glow-fp8-h100-vllm-roles
    - glow-fp8-h100-vllm-b*
  description:
    - "Points for the roles, and for every variant of the bundle."
    - |
      In detail:
        two more
  pr-link: https://github.com/acme/bench/pull/XXX

- config-keys: ["glow-fp8-h100-vllm-old", glow-fp8-h100-vllm-disagg]
  description: [Draft three tokens.]
  scenario-type:
    - agentic-coding
  pr-link: https://github.com/acme/bench/pull/XXX
"""
_ENTRY = """\
glow-fp8-h100-vllm-{name}:
  image: vllm/vllm-openai:v0.21.0
  model: example/glow
  model-prefix: glow
  precision: fp8
  framework: vllm
  runner: cluster:h100
  multinode: {multinode}
"""
_CONFIGS = (
    "# what is benchmarked\n"
    + _ENTRY.format(name="roles", multinode="false")
    + """\
  scenarios:
    fixed-seq-len:
    - isl: 1024
      osl: 1024
      search-space:
      - { tp: 8, conc-start: 4, conc-end: 64 }
    agentic-coding:
    - dram-utilization: 0.8
      search-space:
      - { tp: 8, kv-offloading: none, spec-decoding: mtp, conc-list: [4, 8, 16], srt-recipe: recipes/roles.yaml }
      - tp: 8
        kv-offloading: dram
        kv-offload-backend: { name: vllm-simple }
        spec-decoding: mtp
        conc-start: 32
        conc-end: 128
        srt-recipe: recipes/roles.yaml

"""
    + _ENTRY.format(name="bundle", multinode="false")
    + """\
  scenarios:
    agentic-coding:
    - search-space:
      - { tp: 8, kv-offloading: none, spec-decoding: mtp, conc-list: [4, 8, 16], srt-recipe: recipes/bundle.yaml }
      - { tp: 4, kv-offloading: none, spec-decoding: none, conc-list: [1], srt-recipe: recipes/roles.yaml }

"""
    + _ENTRY.format(name="old", multinode="true")
    + """\
  disagg: true
  kv-p2p-transfer: nixl
  scenarios:
    agentic-coding:
    - search-space:
      - spec-decoding: mtp
        conc-list: [4]
        prefill: { num-worker: 1, tp: 8, ep: 1, dp-attn: false }
        decode:
          num-worker: 1
          tp: 8
          ep: 1
          dp-attn: false
          additional-settings:
          - "CONFIG_FILE=recipes/old.yaml"
          - "DECODE_NODES=1"

"""
    + _ENTRY.format(name="disagg", multinode="true")
    + """\
  disagg: true
  router: { name: dynamo, version: "1.0" }
  scenarios:
    agentic-coding:
    - search-space:
      - spec-decoding: mtp
        conc-list: [64, 128]
        kv-p2p-transfer: nixl
        prefill: { num-worker: 2, tp: 4, hardware: h100 }
        decode: { num-worker: 1, tp: 8, pp: 1, dcp-size: 2 }
        srt-recipe: recipes/disagg.yaml
"""
)
_OLD = """
    name: old
    model: {path: "hf:example/glow", container: vllm, precision: fp8}
    resources: {decode_nodes: 1, decode_workers: 1, gpus_per_decode: 8, prefill_nodes: 1, prefill_workers: 1}
    backend:
      type: vllm
      decode_environment: &env
        VLLM_A: b
        SGLANG_SIMULATE_ACC_LEN: "2.6"
      prefill_environment: *env
      vllm_config:
        decode:
          <<: &shared {tensor-parallel-size: 8}
          speculative-config: {method: mtp, num_speculative_tokens: 3}
        prefill: *shared
    benchmark: {type: custom, env: {CONC: 4, THINKING_MODE: "on"}}
    """
_BUNDLE = """
    base:
      engine: vllm
      roles:
        agg:
          gpus: 8
          args:
            tensor-parallel-size: 8
            speculative-config: {method: mtp, num_speculative_tokens: 3}
    override_a:
      benchmark: {env: {CONC: 4}}
    zip_override_b:
      benchmark:
        env:
          CONC: ["8", "16"]
      roles: {agg: {args: {max-num-seqs: [8, 16], speculative-config: {num_speculative_tokens: [3, 2]}}}}
    """
_DISAGG = """
    schema: 2
    name: disagg
    engine: {type: vllm}
    roles:
      prefill: {nodes: 1, workers: 2, gpus: 4, args: {tensor-parallel-size: 4}}
      decode:
        nodes: 1
        workers: 1
        gpus: 8
        env: {VLLM_A: "1"}
        args:
          tensor-parallel-size: 8
          speculative-config: '{"method":"mtp","num_speculative_tokens":3,"synthetic_acceptance_length":2.6}'
    """
_RUNNERS = """\
hardware:
  cluster:h100: {gpus-per-node: 8}
labels: {h100: [one, two]}
"""


class Kind(StrEnum):
    """What of the pull request is spoiled; curves are the base's."""

    CHANGELOG = "changelog"
    CONFIG = "config"
    RECIPE = "recipe"
    CURVE = "curve"


PATHS: Mapping[Kind, tuple[str, ...]] = {
    Kind.CHANGELOG: (CHANGELOG,),
    Kind.CONFIG: (CONFIG,),
    Kind.RECIPE: (ROLES, OLD, BUNDLE, DISAGG),
    Kind.CURVE: (CURVE,),
}
KINDS = {path: kind for kind, paths in PATHS.items() for path in paths}

HEAD: Mapping[str, bytes] = {
    path: content.encode()
    for path, content in {
        CONFIG: _CONFIGS,
        RUNNERS: _RUNNERS,
        CHANGELOG: HISTORY + ADDED,
        ROLES: small_bench.recipe(16),
        OLD: text(_OLD),
        BUNDLE: text(_BUNDLE),
        DISAGG: text(_DISAGG),
        CURVE: text(small_bench.CURVE),
        "README.md": "# Benchmarks\n",
    }.items()
}
BASE: Mapping[str, bytes] = {**HEAD, CHANGELOG: HISTORY.encode()}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a tree, and what it cost."""

    made: GatePlan | Refusal
    seconds: float  # of this process
    bytes: int  # that it grew at most

    @property
    def refused(self) -> tuple[str, ...]:
        """Every sentence that says no: the refusal's, or those of the points whose recipe cannot be used."""
        if isinstance(self.made, Refusal):
            return self.made.sentences
        wrong = (Reason.RECIPE_INVALID, Reason.RECIPE_MISSING, Reason.RECIPE_UNREADABLE)
        return tuple(point.detail for point in self.made.unresolved if point.reason in wrong)


def planned(files: Mapping[str, bytes], clusters: Mapping[str, Cluster] | None = None) -> Outcome:
    """The plan of a head with these files, or the refusal; whatever else is raised is a failure of the test."""
    with _own_garbage():
        before = _reset_peak()
        began = time.process_time()
        try:
            made: GatePlan | Refusal = plan(_sources(files), clusters, "node")
        except Refusal as no:
            made = no
        return Outcome(made, time.process_time() - began, _peak() - before)


@contextmanager
def _own_garbage() -> Iterator[None]:
    """Nothing is collected meanwhile: that would cost what the whole process holds, not what the plan made."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _sources(files: Mapping[str, bytes]) -> PlanSources:
    curves = load_curves({path: data for path, data in files.items() if path.startswith("goldens/")})
    head, base = Snapshot(None, files), Snapshot(None, BASE)
    return PlanSources(head, base, None, parse_settings(None), curves)


def _reset_peak() -> int:
    """Bytes that are resident now; the peak begins anew here."""
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _peak() -> int:
    return _status("VmHWM")


def _status(name: str) -> int:
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024
