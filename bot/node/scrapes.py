"""The workers' metrics, raw: before, during and after the replay."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Sequence

from bot.node import web
from bot.node.failures import Failed
from bot.node.stop import Stop

# Acceptance and token counters, by part of the name: slices keep them, and a scrape counts when they stand still.
KEPT = (
    "spec_decode", "spec_verify_calls", "mtp_", "generation_tokens", "tokens_predicted", "num_requests_total",
    "request_success", "process_start_time",
)  # fmt: skip
AGREE_GAP_SECONDS = 0.5  # between two scrapes that must agree
AGREE_BOUND_SECONDS = 30.0
HEAD = "# worker "


@dataclass(frozen=True)
class Worker:
    """A process that generates tokens. `name` is its role and number, e.g. agg-0."""

    name: str
    role: str
    url: str


def scrape(worker: Worker) -> str:
    """The worker's Prometheus text. Raises Failed with one sentence."""
    try:
        status, raw = web.fetch(worker.url)
    except web.NoAnswer as error:
        raise Failed(f"worker {worker.name} did not give its metrics at {worker.url} ({error})") from None
    if status != 200:
        raise Failed(f"worker {worker.name} answered {status} at {worker.url}: its metrics must be switched on")
    return raw.decode("utf-8", "replace").replace("\r\n", "\n")


def kept(text: str) -> str:
    """The lines of a scrape whose series the judge counts."""
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return "".join(f"{line}\n" for line in lines if any(part in line.partition("{")[0] for part in KEPT))


def settled(workers: Sequence[Worker], stop: Stop, log: Callable[[str], None]) -> dict[str, str]:
    """Scrape by worker's name, taken when two scrapes in a row agree on the counters, or after a bound."""
    end = time.monotonic() + AGREE_BOUND_SECONDS
    last = {worker.name: scrape(worker) for worker in workers}
    while True:
        stop.wait(AGREE_GAP_SECONDS)
        now = {worker.name: scrape(worker) for worker in workers}
        if all(kept(now[name]) == kept(last[name]) for name in now):
            return now
        if time.monotonic() > end:
            log(f"the counters still moved after {AGREE_BOUND_SECONDS:g} s without a request of ours")
            return now
        last = now


def sections(workers: Sequence[Worker], texts: dict[str, str]) -> str:
    """One file for all workers: a head line for each, then its scrape."""
    parts = []
    for worker in workers:
        lines = [line for line in texts[worker.name].splitlines() if not line.startswith(HEAD)]
        parts.append("\n".join([f"{HEAD}{worker.name} {worker.url}", *lines, ""]))
    return "".join(parts)


class Slices(threading.Thread):
    """Writes the kept lines of every worker again and again until it is closed.

    One JSON object a line: `t`, seconds since the replay began; `worker`; `text`.
    """

    def __init__(self, workers: Sequence[Worker], every: float, path: Path, log: Callable[[str], None]) -> None:
        super().__init__(daemon=True)
        self._workers = workers
        self._every = every
        self._path = path
        self._log = log
        self._closed = threading.Event()
        self._began = time.monotonic()
        self.began = time.time()

    def run(self) -> None:
        missed = False
        with self._path.open("w", encoding="utf-8") as file:
            while not self._closed.wait(self._every):
                for worker in self._workers:
                    try:
                        text = kept(scrape(worker))
                    except Failed as error:
                        if not missed:
                            self._log(f"a slice is missing: {error}")
                        missed = True
                        continue
                    seconds = round(time.monotonic() - self._began, 3)
                    file.write(json.dumps({"t": seconds, "worker": worker.name, "text": text}) + "\n")
                    file.flush()

    def close(self) -> None:
        self._closed.set()
        self.join(web.SECONDS * (len(self._workers) + 1))
