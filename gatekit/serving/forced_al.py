"""The acceptance length that a piece of forced acceptance asks for."""

import math
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
