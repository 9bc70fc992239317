"""An engine with vLLM's command line, routes and counters that says letters by stated laws, so that its AL is known.

usage: python run.py toy_engine [--target-law 0.5,0.3,0.2 --draft-law …] [faults] serve MODEL --port P
         --speculative-config '{"num_speculative_tokens": 3}'

One token is one character. The first token of an answer is the target's; then come drafts until `max_tokens`. Answers
hang on the seed and the prompt only, not on the order of requests. Temperature is ignored: the laws are the sampling.
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from aiohttp import web

from tests.worlds.engine.toy_law import Laws, Sampler, Step, forced_rates, uniform
from tests.worlds.engine.toy_metrics import Series
from tests.worlds.engine.toy_openai import (
    THINKING_LINE,
    Ask,
    answer,
    ask_of,
    chunk,
    frame,
    prompt_of,
    refuse,
    send,
    usage,
    whole,
)

VERSION = "0.32.0"


@dataclass(frozen=True, slots=True)
class Faults:
    """What goes wrong, counted in requests. None or 0: nothing."""

    restart_after: int | None = None  # the counters begin anew
    foreign: int = 0  # so many requests bring one of somebody else's along
    die_after: int | None = None
    never_healthy: bool = False
    overdraft: int = 0  # tokens more than K in every draft
    thinking: str = "obey"  # the template argument; or: always, never


@dataclass(frozen=True, slots=True)
class Toy:
    """`speculative` is vLLM's own JSON; None: no drafts."""

    model: str = "toy"
    laws: Laws = field(default_factory=lambda: Laws(uniform(4), uniform(4)))
    speculative: Mapping[str, object] | None = None
    seed: int = 0
    ranks: int = 1
    max_model_len: int = 16384
    marker: str = "</think>"  # what a thinking answer carries
    pace: float = 0.0  # seconds per step
    faults: Faults = field(default_factory=Faults)

    @property
    def k(self) -> int:
        return 0 if self.speculative is None else int(self.speculative["num_speculative_tokens"])

    @property
    def rates(self) -> tuple[float, ...] | None:
        """Of forced acceptance; None: drafts are really verified."""
        config = self.speculative or {}
        if config.get("rejection_sample_method") != "synthetic":
            return None
        if "synthetic_acceptance_rates" in config:
            return tuple(config["synthetic_acceptance_rates"])
        return forced_rates(float(config["synthetic_acceptance_length"]), self.k)


class ToyEngine:
    """The routes, and the state behind them: how many requests came, and the counters of this life."""

    def __init__(self, toy: Toy) -> None:
        self.toy = toy
        self.requests = 0
        self.series = self._new_series()
        self.app = web.Application(client_max_size=2**24)
        self.app.add_routes(
            [
                web.get("/health", self.health),
                web.get("/metrics", self.metrics),
                web.get("/version", self.version),
                web.get("/v1/models", self.models),
                web.post("/v1/chat/completions", self.complete),
                web.post("/v1/completions", self.complete),
                web.post("/tokenize", self.tokenize),
                web.post("/detokenize", self.detokenize),
            ]
        )

    async def health(self, _: web.Request) -> web.Response:
        return web.Response(status=503 if self.toy.faults.never_healthy else 200)

    async def metrics(self, _: web.Request) -> web.Response:
        return web.Response(body=self.series.text(), content_type="text/plain")

    async def version(self, _: web.Request) -> web.Response:
        return answer({"version": VERSION})

    async def models(self, _: web.Request) -> web.Response:
        return answer({"object": "list", "data": [{"id": self.toy.model, "object": "model"}]})

    async def tokenize(self, request: web.Request) -> web.Response:
        body = await request.json()
        tokens = [ord(letter) for letter in prompt_of(body)]
        return answer({"count": len(tokens), "max_model_len": self.toy.max_model_len, "tokens": tokens})

    async def detokenize(self, request: web.Request) -> web.Response:
        return answer({"prompt": "".join(map(chr, (await request.json())["tokens"]))})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        if body.get("model") != self.toy.model:
            return refuse(404, f"The model `{body.get('model')}` does not exist.")
        ask = ask_of(body, chat=request.path.endswith("/chat/completions"))
        if len(ask.prompt) + ask.tokens > self.toy.max_model_len:
            return refuse(400, f"at most {self.toy.max_model_len} tokens fit, prompt and answer together")
        rank = self._arrived(ask)
        if ask.stream:
            return await self._stream(request, ask, rank)
        return whole(ask, self.toy.model, "".join([piece async for piece in self._say(ask, rank)]))

    def _arrived(self, ask: Ask) -> int:
        """Counts the request, lets the faults of its number happen, and says which rank takes it."""
        faults, number = self.toy.faults, self.requests
        self.requests += 1
        if number == faults.die_after:
            os._exit(1)
        if number == faults.restart_after:
            self.series = self._new_series()
        rank = number % self.toy.ranks
        if number < faults.foreign:
            for step, text in answers(self.toy, ask, f"foreign {number}"):
                self._count(rank, step, text)
        self.series.prompt(rank, len(ask.prompt))
        return rank

    async def _say(self, ask: Ask, rank: int):
        for step, text in answers(self.toy, ask, ""):
            await asyncio.sleep(self.toy.pace)
            self._count(rank, step, text)
            yield text
        self.series.finished(rank)

    def _count(self, rank: int, step: Step | None, text: str) -> None:
        if step is not None:
            self.series.step(rank, step)
        self.series.generated(rank, len(text))

    async def _stream(self, request: web.Request, ask: Ask, rank: int) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        said = 0
        async for piece in self._say(ask, rank):
            said += len(piece)
            await send(response, chunk(ask, self.toy.model, piece, "length" if said == ask.tokens else None))
        if ask.usage:
            await send(response, frame(ask, self.toy.model, []) | {"usage": usage(ask, said)})
        await response.write(b"data: [DONE]\n\n")
        return response

    def _new_series(self) -> Series:
        positions = self.toy.k + self.toy.faults.overdraft if self.toy.k else 0
        return Series(self.toy.model, self.toy.ranks, positions)


def answers(toy: Toy, ask: Ask, who: str) -> Iterator[tuple[Step | None, str]]:
    """The pieces of one answer, `ask.tokens` characters in all, each with the verification that it came from."""
    sampler = Sampler(toy.laws, f"{toy.seed}/{ask.seed}/{who}/{ask.prompt}")
    thinks = ask.prompt.endswith(THINKING_LINE) if toy.faults.thinking == "obey" else toy.faults.thinking == "always"
    first = ((toy.marker if thinks else "") + sampler.say())[: ask.tokens]
    yield None, first
    left = ask.tokens - len(first)
    while left:
        step = next_step(toy, sampler)
        text = (sampler.say() if step is None else step.text)[:left]
        yield step, text
        left -= len(text)


def next_step(toy: Toy, sampler: Sampler) -> Step | None:
    if not toy.k:
        return None
    extra = toy.faults.overdraft
    if toy.rates is not None:
        return sampler.forced((*toy.rates, *[0.0] * extra))
    return sampler.verified(toy.k + extra)


def law(text: str) -> tuple[float, ...]:
    return tuple(float(word) for word in text.split(","))


def parse(argv: list[str]) -> tuple[Toy, str, int]:
    """The engine, and the address that it serves at. Flags of vLLM that the toy has no use for are passed over."""
    parser = argparse.ArgumentParser(prog="toy_engine", allow_abbrev=False)
    add = parser.add_argument
    add("--target-law", type=law, default=uniform(4))
    add("--draft-law", type=law)
    add("--pace", type=float, default=0.0)
    add("--marker", default="</think>")
    add("--restart-after", type=int)
    add("--foreign", type=int, default=0)
    add("--die-after", type=int)
    add("--never-healthy", action="store_true")
    add("--overdraft", type=int, default=0)
    add("--thinking", choices=("obey", "always", "never"), default="obey")
    serve = parser.add_subparsers(required=True).add_parser("serve", allow_abbrev=False)
    add = serve.add_argument
    add("model")
    add("--served-model-name")
    add("--host", default="127.0.0.1")
    add("--port", type=int, default=8000)
    add("--seed", type=int, default=0)
    add("--max-model-len", type=int, default=16384)
    add("--data-parallel-size", "-dp", type=int, default=1)
    add("--speculative-config", "-sc", type=json.loads)
    given, _ = parser.parse_known_args(argv)
    names = Faults.__dataclass_fields__
    toy = Toy(
        given.served_model_name or given.model,
        Laws(given.target_law, given.draft_law or given.target_law),
        given.speculative_config,
        given.seed,
        given.data_parallel_size,
        given.max_model_len,
        given.marker,
        given.pace,
        Faults(**{name: getattr(given, name) for name in names}),
    )
    return toy, given.host, given.port


def main(argv: list[str]) -> None:
    toy, host, port = parse(argv)
    web.run_app(ToyEngine(toy).app, host=host, port=port, print=None, access_log=None, shutdown_timeout=1)


if __name__ == "__main__":
    main(sys.argv[1:])
