"""vLLM: `vllm serve MODEL --flag value …`.

Counters: vllm/v1/spec_decode/metrics.py; they are written about every ten seconds, so the last answers come late.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType

from gatekit.bench.recipes.roles import Role, json_mapping
from gatekit.bench.recipes.shelf import Parallelism
from gatekit.domain.gates import EngineName, Launch, Reason, Unusable
from gatekit.engines.counters import Counters, SeriesNames
from gatekit.engines.engine import Args, Arguments, Files, Speculation, compact, names, plain_name, words
from gatekit.engines.forced_acceptance import Asked, Forcing
from gatekit.engines.traits import Footprint, OpenEngine, Variables

_WORD = re.compile(r"[\w.-]+", re.ASCII)
_OWN_CLASS = re.compile(r"vllm(\.\w+)+", re.ASCII)  # a class path is an import: only from vLLM itself
_NUMBERS = re.compile(r"[0-9,.]+[kKmMgGtT]?i?", re.ASCII)

_SWITCHES_AND_SIZES = """
async-scheduling block-size data-parallel-hybrid-lb data-parallel-rpc-port data-parallel-size data-parallel-size-local
dbo-decode-token-threshold dbo-prefill-token-threshold dcp-kv-cache-interleave-size decode-context-parallel-size
disable-cascade-attn disable-custom-all-reduce disable-hybrid-kv-cache-manager disable-log-requests disable-log-stats
disable-uvicorn-access-log enable-auto-tool-choice enable-chunked-prefill enable-cumem-allocator enable-dbo
enable-ep-weight-filter enable-eplb enable-expert-parallel enable-flashinfer-autotune enable-force-include-usage
enable-log-requests enable-prefix-caching enable-prompt-tokens-details enable-sleep-mode enforce-eager
gpu-memory-utilization kv-cache-memory kv-cache-memory-bytes kv-cache-metrics language-model-only
long-prefill-token-threshold max-cudagraph-capture-size max-logprobs max-long-partial-prefills max-model-len
max-num-batched-tokens max-num-partial-prefills max-num-seqs max-parallel-loading-workers numa-bind numa-bind-nodes
offload-group-size offload-num-in-group offload-prefetch-step pipeline-parallel-size prefill-context-parallel-size
prefix-match-unit cpu-offload-gb seed served-model-name stream-interval swap-space tensor-parallel-size
trust-remote-code cuda-graph-sizes cudagraph-capture-sizes
"""
_WORDS = """
all2all-backend attention-backend dcp-comm-backend distributed-executor-backend dtype kda-prefill-backend
kv-cache-dtype load-format mamba-cache-dtype mamba-ssm-cache-dtype moe-backend optimization-level
prefix-caching-hash-algo quantization reasoning-parser safetensors-load-strategy scheduling-policy tokenizer-mode
tool-call-parser uvicorn-log-level
"""
_CONNECTOR = names("""
    kv_connector kv_role kv_rank kv_parallel_size kv_buffer_device kv_buffer_size kv_load_failure_policy
    engine_id kv_connector_extra_config connectors backends enable_cross_layers_blocks enable_lookup enable_offload
    enforce_handshake_compat load_async lookup_async lazy_offload max_load_batch_keys read_validation_timeout
    cpu_bytes_to_use cpu_bytes_to_use_per_rank block_size num_cpu_blocks""")

ARGUMENTS = Arguments(
    allowed=names(_SWITCHES_AND_SIZES),
    values={
        **dict.fromkeys(names(_WORDS), _WORD),
        "scheduler-cls": _OWN_CLASS,
        "distributed-executor-backend": re.compile("mp|uni"),
        "optimization-level": _NUMBERS,
    },
    nested={
        "speculative-config": names("""
            method model num_speculative_tokens draft_sample_method rejection_sample_method
            enable_adaptive_verification
            attention_backend moe_backend quantization max_model_len draft_tensor_parallel_size
            disable_padded_drafter_batch parallel_drafting use_local_argmax_reduction prompt_lookup_max
            prompt_lookup_min"""),
        "attention-config": names("""
            backend indexer_kv_dtype indexer_sparse_logits mla_prefill_backend use_fp4_indexer_cache
            use_prefill_query_quantization use_trtllm_attention use_trtllm_ragged_deepseek_prefill
            use_cudnn_prefill disable_flashinfer_q_quantization flash_attn_version
            minimax_m3_msa_decode_backend"""),
        "compilation-config": names("""
            mode cudagraph_mode cudagraph_capture_sizes decoder_replay_cudagraph_capture_sizes pass_config
            fuse_allreduce_rms fuse_attn_quant fuse_norm_quant fuse_act_quant custom_ops compile_sizes
            max_cudagraph_capture_size use_inductor_graph_partition"""),
        "kernel-config": names("enable_flashinfer_autotune enable_cutedsl_warmup moe_backend"),
        "engram-config": names("cpu_offload use_thp embedding_across_dp"),
        "kv-transfer-config": _CONNECTOR,
        "eplb-config": names("window_size step_interval num_redundant_experts log_balancedness"),
    },
    models=frozenset(),
    negations=True,
)


SPECULATIVE = "speculative-config"
ADAPTIVE = "enable_adaptive_verification"
TOKENS = "num_speculative_tokens"


class Vllm:
    name = EngineName("vllm")
    label = "vLLM"
    frameworks: tuple[str, ...] = ("vllm", "vllm-disagg", "dynamo-vllm", "llmd-vllm")
    exempt: frozenset[str] = frozenset()
    unseen: str | None = None
    health = "/health"
    metrics = "/metrics"
    counters: Counters = SeriesNames(
        drafts="vllm:spec_decode_num_drafts",
        accepted="vllm:spec_decode_num_accepted_tokens",
        draft_tokens="vllm:spec_decode_num_draft_tokens",
        per_position="vllm:spec_decode_num_accepted_tokens_per_pos",
        generated="vllm:generation_tokens",
    )
    settle_seconds = 12.0
    slice_seconds = 10.0
    arguments = ARGUMENTS
    deployment = names("""
        tensor-parallel-size pipeline-parallel-size data-parallel-size decode-context-parallel-size
        prefill-context-parallel-size enable-expert-parallel kv-cache-dtype quantization dtype""")
    drafting = frozenset({SPECULATIVE})
    foreign: tuple[str, ...] = ("dyn-",)
    adaptive: tuple[str, str] | None = (SPECULATIVE, ADAPTIVE)
    forcing = Forcing(
        names=("synthetic_acceptance",),
        lengths={"acceptance_length": Asked.LENGTH, "_rates": Asked.RATES},
        switches=(("rejection_sample_method", "synthetic"),),  # `block` and the rest are real verification
        companions={"synthetic_acceptance_length": {"rejection_sample_method": "synthetic"}},
    )
    sizes: Mapping[str, tuple[str, ...]] = MappingProxyType(
        {
            "tp": ("tensor-parallel-size",),
            "pp": ("pipeline-parallel-size",),
            "dp": ("data-parallel-size",),
            "dcp": ("decode-context-parallel-size",),
            "ep": ("enable-expert-parallel",),
        }
    )
    parallelism = Parallelism(experts=("enable-expert-parallel",), attention_data=("data-parallel-size",))
    variables = Variables()
    footprint = Footprint(packages=("vllm",), workspaces=("vllm-workspace",), routers=("vllm_router",))
    open: OpenEngine | None = OpenEngine(
        organisation="vllm",
        frameworks=frozenset({"vllm", "dynamo-vllm"}),
        repositories=frozenset({"vllm-project/recipes"}),
        archived=frozenset(),
        host="recipes.vllm.ai",
        page=r"[^\s?#]+",
    )

    def speculation(self, role: Role) -> Speculation | None:
        found = _speculative(role)
        if found is None:
            return None
        at, config = found
        method, k, model = config.get("method"), config.get(TOKENS), config.get("model")
        if not config or k == 0:
            return None
        if k is None:
            raise Unusable(Reason.RECIPE_INVALID, f"{at} does not say how many tokens are drafted: set {TOKENS}")
        if isinstance(k, bool) or not isinstance(k, int) or k < 0:
            raise Unusable(Reason.RECIPE_INVALID, f"{at}: {TOKENS} is {k!r}; give a whole number")
        if not isinstance(method, str) or not method:
            raise Unusable(Reason.RECIPE_INVALID, f"{at} names no method; the golden curve is chosen by it")
        if not isinstance(model, str | None):
            raise Unusable(Reason.RECIPE_INVALID, f"{at}: model is {model!r}; give the draft model's name")
        return Speculation(method.lower(), k, model, _text(config, "draft_sample_method", at))

    def verifying_all(self, role: Role) -> Role:
        found = _speculative(role)
        return role if found is None or not found[1].get(ADAPTIVE) else _changed(role, found[1], ADAPTIVE, False)

    def with_k(self, role: Role, k: int) -> Role:
        found = _speculative(role)
        if found is None:
            raise Unusable(Reason.NOT_DRAFTING, f"{role.args_at} has no {SPECULATIVE}: it drafts nothing")
        return _changed(role, found[1], TOKENS, k)

    def model_of(self, role: Role) -> str | None:
        return _text(role.args, "model", role.args_at)

    def argv(self, launch: Launch) -> tuple[str, ...]:
        return (launch.model, *words(launch.args), "--host", "127.0.0.1", "--port", "{port}")

    def files(self, launch: Launch) -> Files:
        return ()

    def served_name(self, launch: Launch) -> str:
        names = [value for name, value in launch.args if name == "served-model-name"]
        return str(names[0]) if names else launch.model

    def models(self, args: Args) -> Collection[tuple[str, str]]:
        configs = (json_mapping(value) or {} for name, value in args if name == SPECULATIVE)
        return [(f"{SPECULATIVE}.model", str(config["model"])) for config in configs if config.get("model") is not None]


def _speculative(role: Role) -> tuple[str, Mapping[str, object]] | None:
    for name, value in role.args.items():
        if plain_name(name).startswith(f"{SPECULATIVE}."):
            whole = f"write {SPECULATIVE} as one mapping"
            raise Unusable(Reason.RECIPE_INVALID, f"{role.args_at}.{name} sets a part of it: {whole}")
        if plain_name(name) == SPECULATIVE and value is not None:
            config = json_mapping(value)
            if config is None:
                raise Unusable(Reason.RECIPE_INVALID, f"{role.args_at}.{name} is neither a mapping nor a JSON object")
            return f"{role.args_at}.{name}", config
    return None


def _changed(role: Role, config: Mapping[str, object], setting: str, value: int) -> Role:
    whole = compact({**config, setting: value})
    args = {name: whole if plain_name(name) == SPECULATIVE else given for name, given in role.args.items()}
    return replace(role, args=args)


def _text(of: Mapping[str, object], key: str, at: str) -> str | None:
    value = of.get(key)
    if value is not None and not isinstance(value, str):
        raise Unusable(Reason.RECIPE_INVALID, f"{at}: {key} is {value!r}; give a text")
    return value
