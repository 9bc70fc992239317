"""The toy engine as an SGLang: its command line, its routes for tokens, and counters that move when a request ends.

usage: python run.py toy_sglang [--target-law 0.5,0.3,0.2 --draft-law …] --model-path MODEL --port P
         --speculative-num-steps 3
"""

import argparse
import asyncio
import sys

from aiohttp import web
from prometheus_client import CollectorRegistry, Counter, generate_latest

from tests.worlds.engine.toy_engine import Toy, ToyEngine, answers, law
from tests.worlds.engine.toy_law import Laws, uniform
from tests.worlds.engine.toy_openai import Ask, answer

VERSION = "0.5.12"


class Series:
    """The counters that its AL is computed from: verification steps, generated tokens, requests."""

    def __init__(self, model: str) -> None:
        self.registry = CollectorRegistry()
        self._model = model
        self._steps, self._generated, self._requests = (
            Counter(f"sglang:{name}", name, ["model_name"], registry=self.registry)
            for name in ("spec_verify_calls", "generation_tokens", "num_requests")
        )

    def ended(self, steps: int, generated: int) -> None:
        """A labelled series is there from its first request on."""
        for counter, amount in ((self._steps, steps), (self._generated, generated), (self._requests, 1)):
            counter.labels(self._model).inc(amount)

    def prompt(self, rank: int, tokens: int) -> None:
        """Not looked at by anybody."""

    def text(self) -> bytes:
        return generate_latest(self.registry)


class ToySglang(ToyEngine):
    def __init__(self, toy: Toy) -> None:
        super().__init__(toy)
        self.app.add_routes([web.get("/get_server_info", self.version)])

    async def version(self, _: web.Request) -> web.Response:
        return answer({"version": VERSION})

    async def detokenize(self, request: web.Request) -> web.Response:
        """Special tokens, of which the toy has none, stay where that is asked for only."""
        body = await request.json()
        assert body["skip_special_tokens"] is False
        return answer({"text": "".join(map(chr, body["tokens"]))})

    async def _say(self, ask: Ask, rank: int):
        steps = said = 0
        for step, text in answers(self.toy, ask, ""):
            await asyncio.sleep(self.toy.pace)
            steps += step is not None
            said += len(text)
            yield text
        self.series.ended(steps, said)

    def _new_series(self) -> Series:
        return Series(self.toy.model)


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="toy_sglang", allow_abbrev=False)
    add = parser.add_argument
    add("--target-law", type=law, default=uniform(4))
    add("--draft-law", type=law)
    add("--model-path", required=True)
    add("--speculative-num-steps", type=int, required=True)
    add("--host", default="127.0.0.1")
    add("--port", type=int, default=30000)
    given, _ = parser.parse_known_args(argv)
    laws = Laws(given.target_law, given.draft_law or given.target_law)
    drafting = {"num_speculative_tokens": given.speculative_num_steps}
    # an answer's first token comes before any verification, so nothing but a token may stand there
    toy = Toy(given.model_path, laws, drafting, marker="")
    web.run_app(ToySglang(toy).app, host=given.host, port=given.port, print=None, access_log=None, shutdown_timeout=1)


if __name__ == "__main__":
    main(sys.argv[1:])
