"""The files of a run folder are read strictly."""

import json

import pytest

from gatekit.cluster.result import LONE_WORKER, Slice, parse_result, read_slices, split_workers
from gatekit.domain.errors import BadInput
from gatekit.domain.job import Requests, ScrapedWorker
from tests.worlds.cluster.attempts import GATE, changed, result_of


def test_a_result_is_read_whole() -> None:
    result = parse_result(json.dumps(result_of(GATE)))
    assert result.requests == Requests(20, 20, 0, 5020, None)
    assert result.workers == (ScrapedWorker("agg", "http://127.0.0.1:8000/metrics"),)
    assert result.engine_command == ("vllm", "serve", "tiny")
    assert result.replay is not None
    assert result.replay.seconds == 600
    assert result.replay.sampling == {"temperature": 0.0, "seed": 42}
    assert (result.seconds.start, result.seconds.replay) == (31.5, 62.0)


def test_what_a_newer_node_adds_is_passed_over() -> None:
    assert parse_result(json.dumps({**result_of(GATE), "weather": "fine"})).job == "gk-12-" + GATE.key[:8] + "-1"


@pytest.mark.parametrize("field", ["replay", "requests.thinking_marked"])
def test_an_older_node_says_less(field: str) -> None:
    whole = result_of(GATE)
    head, _, rest = field.partition(".")
    inner = whole[head]
    if rest:
        assert isinstance(inner, dict)
        del inner[rest]
    else:
        del whole[head]
    parse_result(json.dumps(whole))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("schema", 2),
        ("outcome", "fine"),
        ("job", 12),
        ("attempt", "1"),
        ("requests", None),
        ("requests.ok", "20"),
        ("requests.ok", True),
        ("requests.ok", 19.5),
        ("requests.failed", -1),
        ("requests.output_tokens", float("nan")),
        ("workers", {"role": "agg"}),
        ("workers", [{"role": "agg"}]),
        ("engine.command", "vllm serve"),
        ("engine.command", ["vllm", 1]),
        ("seconds.replay", "long"),
        ("replay.sampling", {"temperature": [1]}),
        ("replay.count", None),
    ],
)
def test_a_field_of_another_shape_is_named(path: str, value: object) -> None:
    with pytest.raises(BadInput) as no:
        parse_result(json.dumps(changed(result_of(GATE), path, value)))
    assert no.value.where == "result.json"
    assert path.split(".")[0] in no.value.problem


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{",
        '{"schema": 1',
        "[" * 100_000,
        '{"schema": ' + "9" * 10_000 + "}",
        " " * 2_000_000,
        "\ud800",
    ],
    ids=["empty", "null", "list", "open", "cut", "deep", "huge number", "long", "half a sign"],
)
def test_what_is_no_result_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match=r"result\.json"):
        parse_result(text)


def test_the_refusal_does_not_repeat_the_value() -> None:
    with pytest.raises(BadInput) as no:
        parse_result(json.dumps(changed(result_of(GATE), "attempt", "hf_secret")))
    assert "hf_secret" not in str(no.value)


def test_a_file_of_scrapes_is_split_by_worker() -> None:
    text = "# worker decode-0 http://n1:8000/metrics\na 1\nb 2\n# worker decode-1 http://n2:8000/metrics\na 3\n"
    assert split_workers(text) == {"decode-0": "a 1\nb 2", "decode-1": "a 3\n"}


def test_a_bare_scrape_is_that_of_one_worker() -> None:
    assert split_workers("# HELP a b\na 1\n") == {LONE_WORKER: "# HELP a b\na 1\n"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("# worker a http://x\na 1\n# worker a http://x\na 2\n", "two sections"),
        ("a 1\n# worker a http://x\na 2\n", "before the first"),
    ],
)
def test_sections_that_cannot_be_told_apart_are_refused(text: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        split_workers(text)


def test_nothing_was_scraped() -> None:
    assert split_workers("") == {}


def test_samples_are_read_in_the_order_of_writing() -> None:
    text = '{"t": 0.5, "worker": "a", "text": "x 1\\n"}\n\n{"t": 1, "worker": "b", "text": ""}\n'
    assert read_slices(text) == (Slice(0.5, "a", "x 1\n"), Slice(1.0, "b", ""))


def test_a_sample_that_cannot_be_read_is_named_by_its_line() -> None:
    with pytest.raises(BadInput, match=r"slices\.jsonl:2: "):
        read_slices('{"t": 0.5, "worker": "a", "text": ""}\n{"t": 0.')
