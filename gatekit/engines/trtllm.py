"""TensorRT-LLM: `trtllm-serve MODEL --extra_llm_api_options FILE`; what a recipe sets stands in the file.

Counters: tensorrt_llm/metrics/collector.py, Prometheus text at `/prometheus/metrics` (`/metrics` is JSON). The gauge
`trtllm_spec_decode_acceptance_length` speaks of the last iteration only and is not read.
"""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType, NoneType

from gatekit.bench.recipes.roles import Role, json_mapping
from gatekit.bench.recipes.shelf import Parallelism
from gatekit.domain.gates import ArgValue, EngineName, Launch, Reason, Unusable
from gatekit.domain.verdict import Unmeasured
from gatekit.engines.counters import Counters, Counts, Gains, Unread, by_position
from gatekit.engines.engine import Args, Arguments, Files, Speculation, compact, names, plain_name
from gatekit.engines.forced_acceptance import Asked, Forcing
from gatekit.engines.traits import Footprint, OpenEngine, Variables

_WORD = re.compile(r"[\w-]+", re.ASCII)  # no dots: a dotted name would be an import

_SWITCHES_AND_SIZES = """
context-parallel-size disable-overlap-scheduler enable-attention-dp enable-autotuner enable-chunked-prefill
enable-iter-perf-stats enable-iter-req-stats enable-lm-head-tp-in-adp enable-min-latency gpus-per-node max-batch-size
max-input-len max-num-tokens max-seq-len moe-cluster-parallel-size moe-expert-parallel-size moe-tensor-parallel-size
num-postprocess-workers num-serve-frontends perf-metrics-max-requests pipeline-parallel-size print-iter-log
return-perf-metrics served-model-name skip-tokenizer-init stream-interval tensor-parallel-size trust-remote-code
use-torch-sampler
"""
_WORDS = "allreduce-strategy attn-backend backend custom-tokenizer dtype load-format reasoning-parser sampler-type"

SPECULATIVE = "speculative-config"
DRAFT_MODEL = ("speculative_model", "speculative_model_dir")

ARGUMENTS = Arguments(
    allowed=names(_SWITCHES_AND_SIZES),
    values=dict.fromkeys(names(_WORDS), _WORD),
    nested={
        SPECULATIVE: names("""
            decoding_type max_draft_len max_total_draft_tokens speculative_model speculative_model_dir
            num_nextn_predict_layers use_mtp_vanilla use_relaxed_acceptance_for_thinking mtp_eagle_one_model
            eagle3_one_model eagle3_layers_to_capture num_eagle_layers dspark_config confidence_schedule
            allow_advanced_sampling use_one_engine"""),
        "attention-dp-config": names("""
            enable_balance batching_wait_iters timeout_iters enable_kv_cache_aware_routing
            kv_cache_routing_conversation_affinity kv_cache_routing_max_sessions"""),
        "cache-transceiver-config": names("""
            backend max_tokens_in_buffer kv_transfer_timeout_ms kv_transfer_sender_future_timeout_ms
            transceiver_runtime kv_cache_bounce_size_mb"""),
        "cuda-graph-config": names("batch_sizes enable_padding max_batch_size"),
        "kv-cache-config": names("""
            avg_seq_len block_reuse_config block_reuse_policy max_num_turns policy dtype enable_block_reuse
            enable_partial_reuse event_buffer_max_size free_gpu_memory_fraction host_cache_size
            mamba_ssm_cache_dtype mamba_state_config additional_snapshot_offsets_from_end periodic_snapshot_interval
            max_tokens max_attention_window tokens_per_block use_kv_cache_manager_v2"""),
        "moe-config": names("""
            backend load_balancer layer_updates_per_iter num_slots max_num_tokens use_low_precision_moe_combine
            disable_finalize_fusion"""),
        "nvfp4-gemm-config": names("allowed_backends"),
        "scheduler-config": names("capacity_scheduler_policy context_chunking_policy"),
        "sparse-attention-config": names("""
            algorithm implementation indexer_kv_dtype index_topk enable_heuristic_topk fuse_qkv_index_projection
            sparse_disable_index_value use_cute_dsl_paged_mqa_logits use_cute_dsl_topk"""),
        "torch-compile-config": names("""
            capture_num_tokens enable_fullgraph enable_inductor enable_piecewise_cuda_graph enable_userbuffers
            max_num_streams"""),
    },
    models=frozenset(),
    as_json=(list, NoneType),
)


FILE = "llm_api_options.yaml"
TYPE, TOKENS = "decoding_type", "max_draft_len"
SERVED_NAME = "served-model-name"
FLAGS = frozenset({SERVED_NAME})  # words of the command; everything else is a setting of the file


class TrtLlmCounters:
    """By position where the build counts so: a step drafts at position 0 once, so the drafts at 0 are the steps.

    Older builds count drafted and accepted tokens, and no steps. Every step gives one token beside those it accepts,
    and a request's first token comes from its prompt's pass; where the steps that follow from this drafted exactly K
    tokens each, they are proven. Else the AL is not known.
    """

    prefix = "trtllm_"
    drafted, accepted = "trtllm_spec_decode_drafted_tokens", "trtllm_spec_decode_accepted_tokens"
    old_drafted, old_accepted = "trtllm_spec_decode_num_draft_tokens", "trtllm_spec_decode_num_accepted_tokens"
    generated, requests = "trtllm_generation_tokens", "trtllm_request_success"
    families = (drafted, accepted, old_drafted, old_accepted, generated, requests)
    growing = frozenset(families)  # a labelled series appears when it first counts
    at_request_end = True

    def read(self, gains: Gains, k: int | None) -> Counts:
        drafted = gains.by(self.drafted, "token_position")
        if not drafted:
            return self._older(gains, k)
        accepted = gains.by(self.accepted, "token_position") or {}
        if k is not None and k > 1 and set(drafted) == {0}:
            problem = f"{gains.worker} counts drafts at the first position only, and K is {k}"
            raise Unread(Unmeasured.COUNTERS_MISSING, f"{problem}: use a build that counts every position.")
        _holds_together(gains.worker, drafted, accepted)
        return Counts(
            drafts=drafted.get(0, 0),
            accepted=sum(accepted.values()),
            draft_tokens=sum(drafted.values()),
            per_position=by_position(accepted),
            generated=gains.optional(self.generated),
        )

    def _older(self, gains: Gains, k: int | None) -> Counts:
        tokens = gains.needed(self.old_drafted, _SWITCHED_OFF)
        accepted = gains.needed(self.old_accepted, _SWITCHED_OFF) if tokens else 0
        if tokens == 0:
            return Counts(0, 0, 0, None, gains.optional(self.generated))
        generated, requests = gains.optional(self.generated), gains.optional(self.requests)
        steps = -1 if generated is None or requests is None else generated - requests - accepted
        if k is None or steps < 1 or tokens != k * steps:
            problem = f"{gains.worker} counts draft tokens and no drafts, and there is no proof that each held K"
            raise Unread(
                Unmeasured.COUNTERS_MISSING, f"{problem}: use a build that counts by position ({self.drafted})."
            )
        return Counts(steps, accepted, tokens, None, generated)


_SWITCHED_OFF = "set return_perf_metrics and turn speculation on, and scrape /prometheus/metrics of the server itself"


class TrtLlm:
    name = EngineName("trtllm")
    label = "TensorRT-LLM"
    frameworks: tuple[str, ...] = ("trt", "trtllm", "dynamo-trt")
    exempt = frozenset({"dynamo-trt"})
    unseen: str | None = (
        "Whether `trtllm-serve` takes the options file that a gate writes, and counts by position as it declares, is "
        "not known."
    )
    health = "/health"
    metrics = "/prometheus/metrics"
    counters: Counters = TrtLlmCounters()
    settle_seconds = 2.0
    slice_seconds = 1.0
    arguments = ARGUMENTS
    deployment = names("""
        tensor-parallel-size pipeline-parallel-size context-parallel-size moe-expert-parallel-size
        moe-tensor-parallel-size enable-attention-dp enable-lm-head-tp-in-adp dtype""")
    drafting = frozenset({SPECULATIVE})
    foreign: tuple[str, ...] = ("dyn-",)
    adaptive: tuple[str, str] | None = None
    forcing = Forcing(
        names=("force_num_accepted_tokens",),
        lengths={"force_num_accepted_tokens": Asked.ACCEPTED},
        unset=("TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS",),
    )
    sizes: Mapping[str, tuple[str, ...]] = MappingProxyType(
        {
            "tp": ("tensor-parallel-size",),
            "pp": ("pipeline-parallel-size",),
            "ep": ("moe-expert-parallel-size",),
        }
    )
    parallelism = Parallelism(experts=("moe_expert_parallel_size",), attention_data=("enable_attention_dp",))
    variables = Variables()
    footprint = Footprint(packages=("tensorrt-llm", "trtllm"))
    open: OpenEngine | None = None

    def speculation(self, role: Role) -> Speculation | None:
        found = _speculative(role)
        if found is None:
            return None
        at, config = found
        method, k = config.get(TYPE), config.get(TOKENS, config.get("num_nextn_predict_layers"))
        model = next((config[name] for name in DRAFT_MODEL if config.get(name) is not None), None)
        if not isinstance(method, str) or not method:
            raise Unusable(Reason.RECIPE_INVALID, f"{at} names no {TYPE}; the golden curve is chosen by it")
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            said = "does not say how many tokens are drafted" if k is None else f"has {TOKENS} {k!r}"
            raise Unusable(Reason.RECIPE_INVALID, f"{at} {said}: set {TOKENS} to a whole number above 0")
        return Speculation(method.lower(), k, None if model is None else str(model), None)

    def verifying_all(self, role: Role) -> Role:
        return role  # every draft token is verified

    def with_k(self, role: Role, k: int) -> Role:
        found = _speculative(role)
        if found is None:
            raise Unusable(Reason.NOT_DRAFTING, f"{role.args_at} has no {SPECULATIVE}: it drafts nothing")
        changed = {**found[1], TOKENS: k}
        named = {name: changed if plain_name(name) == SPECULATIVE else value for name, value in role.args.items()}
        return replace(role, args=named)

    def model_of(self, role: Role) -> str | None:
        return None

    def argv(self, launch: Launch) -> tuple[str, ...]:
        flags = [word for name, value in launch.args if name in FLAGS for word in ("--served_model_name", str(value))]
        where = ("--host", "127.0.0.1", "--port", "{port}")
        return (launch.model, *where, *flags, "--extra_llm_api_options", FILE)

    def files(self, launch: Launch) -> Files:
        """The configuration, as JSON, which is YAML. Acceptance is counted only where performance metrics are on."""
        settings = {name.replace("-", "_"): _value(value) for name, value in launch.args if name not in FLAGS}
        return ((FILE, compact({**settings, "return_perf_metrics": True}) + "\n"),)

    def served_name(self, launch: Launch) -> str:
        found = [value for name, value in launch.args if name == SERVED_NAME]
        return str(found[0]) if found else launch.model

    def models(self, args: Args) -> Collection[tuple[str, str]]:
        configs = (json_mapping(value) or {} for name, value in args if name == SPECULATIVE)
        named = [(name, config.get(name)) for config in configs for name in DRAFT_MODEL]
        return [(f"{SPECULATIVE}.{name}", str(model)) for name, model in named if model is not None]


def _speculative(role: Role) -> tuple[str, Mapping[str, object]] | None:
    for name, value in role.args.items():
        if plain_name(name) == SPECULATIVE and value is not None:
            config = json_mapping(value)
            if config is None:
                raise Unusable(Reason.RECIPE_INVALID, f"{role.args_at}.{name} is neither a mapping nor a JSON object")
            return (f"{role.args_at}.{name}", config) if config else None
    return None


def _value(value: ArgValue) -> object:
    """A setting as it stood in the recipe: mappings, lists and nulls come as JSON."""
    if not isinstance(value, str) or not (value == "null" or value[:1] in ("{", "[")):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _holds_together(worker: str, drafted: Mapping[int, int], accepted: Mapping[int, int]) -> None:
    by_depth = by_position(drafted)
    if any(later > earlier for earlier, later in pairwise(by_depth)):
        problem = "a later position was drafted more often than the one before it"
    elif any(count > drafted.get(position, 0) for position, count in accepted.items()):
        problem = "a position was accepted more often than it was drafted"
    else:
        return
    raise Unread(Unmeasured.POSITIONS_DISAGREE, f"The engine's counters of {worker} contradict each other: {problem}.")
