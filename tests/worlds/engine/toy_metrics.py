"""vLLM's Prometheus series, for the toy engine: the same names and labels, from the same library."""

import time

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest

from tests.worlds.engine.toy_law import Step

PREFIX = "vllm:"


class Series:
    """The counters of one life of an engine process: one set of series by data-parallel rank."""

    def __init__(self, model: str, ranks: int, positions: int) -> None:
        """`positions` is how many tokens a draft has; 0: no speculation, and then no such series at all."""
        self.registry = CollectorRegistry()
        self._model = model
        start = Gauge(
            "process_start_time_seconds",
            "Start time of the process since unix epoch in seconds.",
            registry=self.registry,
        )
        start.set(time.time())
        self._prompt = self._counter("prompt_tokens", "Number of prefill tokens processed.")
        self._generated = self._counter("generation_tokens", "Number of generation tokens processed.")
        self._finished = self._counter(
            "request_success", "Count of successfully processed requests.", "finished_reason"
        )
        self._drafts = self._drafted = self._accepted = self._position = None
        if positions:
            self._drafts = self._counter("spec_decode_num_drafts", "Number of spec decoding drafts.")
            self._drafted = self._counter("spec_decode_num_draft_tokens", "Number of draft tokens.")
            self._accepted = self._counter("spec_decode_num_accepted_tokens", "Number of accepted tokens.")
            self._position = self._counter(
                "spec_decode_num_accepted_tokens_per_pos", "Accepted tokens per draft position.", "position"
            )
        for rank in range(ranks):
            self._prepare(rank, positions)

    def prompt(self, rank: int, tokens: int) -> None:
        self._of(self._prompt, rank).inc(tokens)

    def generated(self, rank: int, tokens: int) -> None:
        self._of(self._generated, rank).inc(tokens)

    def finished(self, rank: int) -> None:
        self._of(self._finished, rank, finished_reason="length").inc()

    def step(self, rank: int, step: Step) -> None:
        self._of(self._drafts, rank).inc()
        self._of(self._drafted, rank).inc(step.drafted)
        self._of(self._accepted, rank).inc(step.accepted)
        for position in range(step.accepted):
            self._of(self._position, rank, position=str(position)).inc()

    def text(self) -> bytes:
        return generate_latest(self.registry)

    def _counter(self, name: str, words: str, *labels: str) -> Counter:
        return Counter(PREFIX + name, words, ["model_name", "engine", *labels], registry=self.registry)

    def _of(self, counter: Counter, rank: int, **labels: str) -> Counter:
        return counter.labels(model_name=self._model, engine=str(rank), **labels)

    def _prepare(self, rank: int, positions: int) -> None:
        """A series stands at 0 before anything happens, as vLLM has it."""
        for counter in (self._prompt, self._generated, self._drafts, self._drafted, self._accepted):
            if counter is not None:
                self._of(counter, rank)
        self._of(self._finished, rank, finished_reason="length")
        for position in range(positions):
            self._of(self._position, rank, position=str(position))
