"""Prometheus text is read as engines write it; what is not there is absent, and what is no text is a reason."""

import pytest

from gatekit.counters import read_scrape, read_scrapes, whole
from gatekit.reading import SeriesNames
from gatekit.refusal import BadInput

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
