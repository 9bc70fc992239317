"""One attempt from the prompts to the second scrape. Whatever it starts or makes is gone when it returns or raises."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator

from bot.node import container, exports, processes, prompts, rendering, replay, report, requestfile, scrapes
from bot.node import engine as engines
from bot.node.engine import Engine
from bot.node.failures import EngineFailed, Failed
from bot.node.jobfile import Job
from bot.node.logs import Pump
from bot.node.report import Known
from bot.node.stop import Stop

PUMP_SECONDS = 5.0  # for the last output of an engine that has ended
ROLE = "agg"  # one engine that does everything


@dataclass(frozen=True)
class Attempt:
    job: Job
    folder: Path  # the run folder: the engine never learns of it
    mark: str  # of the job, in the environment of all that we start
    known: Known
    stop: Stop
    log: Callable[[str], None]


def run(attempt: Attempt) -> None:
    """Fills `attempt.known` and the run folder. Raises Failed with the reason."""
    job, known = attempt.job, attempt.known
    data, known.prompts_sha256 = prompts.digest(Path(job.replay.prompts))
    prompts.check(known.prompts_sha256, job.replay.prompts_sha256)
    chosen = prompts.select(data, job.replay)
    requestfile.check(job.replay, chosen)
    with _room(attempt) as room:
        found = rendering.by_template(job, chosen, room.place, attempt.stop)
        engine = _engine(attempt, room)
        known.engine_version = engines.version(engine, job.engine.name)
        texts = rendering.texts(job, chosen, found, engine.url, attempt.stop)
        if texts is not None:
            known.rendered_sha256 = rendering.digest(texts)
            attempt.log(f"prompts rendered by {found.who}, digest {known.rendered_sha256}")
        requests = requestfile.write(job, chosen, texts, attempt.folder / "requests.jsonl")
        known.expected = requests.count
        known.workers = (scrapes.Worker(f"{ROLE}-0", ROLE, engine.url(job.engine.metrics)),)
        _scrape(attempt, engine, "before.prom")
        _replay(attempt, engine, requests, room.place)
        attempt.stop.wait(job.engine.settle_seconds)
        _scrape(attempt, engine, "after.prom")


@dataclass(frozen=True)
class _Room:
    """Folders of our own, outside of every workspace, and the threads that carry the engine's output."""

    engine: Path
    place: replay.Place  # of the client
    pumps: list[Pump]


@contextmanager
def _room(attempt: Attempt) -> Iterator[_Room]:
    """Where engine and aiperf live. At the end every process of the job ends, and the folders go."""
    scratch = Path(tempfile.mkdtemp(prefix="gk-"))
    client = scratch / "client"
    place = replay.Place(client, client / "out", engines.environment(os.environ, attempt.mark, client))
    room = _Room(scratch / "engine", place, [])
    try:
        room.engine.mkdir()
        client.mkdir()
        yield room
    finally:
        left = processes.end_all(attempt.mark)
        if left:
            attempt.log(f"processes that could not be ended: {', '.join(map(str, sorted(left)))}")
        for pump in room.pumps:
            pump.join(PUMP_SECONDS)
        shutil.rmtree(scratch, ignore_errors=True)
        if scratch.exists():
            attempt.log(f"{scratch} could not be removed")


def _engine(attempt: Attempt, room: _Room) -> Engine:
    """A healthy engine. Where another program took its port meanwhile, it is started once more on another."""
    job = attempt.job
    how = _start(attempt, room.engine)
    last = False
    while True:
        engine = engines.start(job, how, room.engine, attempt.folder / "engine.log")
        room.pumps.append(engine.pump)
        attempt.known.engine_command = engine.command
        try:
            attempt.known.start_seconds = round(engines.wait_until_healthy(engine, job.engine, attempt.stop), 3)
        except EngineFailed:
            if last or engine.ended() is None or not engines.port_was_taken(engine):
                raise
            attempt.log(f"port {engine.port} was taken by another program, so the engine is started once more")
            last = True
            continue
        attempt.log(f"engine answers after {attempt.known.start_seconds:.1f} s")
        return engine


def _start(attempt: Attempt, scratch: Path) -> engines.Start:
    job, found = attempt.job, attempt.job.engine.container
    if found is None:
        return engines.bare(os.environ, job, attempt.mark, scratch)
    attempt.log(f"the engine runs in a container from {found.image}")
    return container.contained(found, os.environ, job, attempt.mark, scratch)


def _scrape(attempt: Attempt, engine: Engine, name: str) -> None:
    workers = attempt.known.workers
    try:
        texts = scrapes.settled(workers, attempt.stop, attempt.log)
    except Failed:
        how = engine.ended()
        if how is None:
            raise
        raise EngineFailed(f"the engine {how} beside the replay, see engine.log") from None
    report.write(attempt.folder / name, scrapes.sections(workers, texts))


def _replay(attempt: Attempt, engine: Engine, requests: requestfile.RequestFile, place: replay.Place) -> None:
    job, known = attempt.job, attempt.known
    client = replay.start(job, engine, requests, place)
    slices = scrapes.Slices(known.workers, job.slice_seconds, attempt.folder / "slices.jsonl", attempt.log)
    known.replay_began = slices.began
    slices.start()
    began = time.monotonic()
    try:
        replay.wait(client, engine, attempt.stop, attempt.log)
        known.counts = exports.read(place.out, job.replay.thinking_marker)
        known.replayed = True
    finally:
        slices.close()
        known.replay_seconds = round(time.monotonic() - began, 3)
        replay.keep(place, attempt.folder / "aiperf", attempt.log)
    attempt.log(f"replayed {known.counts.ok} of {requests.count}")
    for error in known.counts.errors:
        attempt.log(f"a request failed: {error}")
