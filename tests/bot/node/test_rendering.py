"""Who renders a prompt for which engine, and what follows where two do not say the same."""

import dataclasses
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.node import rendering
from bot.node.failures import Cancelled, Failed
from bot.node.jobfile import CLIENT, COMPLETIONS, SERVER, Job, read_job
from bot.node.prompts import Prompt
from bot.node.rendering import ByTemplate, Url
from bot.node.replay import Place
from bot.node.stop import Stop
from tests.worlds.cluster.node_run import job
from tests.worlds.engine import recording
from tests.worlds.engine.tokenizer import write_tokenizer

HELLO = Prompt("q1", ({"role": "user", "content": "hello é"},))
PLAIN = Prompt("q2", ({"role": "user", "content": "one"},))
NOTHING = ByTemplate(None, "the chat template of m cannot be applied: it has no chat template")
KWARGS = {"thinking": True}
RENDERED = recording.render(HELLO.messages, KWARGS)

Started = Callable[..., Url]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Started]:
    """Starts a recording engine with faults; gives the URL of a path on it."""
    servers = []

    def start(*faults: str) -> Url:
        server = recording.serve(recording.options(["--record", str(tmp_path / "record.jsonl"), *faults]))
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        return lambda path: f"http://127.0.0.1:{server.server_port}{path}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def nowhere(path: str) -> str:
    return f"http://127.0.0.1:9{path}"


def a_job(tmp_path: Path, name: str, **settings: object) -> Job:
    (tmp_path / "job.json").write_text(json.dumps(job(tmp_path, "gk-7-abc12345-1")))
    read = read_job(tmp_path / "job.json")
    wanted = {"endpoint": COMPLETIONS, "rendering": CLIENT, "template_kwargs": KWARGS} | settings
    replay = dataclasses.replace(read.replay, **wanted)
    return dataclasses.replace(read, replay=replay, engine=dataclasses.replace(read.engine, name=name))


def place(tmp_path: Path) -> Place:
    folder = tmp_path / "client"
    folder.mkdir()
    return Place(folder, folder / "out", {"PATH": "/usr/bin:/bin", "HOME": str(folder)})


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("llamacpp", ByTemplate(None)),
        ("vllm", ByTemplate(None)),
        ("sglang", NOTHING),
        ("sglang", ByTemplate((RENDERED,))),
        ("trtllm", ByTemplate((RENDERED,))),
        ("atom", ByTemplate((RENDERED,))),
    ],
)
def test_every_engine_gets_the_same_text(tmp_path: Path, engine: Started, name: str, found: ByTemplate) -> None:
    one = a_job(tmp_path, name)
    assert rendering.texts(one, [HELLO], found, engine(), Stop()) == (RENDERED,)


def test_without_template_arguments_none_are_passed(tmp_path: Path, engine: Started) -> None:
    one = a_job(tmp_path, "vllm", template_kwargs=None)
    assert rendering.texts(one, [HELLO], ByTemplate(None), engine(), Stop()) == (
        recording.render(HELLO.messages, None),
    )


def test_where_the_endpoint_renders_there_are_no_texts(tmp_path: Path) -> None:
    one = a_job(tmp_path, "atom", rendering=SERVER)
    found = rendering.by_template(one, [HELLO], place(tmp_path), Stop())
    assert rendering.texts(one, [HELLO], found, nowhere, Stop()) is None


@pytest.mark.parametrize("name", ["vllm", "sglang"])
def test_a_rendered_prompt_that_changes_on_the_way_back_is_not_replayed(
    tmp_path: Path, engine: Started, name: str
) -> None:
    url = engine("--forgetful")
    with pytest.raises(Failed, match="does not survive the way to text and back"):
        rendering.texts(a_job(tmp_path, name), [PLAIN, HELLO], NOTHING, url, Stop())
    assert rendering.texts(a_job(tmp_path, name), [PLAIN], NOTHING, url, Stop())


def test_sglang_and_the_models_template_must_agree_where_it_can_be_asked(tmp_path: Path, engine: Started) -> None:
    one, other = a_job(tmp_path, "sglang"), ByTemplate((RENDERED.replace("true", "false"),))
    with pytest.raises(Failed, match="sglang renders a prompt otherwise than the chat template of"):
        rendering.texts(one, [HELLO], other, engine(), Stop())
    assert rendering.texts(one, [HELLO], other, engine("--prompts-only"), Stop()) == other.texts


@pytest.mark.parametrize(
    ("name", "found", "sentence"),
    [
        ("sglang", NOTHING, "it has no chat template; this build of sglang does not render messages for others"),
        ("vllm", ByTemplate(None), "^this build of vllm does not render messages for others"),
    ],
)
def test_an_engine_that_does_not_render_says_so(
    tmp_path: Path, engine: Started, name: str, found: ByTemplate, sentence: str
) -> None:
    with pytest.raises(Failed, match=sentence):
        rendering.texts(a_job(tmp_path, name), [HELLO], found, engine("--prompts-only"), Stop())


def test_an_engine_that_does_not_answer_is_not_taken_for_one_that_does_not_render(tmp_path: Path) -> None:
    with pytest.raises(Failed, match=r"the engine did not answer at http://127\.0\.0\.1:9/tokenize"):
        rendering.texts(a_job(tmp_path, "sglang"), [HELLO], ByTemplate((RENDERED,)), nowhere, Stop())


def test_only_sglang_may_do_without_the_models_template(tmp_path: Path) -> None:
    write_tokenizer(tmp_path / "model")
    room = place(tmp_path)
    found = rendering.by_template(a_job(tmp_path, "sglang"), [HELLO], room, Stop())
    assert (found.texts, "has no chat template" in found.why) == (None, True)
    with pytest.raises(Failed, match="has no chat template"):
        rendering.by_template(a_job(tmp_path, "atom"), [HELLO], room, Stop())


def test_rendering_stops_when_it_is_asked_to(tmp_path: Path) -> None:
    stop = Stop()
    stop.asked = True
    with pytest.raises(Cancelled):
        rendering.texts(a_job(tmp_path, "vllm"), [HELLO], ByTemplate(None), nowhere, stop)


def test_the_digest_is_of_the_texts_and_their_order() -> None:
    assert rendering.digest(["a", "é"]) == "9d6e155345ca2f529b5a2a0c5188a24ad6ba9f575ffe096c79cf0d5b5d09f0f7"
    assert len({rendering.digest(texts) for texts in (["a", "b"], ["b", "a"], ["ab"], ["a", "b", ""])}) == 4
