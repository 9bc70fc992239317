"""Which arguments of ATOM's `openai_server` a recipe may set.

Left out: what reads a file, imports code or opens a port.
"""

import re

from gatekit.engines.protocol import Arguments, names

_WORD = re.compile(r"[\w.-]+", re.ASCII)
_SIZES = re.compile(r"\[[0-9, ]*\]", re.ASCII)
_OFFLOAD = re.compile(r'\[\{"kv_connector":"lmcache_offload","kv_role":"offload"\}\]')

_SWITCHES_AND_SIZES = """
attn-prefill-chunk-size block-size cache-hit-rate-window data-parallel-size data-parallel-size-local
decode-context-parallel-size enable-chunked-prefill enable-dp-attention enable-eplb enable-expert-parallel
enable-log-stats enable-prefix-caching enable-tbo enforce-eager eplb-enable gpu-memory-utilization level
long-prefill-token-threshold max-model-len max-num-batched-tokens max-num-seqs num-speculative-tokens
pipeline-parallel-size prefill-context-parallel-size scheduler-delay-factor served-model-name state-checkpoint-demand
state-checkpoint-interval-tokens tensor-parallel-size throughput-log-interval timeout-keep-alive trust-remote-code
"""
_WORDS = """
all2all-backend cudagraph-mode dp-load-balance index-cache-dtype kv-cache-dtype method moe-backend reasoning-parser
tool-call-parser
"""

ARGUMENTS = Arguments(
    allowed=names(_SWITCHES_AND_SIZES),
    values={
        **dict.fromkeys(names(_WORDS), _WORD),
        "cudagraph-capture-sizes": _SIZES,
        "extra-kv-connectors": _OFFLOAD,
    },
    nested={
        "dcp-config": names("interleave_size replicate_index_cache"),
        "default-chat-template-kwargs": names("thinking_mode enable_thinking thinking reasoning_effort"),
        "dspark-config": names("confidence_schedule confidence_threshold min_tokens max_tokens"),
        "eplb-config": names("load_window_size rebalance_interval num_redundant_experts"),
        "kv-transfer-config": names("kv_connector kv_role protocol"),
        "online-quant-config": names("global_quant_config exclude_layer layer_quant_config"),
    },
    models=frozenset({"draft-model"}),
    as_json=(list,),
)
