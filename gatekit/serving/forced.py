"""Forced acceptance: the names of every knob that simulates AL, and the acceptance length that one asks for."""

import math
import re
from collections.abc import Mapping, Sequence


def forced_al(knob: str, value: object, k: int) -> float | None:
    """What a knob forces on drafts of `k` tokens, the target's own token counted in; None where it names no length.

    vLLM, SGLang, ATOM's length and llama.cpp's length say the acceptance length itself; TensorRT-LLM says accepted
    draft tokens (AL − 1), ATOM's rate (AL − 1) / K, and rates by position add up to AL − 1.
    """
    name = knob.lstrip("-").replace("-", "_").lower()
    if name.endswith("_rates"):
        rates = [_number(item) for item in _items(value)]
        return None if not rates or None in rates else 1 + math.fsum(rate for rate in rates if rate is not None)
    number = _number(value)
    if number is None:
        return None
    if name.endswith("force_num_accepted_tokens"):
        return 1 + number
    if name.endswith("acceptance_rate"):
        return 1 + number * k
    return number if name.endswith(("acceptance_length", "acc_len", "synth_len")) else None


def row_forces(settings: Mapping[str, str]) -> float | None:
    """The acceptance length that a row's additional settings ask for; None where they force none."""
    switched_on = settings.get("SYNTHETIC_ACCEPTANCE", "").strip().lower() in ("true", "1")
    return _number(settings.get("SYNTHETIC_ACCEPTANCE_LENGTH")) if switched_on else None


def _items(value: object) -> Sequence[object]:
    if isinstance(value, str):
        return value.strip("[] ").split(",")
    return value if isinstance(value, list | tuple) else ()


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


# Parts of a knob's name, with `_` for whatever an engine, a shell or JSON writes between the words. Beginnings are
# enough, because argument parsers take abbreviated flags.
FORCED_KNOBS = (
    "synthetic_acceptance",  # vLLM: _length, _rates; a master config: SYNTHETIC_ACCEPTANCE
    "simulate_acc",  # SGLang and TileRT: _LEN, _METHOD, _TOKEN_MODE
    "force_num_accepted_tokens",  # TensorRT-LLM
    "spec_decode_acceptance",  # ATOM: _length, _rate
    "spec_synth",  # llama.cpp: --spec-synth-len
    "synth_len",
)

# vLLM's switch forces only with this value: `block` and the rest are real verification.
METHOD, SYNTHETIC = "rejection_sample_method", "synthetic"

_BETWEEN = "[^a-z0-9]*"
# Of small letters, for folded texts: ten times as fast as a pattern that ignores case.
_TRACE = re.compile("|".join(knob.replace("_", _BETWEEN) for knob in (*FORCED_KNOBS, f"{METHOD}_{SYNTHETIC}")))


def forces(name: str, value: object) -> bool:
    """Does this setting (a key, a flag with or without dashes, an environment name) simulate acceptance?"""
    if trace(name) is not None:
        return True
    if not isinstance(value, str) or value.strip().lower() != SYNTHETIC:
        return False
    return name.lstrip("-").replace("-", "_").lower() == METHOD


def trace(text: str) -> str | None:
    """The first piece of a text, in small letters, that simulates acceptance in any spelling; None: there is none."""
    folded = text.casefold()
    # each knob has one of these words unbroken, and few texts have any
    if "synth" not in folded and "simulate" not in folded and "accept" not in folded:
        return None
    found = _TRACE.search(folded)
    return None if found is None else found[0]
