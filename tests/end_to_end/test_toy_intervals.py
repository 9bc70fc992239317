"""Twenty replays against the toy engine as it serves: its counters, samples and answers give intervals that agree."""

from collections.abc import Mapping

from aiohttp.test_utils import TestClient, TestServer

from gatekit.cluster.result import Slice
from gatekit.domain.gates import EngineName
from gatekit.domain.job import ClientAnswer
from gatekit.engines.counters import Counts
from gatekit.engines.registry import ENGINES
from gatekit.formats.prometheus import read_scrapes
from gatekit.measure.acceptance import measure
from gatekit.measure.confidence import Basis, Interval, ReplayShares, interval
from gatekit.measure.samples import Ends, Samples, increments
from tests.worlds.engine.toy_engine import Toy, ToyEngine
from tests.worlds.engine.toy_law import acceptance_length, with_alpha

RUNS, PROMPTS, TOKENS = 20, 20, 161
LEAST = 17  # of 20; with a true 95 % fewer happen twice in a hundred times
COUNTERS = ENGINES.by_name[EngineName("vllm")].counters


async def scraped(client: TestClient) -> Mapping[str, str]:
    return {"agg-0": await (await client.get("/metrics")).text()}


async def replayed(client: TestClient, k: int, seed: int) -> Interval:
    """One replay, one prompt after another. Prompt n is answered from second 2n to second 2n + 2, and sampled then."""
    before, answers, slices = await scraped(client), [], []
    for prompt in range(PROMPTS):
        asked = {"model": "toy", "prompt": f"prompt {prompt}", "max_tokens": TOKENS, "seed": seed}
        reply = await client.post("/v1/completions", json=asked)
        said = (await reply.json())["choices"][0]["text"]
        answers.append(ClientAnswer(prompt, 2.0 * prompt, 2.0 * prompt + 2.0, len(said)))
        slices.append(Slice(2.0 * prompt + 2.0, "agg-0", (await scraped(client))["agg-0"]))
    ends = Ends(read_scrapes(before), read_scrapes(await scraped(client)))
    counts, samples = measure(ends.before, ends.after, COUNTERS, k), increments(ends, slices, COUNTERS, k)
    assert isinstance(counts, Counts)
    assert isinstance(samples, Samples)
    assert counts.generated == PROMPTS * TOKENS
    return interval(counts, ReplayShares(samples.workers, answers, COUNTERS.at_request_end), k)


async def test_twenty_replays_hold_the_closed_form_about_as_often_as_they_say() -> None:
    held, widths = 0, []
    for run in range(RUNS):
        alpha, k = 0.4 + 0.02 * run, 1 + run % 5
        speculative = {"method": "mtp", "num_speculative_tokens": k}
        toy = Toy(laws=with_alpha(alpha), speculative=speculative)
        async with TestClient(TestServer(ToyEngine(toy).app)) as client:
            sure = await replayed(client, k, run)
        assert sure.basis is Basis.PROMPTS
        held += sure.low <= acceptance_length(alpha, k) <= sure.high
        widths.append(sure.high - sure.low)
    assert held >= LEAST
    assert max(widths) < 0.5  # and not because they hold everything
