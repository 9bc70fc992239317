"""aiperf: one run over the request file, with the engine watched meanwhile."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator, Mapping

from bot.node import exports, logs, processes
from bot.node.engine import Engine
from bot.node.failures import EngineFailed, Failed
from bot.node.jobfile import CHAT, Job
from bot.node.requestfile import RequestFile
from bot.node.stop import Stop

POLL_SECONDS = 0.3
TELL_SECONDS = 10.0  # between two lines of progress
FLUSH_SECONDS = 120.0  # what aiperf may take beyond the bound of the requests: loading, and writing its report
CONSOLE = "console.txt"
FOLDER_CHARS = 65  # a socket's path has at most 107 bytes, and aiperf puts up to 40 behind ours
COPY_FILE_BYTES = 16 << 20
COPY_BYTES = 64 << 20


@dataclass(frozen=True)
class Place:
    """Where aiperf works: folders outside of every workspace, and what it inherits."""

    folder: Path
    out: Path
    env: Mapping[str, str]


@dataclass(frozen=True)
class Client:
    """A started aiperf. `total` requests, within `bound` seconds."""

    process: subprocess.Popen[bytes]
    place: Place
    total: int
    bound: float


def command(job: Job, base: str, requests: RequestFile, out: Path) -> list[str]:
    """The whole command line. No setting of a request stands here: they are all in the request file."""
    replay = job.replay
    count = ["--request-count", str(requests.count)]
    if requests.dataset == "multi_turn":
        count = ["--num-conversations", str(requests.conversations)]
    return [
        *job.aiperf, "profile",
        "--model", job.model,
        "--url", base,
        "--endpoint-type", "chat" if replay.endpoint == CHAT else "completions",
        "--input-file", str(requests.path),
        "--custom-dataset-type", requests.dataset,
        "--dataset-sampling-strategy", "sequential",
        *count,
        "--concurrency", str(replay.concurrency),
        *(["--tokenizer", job.tokenizer] if job.tokenizer is not None else []),
        "--use-server-token-count",
        "--use-legacy-max-tokens",
        "--connection-reuse-strategy", "never",  # some engines close idle connections under a client's feet
        "--request-timeout-seconds", f"{replay.seconds:g}",
        "--workers-max", "1",  # one worker sends in file order at any concurrency
        "--record-processor-service-count", "1",
        "--export-level", "raw" if replay.thinking_marker else "records",
        "--no-server-metrics",  # we scrape ourselves
        "--no-gpu-telemetry",
        "--zmq-ipc-path", str(out.parent / "z"),
        "--ui", "none",
        "--output-artifact-dir", str(out),
    ]  # fmt: skip


def start(job: Job, engine: Engine, requests: RequestFile, place: Place) -> Client:
    place.out.mkdir(parents=True, exist_ok=True)
    if len(str(place.folder)) > FOLDER_CHARS:
        raise Failed(
            f"TMPDIR is too long for the sockets of aiperf: {place.folder} has more than {FOLDER_CHARS} characters"
        )
    if shutil.which(job.aiperf[0], path=place.env["PATH"]) is None:
        raise Failed(f"aiperf cannot be started: {job.aiperf[0]} is no program here")
    with (place.folder / CONSOLE).open("wb") as console:
        argv = command(job, engine.base, requests, place.out)
        process = processes.spawn(argv, place.env, str(place.folder), console.fileno())
    return Client(process, place, requests.count, job.replay.seconds)


def wait(client: Client, engine: Engine, stop: Stop, log: Callable[[str], None]) -> None:
    """Waits for aiperf's end. Raises Failed where the engine ends first, the bound passes, or aiperf fails."""
    began, told, before = time.monotonic(), 0.0, -1
    while client.process.poll() is None:
        _engine_lives(engine)
        seconds = time.monotonic() - began
        if seconds > client.bound + FLUSH_SECONDS:
            raise Failed(f"the replay did not end within {client.bound:g} s")
        if seconds - told >= TELL_SECONDS:
            told, done = seconds, exports.progress(client.place.out)
            if done != before:
                log(f"replayed {done} of {client.total}")
            before = done
        stop.wait(POLL_SECONDS)
    _engine_lives(engine)
    if client.process.returncode != 0:
        said = logs.first_error(client.place.folder / CONSOLE) or "it named no error"
        raise Failed(f"aiperf ended with exit code {client.process.returncode}: {said[:300]}")


def _engine_lives(engine: Engine) -> None:
    how = engine.ended()
    if how is not None:
        raise EngineFailed(f"the engine {how} during the replay, see engine.log")


def keep(place: Place, target: Path, log: Callable[[str], None]) -> None:
    """Copies aiperf's exports into the run folder, small files first, up to a bound. Never raises for a file."""
    target.mkdir(exist_ok=True)
    found = sorted((_size(path), path) for path in [place.folder / CONSOLE, *_files(place.out)])
    total = 0
    for size, path in found:
        total += size
        if size > COPY_FILE_BYTES or total > COPY_BYTES:
            log(f"aiperf's {path.name} was not kept: it has {size} bytes")
            continue
        try:
            shutil.copyfile(path, target / path.name)
        except OSError as error:
            log(f"aiperf's {path.name} was not kept: {error.strerror}")


def _files(folder: Path) -> Iterator[Path]:
    """Every file below a folder that aiperf may still be writing to."""
    for parent, _, names in os.walk(folder):
        yield from (Path(parent) / name for name in names)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
