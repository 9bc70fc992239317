"""The small real engine: its command line, its models' folder that no name leaves, and an AL that repeats itself."""

import asyncio
import contextlib
import signal
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import ClientSession
from prometheus_client.parser import text_string_to_metric_families

from tests.worlds.bot.ports import free_port
from tests.worlds.bot.until import PATIENCE
from tests.worlds.engine import llama

TARGET = f"{llama.MODELS}/target.gguf"
NEAR = f"{llama.MODELS}/draft-near.gguf"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    llama.make_models(folder)
    (folder / "link.gguf").symlink_to(folder / TARGET)
    return folder


@contextlib.asynccontextmanager
async def serving(models: Path, *words: str) -> AsyncIterator[tuple[ClientSession, str]]:
    """A healthy server and its address. It must end by SIGTERM with status 0."""
    port = free_port()
    command = (*llama.engine_words(models), "--model", TARGET, "--port", str(port), "--metrics", *words)
    server = await asyncio.create_subprocess_exec(*command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        async with ClientSession() as client:
            await llama.until_healthy(client, f"http://127.0.0.1:{port}/health")
            yield client, f"http://127.0.0.1:{port}"
    finally:
        server.send_signal(signal.SIGTERM)
        assert await server.wait() == 0


async def ask(client: ClientSession, base: str, text: str, **more: object) -> dict:
    message = {"role": "user", "content": text}
    body = {"model": TARGET, "messages": [message], "temperature": 0, "max_tokens": 64, "ignore_eos": True, **more}
    async with client.post(f"{base}/v1/chat/completions", json=body) as answer:
        assert answer.status == 200
        return await answer.json()


async def realized_al(models: Path, *words: str) -> float:
    async with serving(models, *words) as (client, base):
        for number in range(8):
            await ask(client, base, f"Write function number {number}.")
        async with client.get(f"{base}/metrics") as answer:
            families = text_string_to_metric_families(await answer.text())
    values = {sample.name: sample.value for family in families for sample in family.samples}
    prefix = "llamacpp:spec_decode_num_"
    return 1 + values[f"{prefix}accepted_tokens_total"] / values[f"{prefix}drafts_total"]


async def test_the_al_repeats_itself_and_hangs_on_the_draft(models: Path) -> None:
    drafts = {
        name: ("--model-draft", f"{llama.MODELS}/draft-{name}.gguf", "--draft-max", "4") for name in ("near", "far")
    }
    near, again, far = [await realized_al(models, *drafts[name]) for name in ("near", "near", "far")]
    assert near == again
    assert near > 3 > 1.5 > far > 1


async def test_forced_acceptance_is_what_it_says(models: Path) -> None:
    forced = await realized_al(models, "--model-draft", NEAR, "--draft-max", "4", "--spec-synth-len", "2.0")
    assert forced == pytest.approx(2.0, abs=0.35)


async def test_the_template_knows_the_thinking_mode_and_answers_are_plain_text(models: Path) -> None:
    async with serving(models) as (client, base):
        off = await ask(client, base, "hello")
        on = await ask(client, base, "hello", chat_template_kwargs={"thinking": True})
    added = on["usage"]["prompt_tokens"] - off["usage"]["prompt_tokens"]
    assert added == len("[thinking]\n")
    content = off["choices"][0]["message"]["content"]
    assert content.isascii()
    assert len(content) == off["usage"]["completion_tokens"] == 64


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--model", "../secret.gguf"), "leaves the models' folder"),
        (("--model", "/etc/passwd"), "leaves the models' folder"),
        (("--model", "link.gguf"), "leaves the models' folder"),
        (("--model", "nothing.gguf"), "no such model file"),
        (("--model", TARGET, "--model-draft", "../secret.gguf"), "leaves the models' folder"),
        (("--model", TARGET, "--models-dir", "/"), "--models-dir is given twice"),
        (("--model", TARGET, "--lora", "x"), "unrecognized arguments: --lora x"),
        (("--model", TARGET, "--spec-synth-len", "2"), "forced acceptance needs drafts"),
        (("--model", TARGET, "--draft-max", "many"), "invalid int value: 'many'"),
        ((), "the following arguments are required: -m/--model"),
    ],
)
def test_a_wrong_command_line_is_one_sentence(models: Path, words: tuple[str, ...], sentence: str) -> None:
    ended = subprocess.run(
        [*llama.engine_words(models), *words], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert ended.returncode == 2
    assert sentence in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_file_that_is_no_model_ends_the_server(models: Path) -> None:
    wrong = f"{llama.MODELS}/tokenizer/tokenizer.json"
    words = [*llama.engine_words(models), "--model", wrong]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ended.returncode == 1


def test_a_changed_model_is_made_anew(models: Path) -> None:
    path = models / NEAR
    right = path.read_bytes()
    path.write_bytes(right[:-1] + b"x")
    assert llama.make_models(models) == ["draft-near.gguf"]
    assert path.read_bytes() == right
