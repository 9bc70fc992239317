"""What Gatekit must know of each engine, one file each."""

from collections.abc import Mapping
from types import MappingProxyType

from gatekit.domain.gates import EngineName
from gatekit.engines.atom import Atom
from gatekit.engines.counters import Counters, SeriesNames
from gatekit.engines.engine import Engine
from gatekit.engines.llamacpp import LlamaCpp
from gatekit.engines.sglang import Sglang
from gatekit.engines.tilert import TileRt
from gatekit.engines.trtllm import TrtLlm
from gatekit.engines.vllm import Vllm

ENGINES: Mapping[EngineName, Engine] = MappingProxyType(
    {
        EngineName.VLLM: Vllm(),
        EngineName.SGLANG: Sglang(),
        EngineName.TRTLLM: TrtLlm(),
        EngineName.ATOM: Atom(),
        EngineName.TILERT: TileRt(),
        EngineName.LLAMACPP: LlamaCpp(),
    }
)

# The framework of a master config → the engine that drafts and verifies in it.
FRAMEWORKS: Mapping[str, EngineName] = MappingProxyType(
    {
        "vllm": EngineName.VLLM,
        "vllm-disagg": EngineName.VLLM,
        "dynamo-vllm": EngineName.VLLM,
        "llmd-vllm": EngineName.VLLM,
        "sglang": EngineName.SGLANG,
        "sglang-disagg": EngineName.SGLANG,
        "dynamo-sglang": EngineName.SGLANG,
        "trt": EngineName.TRTLLM,
        "trtllm": EngineName.TRTLLM,
        "dynamo-trt": EngineName.TRTLLM,
        "atom": EngineName.ATOM,
        "atom-disagg": EngineName.ATOM,
        "tilert": EngineName.TILERT,
        "llamacpp": EngineName.LLAMACPP,
        "llama.cpp": EngineName.LLAMACPP,
    }
)

EXEMPT = frozenset({"dynamo-trt", "tilert"})  # frameworks that are never gated

# Engines whose scrapes `gatekit al` reads and that no gate starts.
READ_ONLY: Mapping[str, Counters] = MappingProxyType(
    {
        "lmdeploy": SeriesNames(
            drafts="lmdeploy:spec_decode_num_drafts",
            accepted="lmdeploy:spec_decode_num_accepted_tokens",
            draft_tokens="lmdeploy:spec_decode_num_draft_tokens",
            per_position="lmdeploy:spec_decode_num_accepted_tokens_per_pos",
            generated="lmdeploy:generation_tokens",
        ),
    }
)

# How each engine counts, by its name.
COUNTERS: Mapping[str, Counters] = MappingProxyType(
    {**{name.value: engine.counters for name, engine in ENGINES.items()}, **READ_ONLY}
)
