"""From raw material to a verdict: on the curve, off it, undecided, or not to be judged and why."""

import json
from dataclasses import replace

import pytest

from gatekit.comments.tally import because
from gatekit.domain.collection import Sampling, Thinking
from gatekit.domain.gates import Golden, Tolerance
from gatekit.domain.job import Material
from gatekit.domain.verdict import CurveOutcome, Judged, NotMeasured, Realized, Unmeasured, Verdict
from gatekit.engines.counters import SeriesNames
from gatekit.measure.judge import compare, judge
from tests.worlds.cluster.attempts import (
    AFTER,
    BEFORE,
    GATE,
    JOB,
    NAMES,
    WORKER,
    Attempt,
    Counted,
    changed,
    result_of,
    scrape,
    slices,
    steady,
)

THINKS = replace(GATE, collection=replace(GATE.collection, thinking_marker="</think>"))
THINKS_NOT = replace(
    THINKS,
    drafting=replace(GATE.drafting, thinking=Thinking.OFF),
    collection=replace(THINKS.collection, sampling={Thinking.OFF: Sampling(0.0, seed=42)}),
)


def verdict(attempt: Attempt, names: SeriesNames = NAMES) -> Verdict:
    return judge(attempt.gate, JOB, attempt.material(), names)


def golden(al: float) -> Attempt:
    return Attempt(gate=replace(THINKS, golden=Golden("c", al, Tolerance(0.05, 0.05))))


@pytest.mark.parametrize(
    ("attempt", "outcome", "words"),
    [  # realized AL is 2.500, its interval 2.452 to 2.548
        (golden(2.50), CurveOutcome.ON_CURVE, "lies within the 2.375 to 2.625"),
        (golden(2.63), CurveOutcome.INCONCLUSIVE, "reaches across 2.498"),
        (golden(2.70), CurveOutcome.BELOW, "lies below the 2.565 to 2.835"),
        (golden(2.30), CurveOutcome.ABOVE, "lies above the 2.185 to 2.415"),
    ],
)
def test_an_attempt_is_judged_by_its_golden(attempt: Attempt, outcome: CurveOutcome, words: str) -> None:
    found = verdict(attempt)
    assert isinstance(found, Judged)
    assert found.outcome is outcome
    assert because(found).startswith("Realized AL 2.500 (95 % interval 2.452 to 2.548) ")
    assert words in because(found)
    assert found.warnings == ()
    assert (found.realized.drafts, found.realized.accepted, found.realized.draft_tokens) == (2000, 3000, 8000)
    assert found.golden == attempt.gate.golden.al


BAND = Golden("c", 2.0, Tolerance(0.10, 0.05))  # 1.80 to 2.10


@pytest.mark.parametrize(
    ("al", "low", "high", "outcome"),
    [
        (2.0, 1.9, 2.05, CurveOutcome.ON_CURVE),
        (1.8, 1.8, 1.8, CurveOutcome.ON_CURVE),  # on the edge is within
        (2.1, 2.1, 2.1, CurveOutcome.ON_CURVE),
        (2.09, 2.05, 2.13, CurveOutcome.INCONCLUSIVE),
        (2.11, 2.09, 2.13, CurveOutcome.INCONCLUSIVE),
        (1.81, 1.79, 1.83, CurveOutcome.INCONCLUSIVE),
        (2.0, 1.7, 2.3, CurveOutcome.INCONCLUSIVE),
        (1.79, 1.78, 1.795, CurveOutcome.BELOW),
        (2.2, 2.15, 2.25, CurveOutcome.ABOVE),
    ],
)
def test_an_interval_across_an_edge_decides_nothing(al: float, low: float, high: float, outcome: CurveOutcome) -> None:
    assert compare(Realized(al, low, high, 100, 150, 400), BAND).outcome is outcome


FELL = slices((*steady()[:8], Counted(20, (15, 5, 2, 1)), *steady()[9:]))

REFUSED = [
    (Attempt(after={WORKER: scrape(BEFORE)}), Unmeasured.NO_DRAFTS, "drafted nothing"),
    (
        Attempt(before={WORKER: scrape(Counted(9999, AFTER.positions))}),
        Unmeasured.COUNTER_WENT_BACK,
        "9,999 to 2,000",
    ),
    (Attempt(samples=FELL), Unmeasured.COUNTER_WENT_BACK, "went back while the replay ran"),
    (Attempt(after={WORKER: scrape(AFTER, started=7.0)}), Unmeasured.ENGINE_RESTARTED, "restarted"),
    (Attempt(before={}), Unmeasured.COUNTERS_MISSING, "Of 1 generating workers 0 were scraped"),
    (Attempt(after={}), Unmeasured.COUNTERS_MISSING, "No worker was scraped after"),
    (Attempt(after={WORKER: "<html>"}), Unmeasured.COUNTERS_MISSING, "is not Prometheus text"),
    (Attempt().having("requests.output_tokens", 5000), Unmeasured.OTHER_TRAFFIC, "20 of the 5,020 tokens"),
    (Attempt().having("requests.output_tokens", 5100), Unmeasured.OTHER_TRAFFIC, "the replay got 5,100"),
    (
        Attempt().having("requests.ok", 19),
        Unmeasured.PROMPTS_UNFINISHED,
        "19 of 20 requests were answered and 0 failed",
    ),
    (Attempt().having("requests.failed", 1), Unmeasured.PROMPTS_UNFINISHED, "1 failed"),
    (Attempt().having("requests.expected", 10), Unmeasured.PROMPTS_UNFINISHED, "meant to send 10 requests"),
    (
        Attempt(after={WORKER: scrape(replace(AFTER, draft_tokens=8001))}),
        Unmeasured.DRAFT_LONGER_THAN_K,
        "4.00 tokens long on average, but K is 4",
    ),
    (
        Attempt(after={WORKER: scrape(replace(AFTER, accepted=3001, generated=5020))}),
        Unmeasured.POSITIONS_DISAGREE,
        "adds up to 3,000",
    ),
    (
        Attempt(THINKS).having("requests.thinking_marked", 19),
        Unmeasured.THINKING_NOT_APPLIED,
        "on, but 19 of 20",
    ),
    (
        Attempt(THINKS_NOT).having("requests.thinking_marked", 1),
        Unmeasured.THINKING_NOT_APPLIED,
        "off, but 1 of 20",
    ),
    (Attempt().having("prompts_sha256", "1" * 64), Unmeasured.PROMPTS_DIFFER, "has the digest 111111111111…"),
    (Attempt().having("prompts_sha256", None), Unmeasured.PROMPTS_DIFFER, "was not digested"),
    (Attempt().having("replay", None), Unmeasured.COLLECTION_DIFFERS, "does not say what was replayed"),
    (
        Attempt().having("engine.command", []),
        Unmeasured.FORCED_ACCEPTANCE,
        "does not say how the engine was launched",
    ),
]


@pytest.mark.parametrize(("attempt", "why", "words"), REFUSED, ids=[f"{row[1]}-{n}" for n, row in enumerate(REFUSED)])
def test_what_must_not_be_judged(attempt: Attempt, why: Unmeasured, words: str) -> None:
    found = verdict(attempt)
    assert isinstance(found, NotMeasured), found
    assert found.why is why
    assert words in found.reason
    assert found.reason.endswith(".")


@pytest.mark.parametrize(
    ("path", "value", "name"),
    [
        ("category", "math", "category"),
        ("count", 19, "prompts"),
        ("turns", "all", "turns"),
        ("endpoint", "/v1/completions", "endpoint"),
        ("rendering", "client", "rendering"),
        ("output_len", 128, "output length"),
        ("ignore_eos", False, "ignore_eos"),
        ("concurrency", 2, "client concurrency"),
        ("thinking_marker", "<think>", "thinking marker"),
        ("sampling", {"temperature": 0.6, "seed": 42}, "temperature"),
        ("sampling", {"temperature": 0.0}, "seed"),
        ("sampling", {"temperature": 0.0, "seed": 42, "top_p": 0.95}, "top_p"),
        ("template_kwargs", {"enable_thinking": True}, "chat template argument enable_thinking"),
    ],
)
def test_every_setting_of_the_collection_counts(path: str, value: object, name: str) -> None:
    found = verdict(Attempt().having(f"replay.{path}", value))
    assert isinstance(found, NotMeasured)
    assert found.why is Unmeasured.COLLECTION_DIFFERS
    assert f"ran with {name} " in found.reason


@pytest.mark.parametrize(
    ("kwargs", "judged"),
    [({"thinking": True}, True), ({"thinking": 1}, False), ({"thinking": "true"}, False), (None, False)],
)
def test_true_is_not_one(kwargs: object, judged: bool) -> None:
    sampling = {Thinking.ON: Sampling(0.0, seed=42, template_kwargs={"thinking": True})}
    gate = replace(GATE, collection=replace(GATE.collection, sampling=sampling))
    assert isinstance(verdict(Attempt(gate).having("replay.template_kwargs", kwargs)), Judged) is judged


@pytest.mark.parametrize(
    ("word", "forced"),
    [
        ('{"method":"mtp","num_speculative_tokens":3,"rejection_sample_method":"block"}', False),
        ('{"method":"mtp","rejection_sample_method":"synthetic"}', True),
        (
            '{"method":"mtp","rejection_sample_method":"\\u0073ynthetic"}',
            True,
        ),  # what the engine reads, not what we see
        ('{"synthetic_acceptance_length":2.6}', True),
        ("--spec-decode-acceptance-length=2.6", True),
        ("--spec-synth-len", True),
        ("--per-request-spec-decode-metrics", False),
    ],
)
def test_forced_acceptance_is_seen_in_the_launched_command(word: str, forced: bool) -> None:
    found = verdict(Attempt().having("engine.command", ["vllm", "serve", "tiny", word]))
    assert isinstance(found, NotMeasured) is forced
    assert not forced or (isinstance(found, NotMeasured) and found.why is Unmeasured.FORCED_ACCEPTANCE)


def test_forced_acceptance_is_seen_in_the_environment() -> None:
    gate = replace(GATE, launch=replace(GATE.launch, env=(("SGLANG_SIMULATE_ACC_LEN", "2.6"),)))
    found = verdict(Attempt(gate))
    assert isinstance(found, NotMeasured)
    assert found.why is Unmeasured.FORCED_ACCEPTANCE


@pytest.mark.parametrize(
    ("result", "why", "words"),
    [
        ("{", Unmeasured.RESULT_UNREADABLE, "cannot be read"),
        (
            json.dumps(changed(result_of(GATE), "job", "gk-1-abc-1")),
            Unmeasured.RESULT_UNREADABLE,
            "belongs to job gk-1-abc-1",
        ),
        (
            json.dumps(changed(result_of(GATE), "gate", "f" * 64)),
            Unmeasured.RESULT_UNREADABLE,
            "belongs to another gate",
        ),
        (
            json.dumps({**result_of(GATE), "outcome": "failed", "reason": "exit 1", "seconds": {"start": None}}),
            Unmeasured.ENGINE_FAILED,
            "did not start: exit 1.",
        ),
        (
            json.dumps({**result_of(GATE), "outcome": "failed", "reason": "HF_TOKEN=hf_abcdef\nwas refused."}),
            Unmeasured.REPLAY_FAILED,
            "did not end well: HF_TOKEN=*** was refused.",
        ),
        (json.dumps({**result_of(GATE), "outcome": "failed"}), Unmeasured.REPLAY_FAILED, "no reason was given"),
        (
            json.dumps({**result_of(GATE), "outcome": "failed", "reason": "cancelled"}),
            Unmeasured.CANCELLED,
            "was cancelled",
        ),
        (
            json.dumps({**result_of(GATE), "outcome": "failed", "prompts_sha256": "1" * 64, "reason": "other prompts"}),
            Unmeasured.PROMPTS_DIFFER,
            "prepare the prompts again",
        ),
        (
            json.dumps(
                {**changed(result_of(GATE), "engine.command", []), "outcome": "failed", "gate": "", "reason": "no job"}
            ),
            Unmeasured.REPLAY_FAILED,
            "before it started the engine: no job.",
        ),
    ],
)
def test_a_result_that_holds_no_replay_of_this_job(result: str, why: Unmeasured, words: str) -> None:
    found = judge(GATE, JOB, replace(Attempt().material(), result=result), NAMES)
    assert isinstance(found, NotMeasured)
    assert (found.why, words in found.reason) == (why, True), found.reason


@pytest.mark.parametrize(
    ("before", "engine_log", "job_log", "why"),
    [
        ({WORKER: "x 1"}, "log", "log", Unmeasured.REPLAY_FAILED),
        ({}, "log", "log", Unmeasured.ENGINE_FAILED),
        ({}, None, "log", Unmeasured.REPLAY_FAILED),
        ({}, None, None, Unmeasured.LOST),
        ({}, "", "", Unmeasured.LOST),
    ],
)
def test_without_a_result_what_is_there_tells(
    before: dict[str, str], engine_log: str | None, job_log: str | None, why: Unmeasured
) -> None:
    found = judge(GATE, JOB, Material(None, before, {}, None, engine_log, job_log), NAMES)
    assert isinstance(found, NotMeasured)
    assert found.why is why


@pytest.mark.parametrize(
    ("attempt", "names", "words"),
    [
        (Attempt(THINKS), NAMES, None),
        (Attempt(THINKS).having("requests.output_tokens", None), NAMES, "The replay did not count"),
        (Attempt(THINKS), replace(NAMES, generated=None), "The engine did not count"),
        (Attempt(THINKS), replace(NAMES, per_position=None), "does not count acceptance by position"),
        (Attempt(GATE), NAMES, "does not state how a thinking answer looks"),
        (Attempt(THINKS).having("requests.thinking_marked", None), NAMES, "were not searched"),
        (Attempt(THINKS, samples=None), NAMES, "No samples were taken"),
        (Attempt(THINKS, samples="{"), NAMES, "The samples cannot be read"),
        (Attempt(THINKS).having("answers", []), NAMES, "not known which prompt was answered when"),
        (Attempt(THINKS, samples=slices(steady()[:3])).having("answers", []), NAMES, "moved too few times"),
        (
            Attempt(THINKS, samples=slices(steady()) + '\n{"t": 9, "worker": "agg-0", "text": "<html>"}'),
            NAMES,
            "left out of the interval: 1.",
        ),
        (
            Attempt(THINKS, after={WORKER: scrape(replace(AFTER, draft_tokens=7000))}, samples=slices(steady()[:15])),
            NAMES,
            "3.50 tokens long on average, under 0.9",
        ),
    ],
)
def test_what_could_not_be_checked_is_a_warning(attempt: Attempt, names: SeriesNames, words: str | None) -> None:
    found = verdict(attempt, names)
    assert isinstance(found, Judged)
    assert any(words in warning for warning in found.warnings) if words else found.warnings == ()


def test_a_curve_without_a_digest_cannot_vouch_for_its_prompts() -> None:
    gate = replace(THINKS, collection=replace(THINKS.collection, prompts_sha256=None))
    found = verdict(Attempt(gate))
    assert isinstance(found, Judged)
    assert found.warnings == (
        "The curve does not state the digest of its prompts, so the prompts could not be checked.",
    )


def test_workers_that_generate_nothing_are_left_out() -> None:
    """A prefill worker drafts too, with another K: its counters are not the gate's."""
    prefill = {"prefill-0": scrape(Counted(500, (10, 0, 0, 0)))}
    attempt = Attempt(THINKS, before={WORKER: scrape(BEFORE)}, after={WORKER: scrape(AFTER), **prefill})
    assert isinstance(verdict(attempt), Judged)
