"""Which prompts of the file are replayed, and which files are refused."""

import dataclasses
import hashlib
import json
from pathlib import Path

import pytest

from bot.node import prompts
from bot.node.failures import Failed
from bot.node.jobfile import Replay, read_job
from tests.worlds.cluster.node_run import job, prompt


@pytest.fixture
def replay(tmp_path: Path) -> Replay:
    (tmp_path / "job.json").write_text(json.dumps(job(tmp_path, "gk-7-abc12345-1")))
    return read_job(tmp_path / "job.json").replay


def lines(*rows: object) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def test_the_categorys_prompts_come_in_file_order(replay: Replay) -> None:
    data = lines(prompt(3), prompt(7, category="math"), prompt(1), prompt(2))
    assert [found.id[-1] for found in prompts.select(data, replay)] == ["3", "1"]


def test_a_row_of_another_category_may_be_a_placeholder(replay: Replay) -> None:
    data = lines(prompt(1), prompt(2, prompts.PLACEHOLDER, category="math"), prompt(3))
    assert len(prompts.select(data, replay)) == 2


def test_the_first_turn_keeps_the_system_message(replay: Replay) -> None:
    row = prompt(1, "one", "two")
    row["messages"].insert(0, {"role": "system", "content": "be brief"})
    first, _ = prompts.select(lines(row, prompt(2)), replay)
    assert [message["content"] for message in first.messages] == ["be brief", "one"]
    every, _ = prompts.select(lines(row, prompt(2)), dataclasses.replace(replay, turns="all"))
    assert [message["content"] for message in every.messages] == ["be brief", "one", "two"]


SYSTEM = {"role": "system", "content": "x"}
USER = {"role": "user", "content": "x"}


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (prompt(1, f"{prompts.PLACEHOLDER} FROM THE SOURCE USING SPECDEC_BENCH"), "line 1: its text was never fetched"),
        ({"category": "coding", "messages": [USER]}, "line 1: question_id and messages must be there"),
        ({**prompt(1), "messages": []}, "line 1: question_id and messages must be there"),
        ({**prompt(1), "messages": ["x"]}, "line 1: a message must have the role user or system, and a text"),
        ({**prompt(1), "messages": [{"role": "assistant", "content": "x"}]}, "line 1: a message must have the role"),
        ({**prompt(1), "messages": [{"role": "user", "content": ""}]}, "line 1: a message must have the role"),
        ({**prompt(1), "messages": [SYSTEM]}, "line 1: it must be user turns, after at most one system message"),
        ({**prompt(1), "messages": [SYSTEM, SYSTEM, USER]}, "line 1: it must be user turns"),
        ({**prompt(1), "messages": [USER, SYSTEM]}, "line 1: it must be user turns"),
        (["coding"], "line 1: it is no JSON object"),
        (prompt(2), "stands there twice"),
    ],
)
def test_an_odd_row_is_named_with_its_line(replay: Replay, row: object, sentence: str) -> None:
    with pytest.raises(Failed) as caught:
        prompts.select(lines(row, prompt(2)), replay)
    assert sentence in str(caught.value)


def test_the_digest_is_of_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "prompts.jsonl"
    path.write_bytes(b"{}\n")
    assert prompts.digest(path) == (b"{}\n", hashlib.sha256(b"{}\n").hexdigest())
    with pytest.raises(Failed, match="cannot be read: No such file"):
        prompts.digest(tmp_path / "none")


@pytest.mark.parametrize(("wanted", "fine"), [("ab12", True), ("AB12", True), (None, True), ("ab13", False)])
def test_a_digest_must_be_the_collections(wanted: str | None, fine: bool) -> None:
    if fine:
        prompts.check("ab12", wanted)
    else:
        with pytest.raises(prompts.PromptsDiffer, match="has the digest ab12, the collection names ab13"):
            prompts.check("ab12", wanted)
