"""Prometheus text is read as engines write it; what is not there is absent, and what is no text is a reason."""

from pathlib import Path

import pytest

from gatekit.cluster.result import Slice
from gatekit.domain.errors import BadInput
from gatekit.domain.scrape import whole
from gatekit.domain.verdict import NotMeasured, Unmeasured
from gatekit.engines.counters import Counts, SeriesNames
from gatekit.engines.registry import ENGINES
from gatekit.formats.prometheus import read_scrape, read_scrapes
from gatekit.measure.acceptance import measure
from gatekit.measure.samples import Ends, Increment, increments

DRAFTS = "vllm:spec_decode_num_drafts"

VLLM = """
# HELP vllm:spec_decode_num_drafts_total Number of spec decoding drafts.
# TYPE vllm:spec_decode_num_drafts_total counter
vllm:spec_decode_num_drafts_total{model_name="tiny",engine="0"} 1.2e+06
vllm:spec_decode_num_drafts_total{engine="1",model_name="tiny"} 163.0
# TYPE vllm:spec_decode_num_drafts_created gauge
vllm:spec_decode_num_drafts_created{engine="0",model_name="tiny"} 1.7960120487729807e+09
# TYPE process_start_time_seconds gauge
process_start_time_seconds 1.79601202767e+09
# TYPE vllm:spec_accept_length gauge
vllm:spec_accept_length 2.5
"""


def test_a_family_is_found_without_total_and_keeps_its_series_apart() -> None:
    assert read_scrape(VLLM).counter(DRAFTS) == {
        (("engine", "0"), ("model_name", "tiny")): 1_200_000,
        (("engine", "1"), ("model_name", "tiny")): 163,
    }


def test_the_order_of_labels_does_not_matter() -> None:
    turned = VLLM.replace('{model_name="tiny",engine="0"}', '{engine="0",model_name="tiny"}')
    assert read_scrape(turned).counters == read_scrape(VLLM).counters


def test_lines_that_were_cut_out_of_a_scrape_are_read_without_their_type() -> None:
    assert read_scrape(f'{DRAFTS}_total{{engine="0"}} 5\n').counter(DRAFTS) == {(("engine", "0"),): 5}


def test_starts_are_kept_and_are_no_counters() -> None:
    scrape = read_scrape(VLLM)
    assert set(scrape.starts) == {f"{DRAFTS}_created", "process_start_time_seconds"}
    assert set(scrape.counters) == {DRAFTS}


@pytest.mark.parametrize(
    ("family", "there"),
    [
        (DRAFTS, True),
        (f"{DRAFTS}_total", True),
        ("vllm:spec_decode_num_accepted_tokens", False),  # absent is not zero
        ("vllm:spec_accept_length", False),  # a gauge is never differenced
    ],
)
def test_absent_is_none(family: str, there: bool) -> None:
    assert (read_scrape(VLLM).counter(family) is not None) is there


@pytest.mark.parametrize(
    "text",
    [
        "<html><body>502 Bad Gateway</body></html>",
        '{"detail": "Not Found"}',
        'vllm:spec_decode_num_drafts_total{engine="0',  # cut off
        "vllm:spec_decode_num_drafts_total",
        "vllm:spec_decode_num_drafts_total many",
        'x{a="b" 3',
        "\x00\x01",
    ],
)
def test_text_that_is_no_scrape_is_a_reason(text: str) -> None:
    with pytest.raises(BadInput, match="is not Prometheus text"):
        read_scrape(text)


def test_the_reason_names_the_worker() -> None:
    with pytest.raises(BadInput, match="scrape of decode-1: is not"):
        read_scrapes({"decode-0": VLLM, "decode-1": "<html>"})


def test_a_text_beyond_all_measure_is_not_read() -> None:
    with pytest.raises(BadInput, match="longer than"):
        read_scrape("x 1\n" * 3_000_000)


def test_nothing_is_a_scrape_without_counters() -> None:
    assert read_scrape("").counters == {}


@pytest.mark.parametrize(
    ("value", "count"),
    [(0, 0), (1.2e6, 1_200_000), (-1, None), (0.5, None), (float("nan"), None), (float("inf"), None)],
)
def test_a_count_is_whole(value: float, count: int | None) -> None:
    assert whole(value) == count


def test_a_series_that_is_there_twice_has_no_value() -> None:
    (value,) = (read_scrape("x_total 1\nx_total 2\n").counter("x") or {}).values()
    assert whole(value) is None


def test_families_are_those_that_are_named() -> None:
    assert SeriesNames("d", "a", None, None, "g").families == ("d", "a", "g")


SCRAPES = Path(__file__).parents[2] / "data" / "scrapes"
POSITIONS = (300, 200, 100)


def scrape(name: str) -> str:
    return (SCRAPES / f"{name}.prom").read_text(encoding="utf-8")


def read(engine: str, before: str, after: str, k: int | None = 3) -> Counts | NotMeasured:
    return measure(read_scrapes({"agg-0": before}), read_scrapes({"agg-0": after}), ENGINES.counters[engine], k)


@pytest.mark.parametrize(
    ("engine", "counts"),
    [
        ("sglang", Counts(400, 600, None, None, 1004)),
        ("trtllm", Counts(400, 600, 1200, POSITIONS, 1004)),
        ("atom", Counts(400, 600, 1200, POSITIONS, 1004)),
        ("lmdeploy", Counts(400, 600, 1200, POSITIONS, None)),
    ],
)
def test_every_engine_is_read_by_its_counters_and_never_by_a_gauge(engine: str, counts: Counts) -> None:
    """Every gauge in these files says 2.9. A series that was not there before started from zero."""
    found = read(engine, scrape(f"{engine}.before"), scrape(f"{engine}.after"))
    assert found == counts
    assert isinstance(found, Counts)
    assert found.al == 2.5


@pytest.mark.parametrize("engine", ["sglang", "trtllm", "atom"])
def test_workers_are_summed_before_the_division(engine: str) -> None:
    """The second worker did nothing between its scrapes."""
    idle = scrape(f"{engine}.after")
    before = read_scrapes({"decode-0": scrape(f"{engine}.before"), "decode-1": idle})
    after = read_scrapes({"decode-0": scrape(f"{engine}.after"), "decode-1": idle})
    found = measure(before, after, ENGINES.counters[engine], 3)
    assert isinstance(found, Counts)
    assert (found.drafts, found.accepted, found.generated) == (400, 600, 1004)


def without(text: str, part: str) -> str:
    return "".join(f"{line}\n" for line in text.splitlines() if part not in line)


AFTER = {engine: scrape(f"{engine}.after") for engine in ("sglang", "trtllm", "atom", "trtllm-old")}


@pytest.mark.parametrize(
    ("engine", "before", "after", "why", "words"),
    [
        (
            "sglang",
            scrape("sglang-old.before"),
            scrape("sglang-old.after"),
            Unmeasured.COUNTERS_MISSING,
            "v0.5.10 and older",
        ),
        ("sglang", "up 1\n", AFTER["sglang"], Unmeasured.COUNTERS_MISSING, "start SGLang with --enable-metrics"),
        ("sglang", AFTER["sglang"], scrape("sglang.before"), Unmeasured.COUNTER_WENT_BACK, "from 403 to 3"),
        (
            "sglang",
            AFTER["sglang"],
            without(AFTER["sglang"], "1.004e+03"),
            Unmeasured.ENGINE_RESTARTED,
            "are not the same",
        ),
        ("sglang", AFTER["sglang"], AFTER["sglang"], Unmeasured.NO_DRAFTS, "drafted nothing"),
        (
            "sglang",
            scrape("sglang.before"),
            AFTER["sglang"].replace("403.0", "2.0"),
            Unmeasured.COUNTER_WENT_BACK,
            "from 3 to 2",
        ),
        (
            "sglang",
            scrape("sglang.before"),
            AFTER["sglang"].replace("403.0", "1403.0"),
            Unmeasured.POSITIONS_DISAGREE,
            "1,400 verification steps in 4 requests gave only 1,004 tokens",
        ),
        ("trtllm", "", scrape("sglang.after"), Unmeasured.COUNTERS_MISSING, "/prometheus/metrics"),
        (
            "trtllm",
            scrape("trtllm.before"),
            without(without(AFTER["trtllm"], 'position="1"'), 'position="2"'),
            Unmeasured.COUNTERS_MISSING,
            "first position only",
        ),
        (
            "trtllm",
            scrape("trtllm.before"),
            AFTER["trtllm"].replace('position="1"} 400', 'position="1"} 500'),
            Unmeasured.POSITIONS_DISAGREE,
            "a later position was drafted more often",
        ),
        (
            "trtllm",
            scrape("trtllm.before"),
            AFTER["trtllm"].replace("token_position", "position"),
            Unmeasured.COUNTERS_MISSING,
            "without a token_position",
        ),
        (
            "trtllm",
            scrape("trtllm-old.before"),
            AFTER["trtllm-old"].replace("1004", "1003"),
            Unmeasured.COUNTERS_MISSING,
            "proof",
        ),
        (
            "atom",
            without(scrape("atom.before"), "steps"),
            without(AFTER["atom"], "steps"),
            Unmeasured.COUNTERS_MISSING,
            "its average since the start cannot be differenced",
        ),
        (
            "atom",
            scrape("atom.before"),
            AFTER["atom"].replace("mtp_accepted_tokens_total 600", "mtp_accepted_tokens_total 601"),
            Unmeasured.POSITIONS_DISAGREE,
            "add up to 600, the accepted tokens are 601",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_counted_has_its_reason(
    engine: str, before: str, after: str, why: Unmeasured, words: str
) -> None:
    found = read(engine, before, after)
    assert isinstance(found, NotMeasured)
    assert (found.why, words in found.reason) == (why, True), found.reason


@pytest.mark.parametrize(("k", "proven"), [(3, True), (4, False), (None, False)])
def test_steps_that_are_not_counted_must_be_proven(k: int | None, proven: bool) -> None:
    """1,004 tokens less 4 first ones less 600 accepted are 400 steps; 1,200 drafted tokens are 3 for each."""
    found = read("trtllm", scrape("trtllm-old.before"), scrape("trtllm-old.after"), k)
    assert isinstance(found, Counts) is proven
    if isinstance(found, Counts):
        assert (found.drafts, found.accepted, found.al) == (400, 600, 2.5)


@pytest.mark.parametrize("engine", ["sglang", "trtllm", "atom"])
def test_an_engine_that_has_not_counted_yet_may_have_no_series_at_all(engine: str) -> None:
    found = read(engine, "", scrape(f"{engine}.after"))
    assert isinstance(found, Counts)
    assert found.generated in (1004, 1012)


@pytest.mark.parametrize("engine", ["sglang", "trtllm", "atom"])
def test_samples_lie_between_the_scrapes(engine: str) -> None:
    """A sample holds lines without their types; one that misses a series is left out."""
    whole_text = scrape(f"{engine}.after")
    lines = "".join(f"{line}\n" for line in whole_text.splitlines() if not line.startswith("#"))
    ends = Ends(read_scrapes({"agg-0": scrape(f"{engine}.before")}), read_scrapes({"agg-0": whole_text}))
    slices = [Slice(1.0, "agg-0", lines), Slice(2.0, "agg-0", "<html>"), Slice(3.0, "agg-0", lines)]
    found = increments(ends, slices, ENGINES.counters[engine], 3)
    assert not isinstance(found, NotMeasured)
    (parts,) = found.workers
    assert found.unread == 1
    assert parts[0] == Increment(400, 600, None, 1.0, 1004)
    assert [(part.drafts, part.begin, part.end) for part in parts[1:]] == [(0, 1.0, 3.0), (0, 3.0, None)]


def test_a_restart_that_the_ends_do_not_show_is_seen_between_them() -> None:
    fell = [
        Slice(n, "agg-0", scrape("sglang.after").replace("403.0", str(count))) for n, count in ((1.0, 50), (2.0, 20))
    ]
    ends = Ends(read_scrapes({"agg-0": ""}), read_scrapes({"agg-0": scrape("sglang.after")}))
    found = increments(ends, fell, ENGINES.counters["sglang"], 3)
    assert isinstance(found, NotMeasured)
    assert found.why is Unmeasured.COUNTER_WENT_BACK
