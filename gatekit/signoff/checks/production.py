"""The settings that a production recipe and a benchmark should share."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gatekit.signoff.change.knobs import Knob, script_knobs

_SHORT: Mapping[str, str] = MappingProxyType(
    {
        "tp": "tensor_parallel_size",
        "tp_size": "tensor_parallel_size",
        "pp_size": "pipeline_parallel_size",
        "dp": "data_parallel_size",
        "dp_size": "data_parallel_size",
        "ep": "expert_parallel_size",
        "ep_size": "expert_parallel_size",
        "speculative_algo": "speculative_algorithm",
        "moe_backend": "moe_runner_backend",
    }
)
_MAJOR = frozenset(
    {
        *("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size", "expert_parallel_size"),
        *("enable_expert_parallel", "enable_dp_attention", "quantization", "kv_cache_dtype", "dtype"),
        *("attention_backend", "moe_runner_backend", "moe_a2a_backend", "all2all_backend", "linear_backend"),
        *("enable_flashinfer_allreduce_fusion", "fuse_allreduce_rms", "enable_chunked_prefill"),
        *("chunked_prefill_size", "max_num_batched_tokens", "enable_prefix_caching", "disable_radix_cache"),
        *("cuda_graph_max_bs", "disable_cuda_graph", "enforce_eager", "async_scheduling", "page_size", "block_size"),
        *("speculative_algorithm", "speculative_num_steps", "speculative_num_draft_tokens", "speculative_eagle_topk"),
        *("disaggregation_mode", "kv_transfer_config", "enable_deepseek_v4_fp4_indexer"),
    }
)
_OF_DRAFTS = frozenset({"method", "num_speculative_tokens"})  # inside a JSON of speculation
_MODEL_END = re.compile(r"[-_](?:fp8|nvfp4|mxfp4|fp4|bf16|int4|int8|awq|gptq|preview)\b.*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Compared:
    same: tuple[tuple[str, str], ...]  # name and value
    here: tuple[tuple[str, str], ...]  # only in the benchmark
    there: tuple[tuple[str, str], ...]  # only in the recipe


def compare(ours: Iterable[Knob], text: str) -> Compared:
    """The settings that matter in production, here and in the text of a recipe, each with its value."""
    numbered = enumerate(text.replace("\\\n", " ").splitlines(), 1)
    mine, theirs = _major(ours), _major(knob for _, knob in script_knobs(numbered))
    return Compared(tuple(sorted(mine & theirs)), tuple(sorted(mine - theirs)), tuple(sorted(theirs - mine)))


def speaks_of(model: str, text: str) -> bool:
    """Whether a text names the model: its last name without its precision, whatever stands between the letters."""
    last = model.rstrip("/").rsplit("/", 1)[-1]
    name = _letters(_MODEL_END.sub("", last) or last)
    return bool(name) and name in _letters(text)


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _major(knobs: Iterable[Knob]) -> frozenset[tuple[str, str]]:
    found = set()
    for knob in knobs:
        name = _SHORT.get(knob.name.casefold(), knob.name.casefold())
        if name in _MAJOR or (name in _OF_DRAFTS and "speculative" in knob.place):
            found.add((name, knob.value.strip("'\"").casefold()))
    return frozenset(found)
