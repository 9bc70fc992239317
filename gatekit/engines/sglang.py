"""SGLang: `python -m sglang.launch_server --model-path MODEL --flag value …`, switches bare.

Counters: python/sglang/srt/observability/metrics_collector.py, `observe_one_finished_request`; they move when a request
ends. The gauges (`sglang:spec_accept_length` and its like) speak of the last interval only and are not read.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType

from gatekit.bench.recipes.roles import Role
from gatekit.bench.recipes.shelf import Parallelism
from gatekit.domain.gates import EngineName, Launch, Reason, Unusable
from gatekit.domain.verdict import Unmeasured
from gatekit.engines.counters import Counters, Counts, Gains, Unread
from gatekit.engines.engine import Args, Arguments, Files, Speculation, names, plain_name, words
from gatekit.engines.forced_acceptance import Asked, Forcing
from gatekit.engines.traits import Footprint, OpenEngine, Variables

_WORD = re.compile(r"[\w.-]+", re.ASCII)
_OWN_EVENTS = re.compile(
    r'\{\s*"publisher"\s*:\s*"zmq"\s*,\s*"topic"\s*:\s*"[\w.-]+"\s*,\s*"endpoint"\s*:\s*"tcp://\*:[0-9]{2,5}"\s*\}',
    re.ASCII,
)

_SIZES = re.compile(r'\{[\w"{}:,\s]*\}|/configs/[\w-]+\.json', re.ASCII)  # sizes only, or the site's own file of them

_SWITCHES_AND_SIZES = """
allow-auto-truncate attn-cp-size chunked-prefill-size context-length cpu-offload-gb cuda-graph-bs cuda-graph-max-bs
cuda-graph-max-bs-decode data-parallel-size dcp-size decode-log-interval disable-chunked-prefix-cache
disable-cuda-graph disable-cuda-graph-padding disable-custom-all-reduce disable-flashinfer-autotune
disable-overlap-schedule disable-piecewise-cuda-graph disable-radix-cache disable-shared-experts-fusion
disaggregation-bootstrap-port disaggregation-decode-extra-slots disaggregation-decode-polling-interval dp-size
enable-aiter-allreduce-fusion enable-cache-report enable-dp-attention enable-dp-attention-local-control-broadcast
enable-dp-lm-head enable-dsa-cache-layer-split enable-eplb enable-flashinfer-allreduce-fusion
enable-hierarchical-cache enable-linear-replayssm-spec enable-metrics enable-mixed-chunk enable-nan-detection
enable-nccl-nvls enable-prefill-cp enable-single-batch-overlap enable-symm-mem enable-torch-compile
enable-two-batch-overlap ep-num-redundant-experts ep-size expert-parallel-size hicache-ratio hicache-size
keep-mm-feature-on-device linear-replayssm-cache-len mamba-full-memory-ratio mamba-max-states-per-path
mamba-track-interval max-mamba-cache-size max-prefill-tokens max-queued-requests max-running-requests max-total-tokens
mem-fraction-static moe-dense-tp-size num-continuous-decode-steps numa-node page-size pipeline-parallel-size pp-size
prefill-decode-interval prefill-round-robin-balance random-seed schedule-conservativeness scheduler-recv-interval
served-model-name skip-server-warmup skip-tokenizer-init speculative-dspark-block-size speculative-eagle-topk
speculative-num-draft-tokens speculative-num-steps stream-interval swa-full-tokens-ratio swa-prefix-tails
tensor-parallel-size tokenizer-worker-num torch-compile-max-bs tp-size trust-remote-code watchdog-timeout
weight-loader-drop-cache-after-load weight-loader-prefetch-checkpoints weight-loader-prefetch-num-threads
"""
_WORDS = """
attention-backend bf16-gemm-backend cp-strategy decode-attention-backend deepep-mode disaggregation-mode
disaggregation-transfer-backend dsa-decode-backend dsa-prefill-backend dtype ep-dispatch-algorithm eplb-algorithm
fp4-gemm-backend fp8-gemm-backend hicache-io-backend hicache-mem-layout hicache-storage-backend hicache-write-policy
kv-cache-dtype linear-attn-backend linear-attn-decode-backend linear-attn-prefill-backend load-balance-method
load-format log-level mamba-radix-cache-strategy mamba-scheduler-strategy mamba-ssm-dtype mm-attention-backend
moe-a2a-backend moe-runner-backend nsa-decode-backend nsa-prefill-backend prefill-attention-backend quantization
reasoning-parser sampling-backend schedule-policy speculative-algo speculative-algorithm speculative-attention-mode
speculative-draft-model-quantization speculative-moe-a2a-backend speculative-moe-runner-backend tokenizer-mode
tool-call-parser
"""

DRAFT_MODEL = ("speculative-draft-model-path", "speculative-draft-model")

ARGUMENTS = Arguments(
    allowed=names(_SWITCHES_AND_SIZES),
    values={**dict.fromkeys(names(_WORDS), _WORD), "kv-events-config": _OWN_EVENTS, "deepep-config": _SIZES},
    nested={
        "model-loader-extra-config": names("enable_multithread_load num_threads"),
    },
    models=frozenset({*DRAFT_MODEL, "tokenizer-path"}),
)


ALGORITHM = ("speculative-algorithm", "speculative-algo")
STEPS, WIDTH, TREE = "speculative-num-steps", "speculative-num-draft-tokens", "speculative-eagle-topk"
BLOCK = "speculative-dspark-block-size"
DSPARK = "dspark"


class SglangCounters:
    """Accepted draft tokens = generated tokens - requests - verification steps.

    A request's first token comes from its prompt's pass, every verification gives one token beside those it accepts:
    `completion_tokens = 1 + spec_verify_ct + accepted`, as SGLang's own per-request numbers show. What a request drops
    behind its last token was never generated, so the AL comes out low by less than K tokens a request.
    """

    prefix = "sglang:"
    steps, generated, requests = "sglang:spec_verify_calls", "sglang:generation_tokens", "sglang:num_requests"
    families = (steps, generated, requests)
    growing = frozenset(families)  # a labelled series appears with its first request
    at_request_end = True

    def read(self, gains: Gains, k: int | None) -> Counts:
        generated, requests = gains.needed(self.generated, _SWITCHED_OFF), gains.needed(self.requests, _SWITCHED_OFF)
        if requests == 0:
            return Counts(0, 0, None, None, generated)
        steps = gains.needed(self.steps, _OLD)
        accepted = generated - requests - steps
        if accepted < 0:
            problem = f"{steps:,} verification steps in {requests:,} requests gave only {generated:,} tokens"
            raise Unread(Unmeasured.POSITIONS_DISAGREE, f"The engine's counters contradict each other: {problem}.")
        return Counts(steps, accepted, None, None, generated)


_SWITCHED_OFF = "start SGLang with --enable-metrics, and scrape the server itself"
_OLD = (
    "speculation is off, or this SGLang is too old to count its verification steps (v0.5.10 and older do not; builds "
    "since May 2026 do), and its gauges hold the last interval only"
)


class Sglang:
    name = EngineName("sglang")
    label = "SGLang"
    frameworks: tuple[str, ...] = ("sglang", "sglang-disagg", "dynamo-sglang")
    exempt: frozenset[str] = frozenset()
    unseen: str | None = (
        "Whether a real SGLang takes the arguments of a recipe as they are written, and counts as it declares, is not "
        "known."
    )
    health = "/health"
    metrics = "/metrics"
    counters: Counters = SglangCounters()
    settle_seconds = 2.0
    slice_seconds = 1.0
    arguments = ARGUMENTS
    deployment = names("""
        tensor-parallel-size tp-size data-parallel-size dp-size expert-parallel-size ep-size pipeline-parallel-size
        pp-size attn-cp-size dcp-size moe-dense-tp-size enable-dp-attention enable-dp-lm-head kv-cache-dtype
        quantization dtype""")
    drafting = frozenset({*ALGORITHM, *DRAFT_MODEL, STEPS, WIDTH, TREE, BLOCK})
    foreign: tuple[str, ...] = ("dyn-", "host", "port")
    adaptive: tuple[str, str] | None = None
    forcing = Forcing(
        names=("simulate_acc",),
        lengths={"acc_len": Asked.LENGTH},
        unset=("SGLANG_SIMULATE_ACC_LEN", "SGLANG_SIMULATE_ACC_METHOD", "SGLANG_SIMULATE_ACC_TOKEN_MODE"),
        companions={
            "SGLANG_SIMULATE_ACC_LEN": {
                "SGLANG_SIMULATE_ACC_METHOD": "match-expected",
                "SGLANG_SIMULATE_ACC_TOKEN_MODE": "real-draft-token",
            }
        },
    )
    sizes: Mapping[str, tuple[str, ...]] = MappingProxyType(
        {
            "tp": ("tensor-parallel-size", "tp-size"),
            "pp": ("pipeline-parallel-size", "pp-size"),
            "dp": ("data-parallel-size", "dp-size"),
            "dcp": ("dcp-size",),
            "ep": ("expert-parallel-size", "ep-size"),
        }
    )
    parallelism = Parallelism(experts=("expert-parallel-size", "ep-size"), attention_data=("enable-dp-attention",))
    variables = Variables(harmless=frozenset({"SGLANG_ENABLE_HEALTH_ENDPOINT_GENERATION"}))
    footprint = Footprint(
        packages=("sglang", "sgl-kernel"), workspaces=("sgl-workspace",), routers=("sgl_router_", "smg_")
    )
    open: OpenEngine | None = OpenEngine(
        organisation="lmsysorg",
        frameworks=frozenset({"sglang", "sglang-disagg", "dynamo-sglang"}),
        repositories=frozenset({"sgl-project/sglang"}),
        archived=frozenset({"sgl-project/sgl-docs", "sgl-project/sgl-cookbook"}),
        host="docs.sglang.io",
        page=r"cookbook/(?!intro/?(?:[?#]|$))[^\s?#]+",
    )

    def speculation(self, role: Role) -> Speculation | None:
        args = _plain(role)
        algorithm = _first(args, ALGORITHM)
        if algorithm is None or str(algorithm).upper() == "NONE":
            return None
        method, at, model = str(algorithm).lower(), role.args_at, _first(args, DRAFT_MODEL)
        if method == DSPARK:
            return Speculation(method, _tokens(args, BLOCK, at), _model_name(model), "probabilistic")
        if args.get(TREE, 1) != 1:
            problem = f"{at}.{TREE} is {args[TREE]!r}: golden curves hold drafts of one branch, so set it to 1"
            raise Unusable(Reason.AMBIGUOUS_DRAFT, problem)
        return Speculation(method, _tokens(args, STEPS, at), _model_name(model), None)

    def verifying_all(self, role: Role) -> Role:
        return role  # every draft token is verified

    def with_k(self, role: Role, k: int) -> Role:
        found = self.speculation(role)
        if found is None:
            raise Unusable(Reason.NOT_DRAFTING, f"{role.args_at} has no {ALGORITHM[0]}: it drafts nothing")
        new = {BLOCK: k} if found.method == DSPARK else {STEPS: k, WIDTH: k + 1}
        kept = {name: value for name, value in role.args.items() if plain_name(name) not in new}
        return replace(role, args={**kept, **new})

    def model_of(self, role: Role) -> str | None:
        named = _first(_plain(role), ("model-path", "model"))
        return None if named is None or str(named).startswith("/") else str(named)  # a mount is the site's own

    def argv(self, launch: Launch) -> tuple[str, ...]:
        given = tuple((name, value) for name, value in launch.args if name != "enable-metrics")
        where = ("--host", "127.0.0.1", "--port", "{port}")
        return ("--model-path", launch.model, *words(given), "--enable-metrics", *where)

    def files(self, launch: Launch) -> Files:
        return ()

    def served_name(self, launch: Launch) -> str:
        found = [value for name, value in launch.args if name == "served-model-name"]
        return str(found[0]) if found else launch.model

    def models(self, args: Args) -> Collection[tuple[str, str]]:
        return [(name, str(value)) for name, value in args if name in self.arguments.models]


def _plain(role: Role) -> dict[str, object]:
    return {plain_name(name): value for name, value in role.args.items() if value is not None}


def _first(args: dict[str, object], spellings: tuple[str, ...]) -> object:
    return next((args[name] for name in spellings if name in args), None)


def _model_name(value: object) -> str | None:
    return None if value is None else str(value)


def _tokens(args: dict[str, object], name: str, at: str) -> int:
    k = args.get(name)
    if k is None:
        raise Unusable(Reason.RECIPE_INVALID, f"{at} does not say how many tokens are drafted: set {name}")
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise Unusable(Reason.RECIPE_INVALID, f"{at}.{name} is {k!r}: give a whole number above 0")
    return k
