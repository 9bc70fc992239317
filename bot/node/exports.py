"""What aiperf wrote about a replay: counted, not judged."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Mapping

from bot.node.failures import Failed

SUMMARY, RECORDS, RAW = "profile_export_aiperf.json", "profile_export.jsonl", "profile_export_raw.jsonl"
SCHEMA_MAJOR = "1"


@dataclass(frozen=True)
class Answer:
    """One answer that came. Seconds since 1970; `prompt` numbers the conversations."""

    prompt: int
    begin: float
    end: float
    tokens: int


@dataclass(frozen=True)
class Counts:
    ok: int
    failed: int
    output_tokens: int | None  # in the answers that came; None: one of them did not say
    thinking_marked: int | None  # None: not looked at
    version: str | None
    errors: tuple[str, ...]  # of the failed requests, each kind once
    answers: tuple[Answer, ...]  # none: one of them does not say when it came, or how long it is


def progress(folder: Path) -> int:
    """Answers so far; aiperf writes about one line a second behind."""
    try:
        with (folder / RECORDS).open("rb") as file:
            return sum(1 for _ in file)
    except OSError:
        return 0


def read(folder: Path, marker: str | None) -> Counts:
    """The counts of a run that ended. Raises Failed where it did not get to its end, or cannot be understood."""
    try:
        summary = json.loads((folder / SUMMARY).read_bytes())
    except (OSError, ValueError):
        raise Failed("aiperf wrote no report, although it ended well") from None
    schema = str(summary.get("schema_version"))
    if schema.partition(".")[0] != SCHEMA_MAJOR:
        raise Failed(f"aiperf's report has the schema {schema}, and {SCHEMA_MAJOR}.x is understood: use aiperf 0.13")
    if summary.get("was_cancelled") is not False or summary.get("is_complete") is not True:
        raise Failed("aiperf was cancelled, or did not get to the end of the replay")
    answers = [_answer(record) for record in _lines(folder / RECORDS) if record.get("error") is None]
    return Counts(
        ok=_number(summary, "request_count"),
        failed=_number(summary, "error_request_count"),
        output_tokens=_output_tokens(folder),
        thinking_marked=None if marker is None else sum(_marked(record, marker) for record in _lines(folder / RAW)),
        version=summary.get("aiperf_version"),
        errors=_errors(summary),
        answers=tuple(answer for answer in answers if answer is not None) if None not in answers else (),
    )


def _number(summary: Mapping[str, Any], key: str) -> int:
    """A metric's count; where there is none aiperf counted none."""
    value = (summary.get(key) or {}).get("avg", 0)
    if not isinstance(value, (int, float)) or value != int(value):
        raise Failed(f"aiperf's report holds no number under {key}")
    return int(value)


def _errors(summary: Mapping[str, Any]) -> tuple[str, ...]:
    details = [(entry.get("error_details") or {}) for entry in summary.get("error_summary") or []]
    return tuple(f"{one.get('code')} {one.get('type')}: {str(one.get('message'))[:200]}" for one in details)


def _answer(record: Mapping[str, Any]) -> Answer | None:
    said = record.get("metadata") or {}
    tokens = (record.get("metrics") or {}).get("usage_completion_tokens", {}).get("value")
    prompt, begin, end = (said.get(key) for key in ("session_num", "request_start_ns", "request_end_ns"))
    if not (isinstance(tokens, int) and isinstance(prompt, int) and isinstance(begin, int) and isinstance(end, int)):
        return None
    return Answer(prompt, begin / 1e9, end / 1e9, tokens)


def _output_tokens(folder: Path) -> int | None:
    total = 0
    for record in _lines(folder / RECORDS):
        if record.get("error") is not None:
            continue
        value = (record.get("metrics") or {}).get("usage_completion_tokens", {}).get("value")
        if not isinstance(value, int):
            return None
        total += value
    return total


def _marked(record: Mapping[str, Any], marker: str) -> bool:
    """Whether an answer shows that the model thought: the marker stands in it, or the server took the thinking out."""
    for response in record.get("responses") or []:
        try:
            answer = json.loads(response.get("text") or "")
        except (ValueError, RecursionError):
            continue
        choices = _map(answer).get("choices")
        for choice in map(_map, choices if isinstance(choices, list) else ()):
            message = _map(choice.get("message"))
            text = choice.get("text") or message.get("content")
            if (
                (isinstance(text, str) and marker in text)
                or message.get("reasoning_content")
                or message.get("reasoning")
            ):
                return True
    return False


def _map(value: object) -> Mapping[str, Any]:
    """The engine's own words may have any shape: what is no map holds nothing."""
    return value if isinstance(value, dict) else {}


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        with path.open("rb") as file:
            for line in file:
                yield json.loads(line)
    except (OSError, ValueError):
        raise Failed(f"aiperf's {path.name} cannot be read") from None
