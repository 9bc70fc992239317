"""Which arguments of `sglang.launch_server` a recipe may set. Left out: what reads a file or imports code.

Ports are only those by which a prefill and a decode server find each other, and the one of KV events.
"""

import re

from gatekit.engines.protocol import Arguments, names

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
