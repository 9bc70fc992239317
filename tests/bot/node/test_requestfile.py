"""Collection → request file: every setting and nothing else, rendered by the engine's own template where need be."""

import dataclasses
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.node import requestfile
from bot.node.failures import Cancelled, Failed
from bot.node.jobfile import ALL, CHAT, CLIENT, COMPLETIONS, FIRST, SERVER, Job, read_job
from bot.node.prompts import Prompt
from bot.node.stop import Stop
from tests.worlds import recording
from tests.worlds.node_run import job

HELLO = Prompt("q1", ({"role": "user", "content": "hello é"},))
TWO = Prompt("q2", ({"role": "user", "content": "one"}, {"role": "user", "content": "two"}))
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
def base(tmp_path: Path) -> Job:
    (tmp_path / "job.json").write_text(json.dumps(job(tmp_path, "gk-7-abc12345-1")))
    return read_job(tmp_path / "job.json")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Callable[..., Callable[[str], str]]]:
    """Starts a recording engine with faults; gives the URL of a path on it."""
    servers = []

    def start(*faults: str) -> Callable[[str], str]:
        server = recording.serve(recording.options(["--record", str(tmp_path / "record.jsonl"), *faults]))
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        return lambda path: f"http://127.0.0.1:{server.server_port}{path}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def changed(base: Job, engine_name: str = "vllm", **settings: object) -> Job:
    replay = dataclasses.replace(base.replay, **settings)
    return dataclasses.replace(base, replay=replay, engine=dataclasses.replace(base.engine, name=engine_name))


def nowhere(path: str) -> str:
    return NOWHERE + path


def test_a_chat_body_has_exactly_the_collections_settings(base: Job, tmp_path: Path) -> None:
    kwargs = {"enable_thinking": False}
    one = changed(base, sampling={"temperature": 0.6, "seed": 3}, template_kwargs=kwargs, ignore_eos=True)
    written = requestfile.write(one, [HELLO], nowhere, tmp_path / "r.jsonl", Stop())
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
    written = requestfile.write(changed(base, turns=ALL), [HELLO, TWO], nowhere, tmp_path / "r.jsonl", Stop())
    assert (written.dataset, written.count, written.conversations) == ("multi_turn", 3, 2)
    last = json.loads((tmp_path / "r.jsonl").read_text().splitlines()[1])
    extra = {"role": "user", "output_length": 16, "extra": {"temperature": 1.0}}
    assert last == {"session_id": "q2", "turns": [{**extra, "text": "one"}, {**extra, "text": "two"}]}


def test_all_turns_of_prompts_with_one_turn_are_plain_bodies(base: Job, tmp_path: Path) -> None:
    assert (
        requestfile.write(changed(base, turns=ALL), [HELLO], nowhere, tmp_path / "r", Stop()).dataset
        == "mooncake_trace"
    )


@pytest.mark.parametrize("name", ["llamacpp", "vllm"])
@pytest.mark.parametrize("kwargs", [None, {"thinking": True}])
def test_the_engine_renders_the_prompt_with_its_own_template(
    base: Job, tmp_path: Path, engine: Callable[..., Callable[[str], str]], name: str, kwargs: dict[str, bool] | None
) -> None:
    one = changed(base, name, endpoint=COMPLETIONS, rendering=CLIENT, template_kwargs=kwargs)
    requestfile.write(one, [HELLO], engine(), tmp_path / "r.jsonl", Stop())
    body = json.loads((tmp_path / "r.jsonl").read_text())["payload"]
    rendered = recording.render(HELLO.messages, kwargs)
    assert body == {"model": "toy", "prompt": rendered, "max_tokens": 16, "temperature": 1.0}


def test_a_rendered_prompt_that_changes_on_the_way_back_is_not_replayed(
    base: Job, tmp_path: Path, engine: Callable[..., Callable[[str], str]]
) -> None:
    one = changed(base, endpoint=COMPLETIONS, rendering=CLIENT)
    with pytest.raises(Failed, match="does not survive the way to text and back"):
        requestfile.write(one, [HELLO], engine("--forgetful"), tmp_path / "r.jsonl", Stop())
    requestfile.write(one, [TWO], engine("--forgetful"), tmp_path / "r.jsonl", Stop())


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


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("sglang", "no way is known to have sglang render a prompt: only llamacpp, vllm"),
        ("vllm", "the engine did not answer at http://127.0.0.1:9/tokenize"),
    ],
)
def test_who_cannot_render_says_so(base: Job, tmp_path: Path, name: str, sentence: str) -> None:
    one = changed(base, name, endpoint=COMPLETIONS, rendering=CLIENT)
    with pytest.raises(Failed, match=sentence):
        requestfile.write(one, [HELLO], nowhere, tmp_path / "r.jsonl", Stop())


def test_rendering_stops_when_it_is_asked_to(base: Job, tmp_path: Path) -> None:
    stop = Stop()
    stop.asked = True
    with pytest.raises(Cancelled):
        requestfile.write(base, [HELLO], nowhere, tmp_path / "r.jsonl", stop)
