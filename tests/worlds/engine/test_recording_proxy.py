"""The proxy changes nothing on the way, and finds what an answer says about its drafts, streamed or not."""

import asyncio
import subprocess
from pathlib import Path

import pytest
from aiohttp import ClientSession

from tests.end_to_end.local_gate import program
from tests.worlds.bot.ports import free_port
from tests.worlds.engine import llama
from tests.worlds.engine.recording_proxy import last, recorded


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b'{"choices": [], "timings": {"draft_n": 3}}', {"draft_n": 3}),
        (b'data: {"timings": {"draft_n": 1}}\n\ndata: {"timings": {"draft_n": 4}}\n\ndata: [DONE]\n\n', {"draft_n": 4}),
        (b'data: {"timings": {"draft_n": 4}}\n\ndata: {"usage": {}}\n\ndata: [DONE]\n\n', {"draft_n": 4}),
        (b'{"error": {"message": "no"}}', None),
        (b"", None),
    ],
)
def test_the_last_word_of_an_answer_counts(body: bytes, found: dict | None) -> None:
    assert last(body, "timings") == found


async def test_answers_of_the_real_engine_are_recorded_and_passed_on(tmp_path: Path) -> None:
    record, port = tmp_path / "record.jsonl", str(free_port())
    llama.make_models(tmp_path)
    engine = (*llama.engine_words(tmp_path), "--model", f"{llama.MODELS}/target.gguf", "--port", port)
    drafts = ("--model-draft", f"{llama.MODELS}/draft-near.gguf", "--draft-max", "4", "--alias", "tiny")
    words = program("recording_proxy", "--port", port, "--record", str(record), "--", *engine, *drafts)
    proxy = await asyncio.create_subprocess_exec(*words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    body = {"model": "tiny", "messages": [{"role": "user", "content": "hello"}], "temperature": 0, "max_tokens": 40}
    try:
        async with ClientSession(f"http://127.0.0.1:{port}") as client:
            await llama.until_healthy(client, "/health")
            async with client.post("/v1/chat/completions", json=body) as answer:
                plain = await answer.json()
            async with client.post("/v1/chat/completions", json={**body, "stream": True}) as answer:
                streamed = await answer.text()
    finally:
        proxy.terminate()
        assert await proxy.wait() == 0  # and the engine's own status is the proxy's
    first, second = (line["timings"] for line in recorded(record))
    assert first == plain["timings"]
    assert first["draft_n_accepted"] == second["draft_n_accepted"] > 0
    assert streamed.rstrip().endswith("data: [DONE]")
