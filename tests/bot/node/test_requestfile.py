"""Collection → request file: every setting and nothing else."""

import dataclasses
import json
from pathlib import Path

import pytest

from bot.node import requestfile
from bot.node.failures import Failed
from bot.node.jobfile import ALL, CHAT, CLIENT, COMPLETIONS, FIRST, SERVER, Job, read_job
from bot.node.prompts import Prompt
from tests.worlds.cluster.node_run import job

HELLO = Prompt("q1", ({"role": "user", "content": "hello é"},))
TWO = Prompt("q2", ({"role": "user", "content": "one"}, {"role": "user", "content": "two"}))


@pytest.fixture
def base(tmp_path: Path) -> Job:
    (tmp_path / "job.json").write_text(json.dumps(job(tmp_path, "gk-7-abc12345-1")))
    return read_job(tmp_path / "job.json")


def changed(base: Job, **settings: object) -> Job:
    return dataclasses.replace(base, replay=dataclasses.replace(base.replay, **settings))


def test_a_chat_body_has_exactly_the_collections_settings(base: Job, tmp_path: Path) -> None:
    kwargs = {"enable_thinking": False}
    one = changed(base, sampling={"temperature": 0.6, "seed": 3}, template_kwargs=kwargs, ignore_eos=True)
    written = requestfile.write(one, [HELLO], None, tmp_path / "r.jsonl")
    body = {
        "model": "toy",
        "messages": [{"role": "user", "content": "hello é"}],
        "max_tokens": 16,
        "temperature": 0.6,
        "seed": 3,
        "ignore_eos": True,
        "chat_template_kwargs": kwargs,
    }
    assert json.loads((tmp_path / "r.jsonl").read_text()) == {"payload": body}
    assert (written.dataset, written.count, written.conversations) == ("mooncake_trace", 1, 1)


def test_all_turns_become_conversations(base: Job, tmp_path: Path) -> None:
    written = requestfile.write(changed(base, turns=ALL), [HELLO, TWO], None, tmp_path / "r.jsonl")
    assert (written.dataset, written.count, written.conversations) == ("multi_turn", 3, 2)
    last = json.loads((tmp_path / "r.jsonl").read_text().splitlines()[1])
    extra = {"role": "user", "output_length": 16, "extra": {"temperature": 1.0}}
    assert last == {"session_id": "q2", "turns": [{**extra, "text": "one"}, {**extra, "text": "two"}]}


def test_all_turns_of_prompts_with_one_turn_are_plain_bodies(base: Job, tmp_path: Path) -> None:
    assert requestfile.write(changed(base, turns=ALL), [HELLO], None, tmp_path / "r").dataset == "mooncake_trace"


def test_rendered_prompts_go_out_as_they_are_without_the_templates_arguments(base: Job, tmp_path: Path) -> None:
    one = changed(base, endpoint=COMPLETIONS, rendering=CLIENT, template_kwargs={"thinking": True})
    requestfile.write(one, [HELLO, HELLO], ["<user>é", "<user>ü"], tmp_path / "r.jsonl")
    bodies = [json.loads(line)["payload"] for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    fixed = {"model": "toy", "max_tokens": 16, "temperature": 1.0}
    assert bodies == [{**fixed, "prompt": "<user>é"}, {**fixed, "prompt": "<user>ü"}]


@pytest.mark.parametrize(
    ("endpoint", "rendering", "turns", "sentence"),
    [
        (COMPLETIONS, SERVER, FIRST, "which it cannot: its rendering must be client"),
        (CHAT, CLIENT, FIRST, "which would render them again"),
        (COMPLETIONS, CLIENT, ALL, "later turns need the chat endpoint"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(
    base: Job, endpoint: str, rendering: str, turns: str, sentence: str
) -> None:
    replay = changed(base, endpoint=endpoint, rendering=rendering, turns=turns).replay
    with pytest.raises(Failed, match=sentence):
        requestfile.check(replay, [TWO])
