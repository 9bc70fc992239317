"""The names of forced acceptance: every knob that simulates AL, of every engine, in one table."""

import re

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
