"""The toy engine does what its closed form says, so that it can stand as the measure of the whole road."""

import asyncio
import collections
import contextlib
import json
import sys
from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientError, ClientSession
from aiohttp.test_utils import TestClient, TestServer
from prometheus_client.parser import text_string_to_metric_families

from tests.worlds.bot.ports import free_port
from tests.worlds.engine.llama import RUN, until_healthy
from tests.worlds.engine.toy_engine import Faults, Toy, ToyEngine
from tests.worlds.engine.toy_law import (
    LETTERS,
    Laws,
    Sampler,
    acceptance_length,
    forced_rates,
    standard_error,
    uniform,
    with_alpha,
)

DRAFTS = "vllm:spec_decode_num_drafts_total"
ACCEPTED = "vllm:spec_decode_num_accepted_tokens_total"
DRAFTED = "vllm:spec_decode_num_draft_tokens_total"
POSITIONS = "vllm:spec_decode_num_accepted_tokens_per_pos_total"
GENERATED = "vllm:generation_tokens_total"


@contextlib.asynccontextmanager
async def serving(toy: Toy) -> AsyncIterator[TestClient]:
    async with TestClient(TestServer(ToyEngine(toy).app)) as client:
        yield client


async def scrape(client: TestClient) -> dict[str, list[float]]:
    """Every series' value, in order, by sample name."""
    values = collections.defaultdict(list)
    for family in text_string_to_metric_families(await (await client.get("/metrics")).text()):
        for sample in family.samples:
            values[sample.name].append(sample.value)
    return values


async def ask(client: TestClient, prompt: str, tokens: int, path: str = "/v1/completions", **more: object) -> dict:
    said = {"messages": [{"role": "user", "content": prompt}]} if "chat" in path else {"prompt": prompt}
    reply = await client.post(path, json={"model": "toy", "max_tokens": tokens, **said, **more})
    assert reply.status == 200, await reply.text()
    return await reply.json()


def drafting(k: int, **more: object) -> dict[str, object]:
    return {"method": "mtp", "num_speculative_tokens": k, **more}


@pytest.mark.parametrize(("alpha", "k", "al"), [(0.5, 1, 1.5), (0.5, 3, 1.875), (0.0, 4, 1.0), (1.0, 4, 5.0)])
def test_the_closed_form(alpha: float, k: int, al: float) -> None:
    assert acceptance_length(alpha, k) == pytest.approx(al)


@pytest.mark.parametrize("k", [1, 3, 8])
@pytest.mark.parametrize("alpha", [0.3, 0.7, 0.95, 1.0])
def test_the_measured_al_lies_by_the_closed_form(alpha: float, k: int) -> None:
    laws, drafts = with_alpha(alpha), 20_000
    assert laws.alpha == pytest.approx(alpha)
    sampler = Sampler(laws, f"{alpha} {k}")
    al = 1 + sum(sampler.verified(k).accepted for _ in range(drafts)) / drafts
    assert abs(al - acceptance_length(alpha, k)) <= 4 * standard_error(alpha, k, drafts) + 1e-9


@pytest.mark.parametrize(
    "laws", [with_alpha(0.4), Laws((0.6, 0.3, 0.1), (0.1, 0.3, 0.6)), Laws((1.0, 0.0), (0.5, 0.5))]
)
def test_what_is_said_follows_the_target_whatever_the_draft_is(laws: Laws) -> None:
    sampler = Sampler(laws, "chi square")
    said = collections.Counter("".join(sampler.verified(3).text for _ in range(20_000)))
    total = sum(said.values())
    expected = {letter: total * p for letter, p in zip(LETTERS, laws.target, strict=False) if p}
    assert set(said) == set(expected)
    chi_square = sum((said[letter] - count) ** 2 / count for letter, count in expected.items())
    assert chi_square < 25  # 0.9999 of the law with four degrees of freedom lies below 23.6


def test_the_draft_itself_does_not_follow_the_target() -> None:
    """The test above can fail: the draft's own letters are far off."""
    sampler = Sampler(with_alpha(0.4), "chi square")
    said = collections.Counter(sampler.say("draft") for _ in range(20_000))
    assert sum((said[letter] - 4000) ** 2 / 4000 for letter in "abcde") > 1000


@pytest.mark.parametrize(("length", "k", "rates"), [(2.6, 4, (1, 0.6, 0, 0)), (1, 2, (0, 0)), (4, 3, (1, 1, 1))])
def test_forced_rates_are_whole_then_a_fraction_then_none(length: float, k: int, rates: tuple[float, ...]) -> None:
    assert forced_rates(length, k) == pytest.approx(rates)


@pytest.mark.parametrize("law", [(0.5, 0.4), (1.5, -0.5), (1.0,)])
def test_a_law_is_a_law(law: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="sum to 1"):
        Laws(law, law)


async def test_the_counters_give_the_closed_form_and_the_client_gets_what_was_generated() -> None:
    toy = Toy(laws=with_alpha(0.6), speculative=drafting(3), ranks=2)
    async with serving(toy) as client:
        got = sum([(await ask(client, f"prompt {n}", 150))["usage"]["completion_tokens"] for n in range(40)])
        values = await scrape(client)
    drafts, accepted = sum(values[DRAFTS]), sum(values[ACCEPTED])
    assert abs(1 + accepted / drafts - acceptance_length(0.6, 3)) <= 4 * standard_error(0.6, 3, int(drafts))
    assert sum(values[GENERATED]) == got == 40 * 150
    assert sum(values[DRAFTED]) == 3 * drafts
    assert sum(values[POSITIONS]) == accepted
    assert len(values[DRAFTS]) == 2
    assert min(values[DRAFTS]) > 0


async def test_forced_acceptance_shows_in_the_counters_and_goes_when_stripped() -> None:
    forced = drafting(3, rejection_sample_method="synthetic", synthetic_acceptance_length=3.5)
    found = {}
    for name, config in {"forced": forced, "stripped": drafting(3)}.items():
        async with serving(Toy(laws=with_alpha(0.3), speculative=config)) as client:
            for number in range(10):
                await ask(client, f"prompt {number}", 200)
            values = await scrape(client)
            found[name] = 1 + values[ACCEPTED][0] / values[DRAFTS][0]
    assert found["forced"] == pytest.approx(3.5, abs=0.15)
    assert found["stripped"] == pytest.approx(acceptance_length(0.3, 3), abs=0.15)


async def test_without_speculation_there_are_no_such_series() -> None:
    async with serving(Toy()) as client:
        await ask(client, "hello", 5)
        values = await scrape(client)
    assert values[GENERATED] == [5]
    assert not [name for name in values if "spec_decode" in name]


async def test_a_stream_says_the_same_and_ends_with_its_usage() -> None:
    async with serving(Toy(laws=with_alpha(0.6), speculative=drafting(3))) as client:
        whole = await ask(client, "hello", 30, "/v1/chat/completions")
        body = {"model": "toy", "max_completion_tokens": 30, "messages": [{"role": "user", "content": "hello"}]}
        more = {"stream": True, "stream_options": {"include_usage": True}}
        text = await (await client.post("/v1/chat/completions", json=body | more)).text()
    events = text.split("\n\n")
    assert events[-2:] == ["data: [DONE]", ""]
    assert '"completion_tokens": 30' in events[-3]
    assert '"finish_reason": "length"' in events[-4]
    assert whole["choices"][0]["message"]["content"].startswith(events[0].split('"content": "')[1][0])


@pytest.mark.parametrize(
    ("behaviour", "asked", "marked"),
    [("obey", True, True), ("obey", False, False), ("always", False, True), ("never", True, False)],
)
async def test_thinking_shows_in_the_answer(behaviour: str, asked: bool, marked: bool) -> None:
    async with serving(Toy(speculative=drafting(2), faults=Faults(thinking=behaviour))) as client:
        kwargs = {"chat_template_kwargs": {"thinking": asked}}
        reply = await ask(client, "hello", 30, "/v1/chat/completions", **kwargs)
        content = reply["choices"][0]["message"]["content"]
        tokens = await client.post("/tokenize", json={"messages": [{"role": "user", "content": "hello"}], **kwargs})
        text = await client.post("/detokenize", json={"tokens": (await tokens.json())["tokens"]})
        rendered = (await text.json())["prompt"]
        assert (await ask(client, rendered, 30))["choices"][0]["text"] == content
    assert ("</think>" in content) is marked
    assert len(content) == 30


async def test_each_fault_shows_where_it_should() -> None:
    toy = Toy(speculative=drafting(2), faults=Faults(restart_after=1, foreign=2, overdraft=1, never_healthy=True))
    async with serving(toy) as client:
        assert (await client.get("/health")).status == 503
        await ask(client, "one", 10)
        first = await scrape(client)
        await ask(client, "two", 10)
        second = await scrape(client)
    assert (
        first[GENERATED] == second[GENERATED] == [20]
    )  # as many again for somebody else; then the counters began anew
    assert second["process_start_time_seconds"] > first["process_start_time_seconds"]
    assert second["vllm:spec_decode_num_drafts_created"] > first["vllm:spec_decode_num_drafts_created"]
    assert second[DRAFTED][0] == 3 * second[DRAFTS][0]


async def test_a_wrong_model_and_a_prompt_too_long_are_refused() -> None:
    async with serving(Toy(max_model_len=20)) as client:
        wrong = await client.post("/v1/completions", json={"model": "other", "prompt": "x"})
        long = await client.post("/v1/completions", json={"model": "toy", "prompt": "x" * 10, "max_tokens": 11})
    assert (wrong.status, long.status) == (404, 400)


def test_a_flat_law_is_flat() -> None:
    assert sum(uniform(7)) == pytest.approx(1)


async def test_as_a_program_it_takes_the_command_line_of_vllm_and_dies_when_told() -> None:
    port = str(free_port())
    faults = ("--die-after", "1", "--target-law", "0.5,0.5", "--draft-law", "1,0")
    vllm = (
        "serve",
        "some/model",
        "--port",
        port,
        "--speculative-config",
        json.dumps(drafting(2)),
        "--trust-remote-code",
    )
    engine = await asyncio.create_subprocess_exec(sys.executable, str(RUN), "toy_engine", *faults, *vllm)
    async with ClientSession(f"http://127.0.0.1:{port}") as client:
        await until_healthy(client, "/health")
        body = {"model": "some/model", "prompt": "hello", "max_tokens": 50}
        async with client.post("/v1/completions", json=body) as answer:
            assert set((await answer.json())["choices"][0]["text"]) == {"a", "b"}
        with pytest.raises(ClientError):
            await client.post("/v1/completions", json=body)
    assert await engine.wait() == 1
