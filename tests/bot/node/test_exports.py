"""What aiperf reported, counted: each way of failing has its row. The replay tests read what a real aiperf wrote."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bot.node import exports
from bot.node.failures import Failed

SUMMARY: Mapping[str, Any] = {
    "schema_version": "1.4",
    "aiperf_version": "0.13.0",
    "request_count": {"unit": "requests", "avg": 2.0},
    "was_cancelled": False,
    "is_complete": True,
    "error_summary": [],
}
ANSWERED = {"metrics": {"usage_completion_tokens": {"value": 7, "unit": "tokens"}}}
REFUSED = {"metrics": {}, "error": {"code": 400}}


def folder(
    tmp_path: Path, summary: Mapping[str, Any], records: tuple[object, ...] = (), answers: tuple[object, ...] = ()
) -> Path:
    (tmp_path / exports.SUMMARY).write_text(json.dumps(summary))
    (tmp_path / exports.RECORDS).write_text("".join(json.dumps(record) + "\n" for record in records))
    raw = [{"responses": [{"text": json.dumps({"choices": [choice]})}]} for choice in answers]
    (tmp_path / exports.RAW).write_text("".join(json.dumps(record) + "\n" for record in raw))
    return tmp_path


def test_a_run_without_failures_has_no_error_count(tmp_path: Path) -> None:
    counts = exports.read(folder(tmp_path, SUMMARY, (ANSWERED, ANSWERED)), None)
    assert (counts.ok, counts.failed, counts.output_tokens, counts.thinking_marked) == (2, 0, 14, None)
    assert counts.version == "0.13.0"


def test_when_each_answer_came(tmp_path: Path) -> None:
    """Turns of one conversation have one number; where one answer does not say, none is told."""
    said = {
        "session_num": 3,
        "request_start_ns": 1_700_000_000_500_000_000,
        "request_end_ns": 1_700_000_002_000_000_000,
    }
    told = {**ANSWERED, "metadata": said}
    answer = exports.Answer(3, 1_700_000_000.5, 1_700_000_002.0, 7)
    assert exports.read(folder(tmp_path, SUMMARY, (told, REFUSED, told)), None).answers == (answer, answer)
    assert exports.read(folder(tmp_path, SUMMARY, (told, ANSWERED)), None).answers == ()


def test_failed_requests_are_counted_and_named(tmp_path: Path) -> None:
    details = {"code": 400, "type": "Bad Request", "message": "no"}
    failed = {**SUMMARY, "error_request_count": {"avg": 1.0}, "error_summary": [{"error_details": details, "count": 1}]}
    counts = exports.read(folder(tmp_path, failed, (ANSWERED, REFUSED, ANSWERED)), None)
    assert (counts.ok, counts.failed, counts.output_tokens) == (2, 1, 14)
    assert counts.errors == ("400 Bad Request: no",)


def test_an_answer_without_usage_makes_the_tokens_unknown(tmp_path: Path) -> None:
    assert exports.read(folder(tmp_path, SUMMARY, (ANSWERED, {"metrics": {}})), None).output_tokens is None


@pytest.mark.parametrize(
    ("choice", "marked"),
    [
        ({"text": "so </think> x"}, 1),
        ({"text": "x"}, 0),
        ({"message": {"content": "so </think> x"}}, 1),
        ({"message": {"content": "x", "reasoning_content": "so"}}, 1),
        ({"message": {"content": "x", "reasoning": "so"}}, 1),
        ({"message": {"content": None, "reasoning_content": None}}, 0),
        ({"text": ["</think>"]}, 0),
        ({"message": "</think>"}, 0),
        ("</think>", 0),
    ],
)
def test_thinking_is_seen_by_its_marker_or_because_the_server_took_it_out(
    tmp_path: Path, choice: object, marked: int
) -> None:
    assert exports.read(folder(tmp_path, SUMMARY, (ANSWERED,), (choice,)), "</think>").thinking_marked == marked


@pytest.mark.parametrize("said", ["", "[]", "7", '{"choices": 7}', '{"choices": {"a": 1}}', "[" * 100_000])
def test_answers_of_any_shape_are_looked_at(tmp_path: Path, said: str) -> None:
    """An engine says what it likes."""
    folder(tmp_path, SUMMARY, (ANSWERED,))
    (tmp_path / exports.RAW).write_text(json.dumps({"responses": [{"text": said}]}) + "\n")
    assert exports.read(tmp_path, "</think>").thinking_marked == 0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"schema_version": "2.0"}, "has the schema 2.0, and 1.x is understood"),
        ({"was_cancelled": True}, "was cancelled, or did not get to the end"),
        ({"is_complete": False}, "was cancelled, or did not get to the end"),
        ({"is_complete": None}, "was cancelled, or did not get to the end"),
        ({"request_count": {"avg": "many"}}, "holds no number under request_count"),
    ],
)
def test_a_report_that_does_not_hold_is_refused(tmp_path: Path, change: Mapping[str, Any], sentence: str) -> None:
    with pytest.raises(Failed, match=sentence):
        exports.read(folder(tmp_path, {**SUMMARY, **change}), None)


def test_no_report_is_a_failure_although_the_exit_code_was_0(tmp_path: Path) -> None:
    with pytest.raises(Failed, match="wrote no report"):
        exports.read(tmp_path, None)


def test_progress_is_the_number_of_answers_so_far(tmp_path: Path) -> None:
    assert exports.progress(tmp_path) == 0
    assert exports.progress(folder(tmp_path, SUMMARY, (ANSWERED, REFUSED))) == 2
