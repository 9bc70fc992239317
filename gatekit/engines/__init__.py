"""What Gatekit must know of each engine, one file each."""

from collections.abc import Mapping
from types import MappingProxyType

from gatekit.engines.llamacpp import LlamaCpp
from gatekit.engines.protocol import Engine
from gatekit.engines.vllm import Vllm
from gatekit.gates import EngineName

ENGINES: Mapping[EngineName, Engine] = MappingProxyType(
    {
        EngineName.VLLM: Vllm(),
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
        "llamacpp": EngineName.LLAMACPP,
        "llama.cpp": EngineName.LLAMACPP,
    }
)

EXEMPT = frozenset({"dynamo-trt", "tilert"})  # frameworks that are never gated
