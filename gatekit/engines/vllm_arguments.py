"""Which arguments of `vllm serve` a recipe may set.

Left out: what reads a file, imports code or opens a port; and revisions of models, for everybody may propose code to an
allowed model, and `trust-remote-code` would run it.
"""

import re

from gatekit.engines.protocol import Arguments, names

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
