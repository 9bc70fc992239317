"""Which settings of TensorRT-LLM's configuration a recipe may set.

Left out: what reads a file, imports code or opens a port. Names are written with dashes here, as everywhere in a
launch; the configuration file has underscores.
"""

import re
from types import NoneType

from gatekit.engines.protocol import Arguments, names

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
