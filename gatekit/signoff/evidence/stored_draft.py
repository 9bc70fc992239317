"""What is known of a checkpoint: the precision in which it stores its draft."""

import re
from dataclasses import dataclass

_BITS = ((re.compile(r"fp4|int4|w4|awq|gptq", re.I), 4), (re.compile(r"fp8|int8|w8", re.I), 8))
_FULL = ((re.compile(r"bf16|fp16|float16|half", re.I), 16), (re.compile(r"fp32|float32", re.I), 32))


@dataclass(frozen=True, slots=True)
class StoredDraft:
    precision: str  # as its files say, e.g. bf16, fp8, nvfp4
    modules: tuple[str, ...] = ()  # names of the draft's modules; empty: not known


def bits(precision: str) -> int | None:
    """How wide numbers of this name are; None: a name that is not known."""
    return next((width for form, width in (*_BITS, *_FULL) if form.search(precision)), None)
