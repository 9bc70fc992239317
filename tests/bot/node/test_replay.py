"""The node program with a real aiperf: what goes over the wire, and what is left. A run takes some ten seconds."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatekit.cluster.result import parse_result, read_slices, split_workers
from tests.worlds.bot.until import PATIENCE, WHOLE_GATE, wait_until
from tests.worlds.cluster.node_run import NodeRun, alive, node_run, prompt
from tests.worlds.engine import recording

MARKER = "</think>"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[NodeRun]:
    with node_run(tmp_path) as found:
        yield found


def rendered_completions(world: NodeRun) -> None:
    """The collection of most curves: the prompt is rendered first, then posted as text."""
    world.prompts(
        prompt(1, "write « é »", "and test it"), prompt(9, "a riddle", category="math"), prompt(2), prompt(3), prompt(4)
    )
    world.engine_faults("--say", MARKER, "--daemon")
    world.job["engine"]["name"] = "llamacpp"
    sampling = {"temperature": 0.6, "top_p": 0.95, "top_k": 20, "seed": 42}
    world.job["replay"].update(
        count=4, endpoint="/v1/completions", rendering="client", sampling=sampling, ignore_eos=True,
        template_kwargs={"enable_thinking": True}, thinking_marker=MARKER,
    )  # fmt: skip


def chat_with_all_turns(world: NodeRun) -> None:
    """Live answers as history; one prompt's first turn is refused by the server."""
    world.prompts(prompt(1, "one", "two"), prompt(2, "refuse me"), prompt(3, "three"))
    world.engine_faults("--refuse", "refuse me")
    world.job["replay"].update(count=3, turns="all", template_kwargs={"thinking": False})


def check_rendered_completions(world: NodeRun) -> None:
    expected = [
        {
            "path": "/v1/completions",
            "body": {
                "model": "toy",
                "prompt": recording.render([{"role": "user", "content": text}], {"enable_thinking": True}),
                "max_tokens": 16,
                "temperature": 0.6,
                "top_p": 0.95,
                "top_k": 20,
                "seed": 42,
                "ignore_eos": True,
            },
        }
        for text in ("write « é »", "write function 2", "write function 3", "write function 4")
    ]
    assert world.requests == expected
    result = parse_result(world.text("result.json"))
    assert (result.outcome, result.reason) == ("replayed", None)
    assert (result.requests.expected, result.requests.ok, result.requests.failed) == (4, 4, 0)
    assert (result.requests.output_tokens, result.requests.thinking_marked) == (4 * recording.TOKENS, 4)
    assert {(answer.prompt, answer.tokens) for answer in result.answers} == {(n, recording.TOKENS) for n in range(4)}
    assert all(0 <= answer.begin < answer.end <= (result.seconds.replay or 0) for answer in result.answers)
    assert result.aiperf == "0.13.0"
    assert f"prompts rendered by the engine, digest {result.rendered_sha256}" in world.text("job.log")
    assert result.replay is not None
    assert result.replay.sampling == world.job["replay"]["sampling"]
    assert not alive(world.engine["daemon"])
    check_scrapes(world, answers=4)


def check_scrapes(world: NodeRun, answers: int) -> None:
    result = parse_result(world.text("result.json"))
    for name, count in (("before.prom", 0), ("after.prom", answers)):
        sections = split_workers(world.text(name))
        assert list(sections) == ["agg-0"]
        assert f'vllm:generation_tokens_total{{engine="0"}} {recording.TOKENS * count}\n' in sections["agg-0"]
        assert world.text(name).splitlines()[0] == f"# worker agg-0 {result.workers[0].metrics}"
    slices = read_slices(world.text("slices.jsonl"))
    assert [one.seconds for one in slices] == sorted(one.seconds for one in slices)
    assert {one.worker for one in slices} == {"agg-0"}
    assert "scrapes_total" not in slices[0].text
    assert "spec_decode_num_drafts_total" in slices[-1].text


def check_chat_with_all_turns(world: NodeRun) -> None:
    def body(*messages: tuple[str, str]) -> dict[str, object]:
        said = [{"role": role, "content": text} for role, text in messages]
        fixed = {"model": "toy", "stream": False, "max_tokens": 16, "temperature": 1.0}
        return {**fixed, "messages": said, "chat_template_kwargs": {"thinking": False}}

    answer = "an answer to 3 letters"
    assert {entry["path"] for entry in world.requests} == {"/v1/chat/completions"}
    bodies = [entry["body"] for entry in world.requests]
    assert bodies == [
        body(("user", "one")),
        body(("user", "one"), ("assistant", answer), ("user", "two")),
        body(("user", "refuse me")),
        body(("user", "three")),
    ]
    result = parse_result(world.text("result.json"))
    assert (result.outcome, result.requests.thinking_marked) == ("replayed", None)
    assert (result.requests.expected, result.requests.ok, result.requests.failed) == (4, 3, 1)
    assert result.requests.output_tokens == 3 * recording.TOKENS
    assert "a request failed: 400 Bad Request" in world.text("job.log")
    check_scrapes(world, answers=3)


def test_two_engines_replay_at_once_and_each_body_is_as_intended(tmp_path: Path) -> None:
    """Rendered completions beside chat with all turns, of which one request fails: aiperf ends well all the same."""
    with node_run(tmp_path, "gk-7-aaaa1111-1") as one, node_run(tmp_path, "gk-7-bbbb2222-1") as other:
        rendered_completions(one)
        chat_with_all_turns(other)
        for process in (one.start(), other.start()):
            assert process.wait(WHOLE_GATE) == 0
        check_rendered_completions(one)
        check_chat_with_all_turns(other)
        for world in (one, other):
            world.nothing_is_left()
            assert (world.folder / "aiperf" / "profile_export_aiperf.json").is_file()
            assert "engine answers after" in world.text("job.log")


def test_an_engine_that_dies_in_the_middle_is_a_failure(world: NodeRun) -> None:
    world.prompts(*map(prompt, range(1, 7)))
    world.job["replay"]["count"] = 6
    world.engine_faults("--die-after", "2", "--daemon")
    result = world.run()
    assert result["outcome"] == "failed"
    assert result["reason"] == "the engine exited with code 9 during the replay, see engine.log"
    assert not (world.folder / "after.prom").exists()
    assert not alive(world.engine["daemon"])
    world.nothing_is_left()


def test_a_cancel_in_the_middle_leaves_no_process_and_no_scratch(world: NodeRun) -> None:
    world.prompts(*map(prompt, range(1, 7)))
    world.job["replay"]["count"] = 6
    world.engine_faults("--pace", "600", "--daemon")
    process = world.start()
    wait_until(lambda: world.requests)
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 1
    result = world.result()
    assert (result["outcome"], result["reason"]) == ("failed", "cancelled")
    assert not alive(world.engine["daemon"])
    world.nothing_is_left()


def test_a_broken_aiperf_is_told_in_its_own_words(world: NodeRun) -> None:
    world.job["tokenizer"] = "/no/such/folder"
    result = world.run()
    assert result["outcome"] == "failed"
    assert result["reason"].startswith("aiperf ended with exit code 1: ")
    assert "Failed to load tokenizer '/no/such/folder'" in result["reason"]
    assert world.requests == []
    assert (world.folder / "aiperf" / "console.txt").is_file()
