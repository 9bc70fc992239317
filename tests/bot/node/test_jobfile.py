"""job.json: what the bot writes is what the node reads, and everything odd is one sentence."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.node.failures import Failed
from bot.node.jobfile import read_job
from gatekit.cluster.job import job_json
from tests.worlds.cluster.jobs import parse_job
from tests.worlds.cluster.node_run import job


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "job.json"
    path.write_text(text)
    return path


def test_the_node_reads_every_field_that_the_bot_writes(tmp_path: Path) -> None:
    bots = parse_job(json.dumps(job(tmp_path, "gk-7-abc12345-1")))
    nodes = read_job(written(tmp_path, job_json(bots)))
    for part, other in ((bots, nodes), (bots.replay, nodes.replay), (bots.engine, nodes.engine)):
        for field in part.__slots__:
            if field not in ("schema", "engine", "replay", "submitter"):
                mine = getattr(other, field)
                assert getattr(part, field) == (tuple(mine.items()) if field in ("env", "files") else mine), field


REMOVED = object()


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("schema", 2, "schema 2, and this program reads 1"),
        ("schema", True, "schema must be a whole number"),
        ("job", "a/b", "no name that a job can have"),
        ("job", "..", "no name that a job can have"),
        ("attempt", 0, "attempt must be more than 0"),
        ("model", REMOVED, "model must be a text"),
        ("model", "a\0b", "model holds a zero byte"),
        ("aiperf", [], "aiperf must be a list of at least one text"),
        ("aiperf", "aiperf", "aiperf must be a list"),
        ("tokenizer", REMOVED, "tokenizer must be a text"),
        ("slice_seconds", 0, "slice_seconds must be more than 0"),
        ("engine", [], "engine must be a map"),
        ("engine.command", ["vllm", 7], "engine.command must be a list"),
        ("engine.env", [["A"]], "engine.env must be a list of [name, value] pairs"),
        ("engine.env", [["A=B", "c"]], "engine.env holds a name that no environment can hold"),
        ("engine.start_seconds", float("nan"), "engine.start_seconds must be more than 0"),
        ("engine.settle_seconds", -1, "engine.settle_seconds must be 0 or more"),
        ("engine.files", [["a"]], "engine.files must be a list of [name, value] pairs"),
        ("engine.files", [["../a", ""]], "'../a' in engine.files is no plain file name"),
        ("replay.count", "80", "replay.count must be a whole number"),
        ("replay.turns", "second", "replay.turns must be one of first, all"),
        ("replay.rendering", "nobody", "replay.rendering must be one of server, client"),
        ("replay.sampling", {"model": "x"}, "replay.sampling.model is no number, or no value that can be replayed"),
        ("replay.sampling", {"temperature": True}, "replay.sampling.temperature is no number"),
        ("replay.sampling", {"temperature": float("inf")}, "replay.sampling.temperature is no number"),
        ("replay.ignore_eos", 1, "replay.ignore_eos must be true or false"),
        ("replay.template_kwargs", [], "replay.template_kwargs must be a map"),
        ("replay.seconds", float("inf"), "replay.seconds must be more than 0"),
    ],
)
def test_what_is_odd_is_named_with_its_place(tmp_path: Path, path: str, value: object, sentence: str) -> None:
    data = job(tmp_path, "gk-7-abc12345-1")
    place: dict[str, Any] = data
    *parents, key = path.split(".")
    for parent in parents:
        place = place[parent]
    if value is REMOVED:
        del place[key]
    else:
        place[key] = value
    with pytest.raises(Failed, match=r"job\.json") as caught:
        read_job(written(tmp_path, json.dumps(data)))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "cannot be read: it is no JSON"),
        ("{" * 100_000, "cannot be read: it is no JSON"),
        ("[]", "it must be a map"),
        ("null", "holds nothing, or more than"),
        (" " * (1 << 20) + "{}", "holds nothing, or more than"),
    ],
)
def test_a_file_that_is_no_job_is_said_to_be_none(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(Failed) as caught:
        read_job(written(tmp_path, text))
    assert sentence in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(Failed, match=r"job\.json cannot be read: No such file or directory"):
        read_job(tmp_path / "job.json")
