"""Every engine's forced acceptance is known by its name, in any spelling; real drafting is left in peace."""

import pytest

from gatekit.engines.registry import ENGINES


@pytest.mark.parametrize(
    ("name", "value", "forced"),
    [
        ("synthetic_acceptance_length", 2.6, True),
        ("synthetic_acceptance_rates", [0.8, 0.5], True),
        ("SYNTHETIC_ACCEPTANCE", "true", True),
        ("rejection_sample_method", "synthetic", True),
        ("--rejection-sample-method", " Synthetic", True),
        ("rejection_sample_method", "block", False),
        ("SGLANG_SIMULATE_ACC_LEN", "2.6", True),
        ("TILERT_SIMULATE_ACC_METHOD", "match-expected", True),
        ("TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS", "1.6", True),
        ("--spec-decode-acceptance-length", "2.6", True),
        ("spec_decode_acceptance_rate", "0.5", True),
        ("--spec-synth-len", "2.6", True),
        ("speculative.synth_len", "2.6", True),
        ("speculative-config", {"method": "mtp"}, False),
        ("num_speculative_tokens", 3, False),
        ("draft_sample_method", "probabilistic", False),
        ("per-request-spec-decode-metrics", True, False),
        ("model", "synthetic/model", False),
        ("spec", "synthetic", False),
    ],
)
def test_what_forces(name: str, value: object, forced: bool) -> None:
    assert ENGINES.forced.forces(name, value) is forced


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"rejection_sample_method":"synthetic"}', True),
        ("rejection-sample-method = synthetic", True),
        ('{"rejection_sample_method":"block"}', False),
        ("export SGLANG_SIMULATE_ACC_LEN=2.6", True),
        ("--spec-synth-l 2.6", True),
        ("Spec-SYNTH-Len", True),
        ("vllm serve tiny --speculative-config {}", False),
    ],
)
def test_what_is_left_in_a_text(text: str, left: bool) -> None:
    assert (ENGINES.forced.trace(text) is not None) is left
