"""job.json as values. Whatever is odd about it becomes one sentence."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping

from bot.node.checked import Part
from bot.node.failures import Failed

SCHEMA = 1
CHAT, COMPLETIONS = "/v1/chat/completions", "/v1/completions"
FIRST, ALL = "first", "all"
SERVER, CLIENT = "server", "client"
SAMPLING = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "presence_penalty",
    "frequency_penalty",
    "repetition_penalty",
    "seed",
)
MAX_BYTES = 1 << 20

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class Container:
    """`step` and a command behind it: that command in a container. `{scratch}` stands for the engine's folder here."""

    image: str
    step: tuple[str, ...]
    folder: str  # what that folder is called in the container


@dataclass(frozen=True)
class EngineStart:
    """`{port}` stands for the port that is chosen here."""

    name: str
    command: tuple[str, ...]
    env: Mapping[str, str]
    unset: tuple[str, ...]
    health: str
    metrics: str
    start_seconds: float
    settle_seconds: float
    files: Mapping[str, str]  # name -> text, for the engine's working folder
    container: Container | None  # None: it runs here as it is installed


@dataclass(frozen=True)
class Replay:
    prompts: str
    prompts_sha256: str | None
    category: str
    count: int
    turns: str
    endpoint: str
    rendering: str
    output_len: int
    ignore_eos: bool
    concurrency: int
    sampling: Mapping[str, Any]
    template_kwargs: Mapping[str, Any] | None
    thinking_marker: str | None
    seconds: float


@dataclass(frozen=True)
class Job:
    job: str
    gate: str
    attempt: int
    model: str
    checkpoint: str  # what the engine loads: a folder here, or a name of the Hugging Face hub
    engine: EngineStart
    replay: Replay
    aiperf: tuple[str, ...]
    tokenizer: str | None
    slice_seconds: float


def read_job(path: Path) -> Job:
    """The job of a run folder. Raises Failed with one sentence."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        data = json.loads(raw) if len(raw) <= MAX_BYTES else None
    except (OSError, ValueError, RecursionError) as error:
        raise Failed(f"job.json cannot be read: {getattr(error, 'strerror', None) or 'it is no JSON'}") from None
    if data is None:
        raise Failed(f"job.json holds nothing, or more than {MAX_BYTES} bytes")
    top = Part(data, "")
    if top.get("schema", int) != SCHEMA:
        raise Failed(f"job.json has schema {data['schema']!r}, and this program reads {SCHEMA}: copy the matching one")
    if not _NAME.fullmatch(top.get("job", str)):
        raise Failed("job.json: job is no name that a job can have")
    return Job(
        job=top.get("job", str),
        gate=top.get("gate", str),
        attempt=top.positive("attempt", int),
        model=top.get("model", str),
        checkpoint=top.get("checkpoint", str),
        engine=_engine(top.part("engine")),
        replay=_replay(top.part("replay")),
        aiperf=top.texts("aiperf", some=True),
        tokenizer=top.get("tokenizer", str, optional=True),
        slice_seconds=top.positive("slice_seconds", float),
    )


def _engine(part: Part) -> EngineStart:
    return EngineStart(
        name=part.get("name", str),
        command=part.texts("command", some=True),
        env=part.pairs("env"),
        unset=part.texts("unset"),
        health=part.get("health", str),
        metrics=part.get("metrics", str),
        start_seconds=part.positive("start_seconds", float),
        settle_seconds=part.positive("settle_seconds", float, zero=True),
        files=_files(part.pairs("files", optional=True)),
        container=_container(part),
    )


def _container(part: Part) -> Container | None:
    if not part.has("container"):
        return None
    found = part.part("container")
    return Container(found.get("image", str), found.texts("step", some=True), found.get("folder", str))


def _files(found: Mapping[str, str]) -> Mapping[str, str]:
    for name in found:
        if not _NAME.fullmatch(name):
            raise Failed(f"job.json: {name!r} in engine.files is no plain file name")
    return found


def _replay(part: Part) -> Replay:
    return Replay(
        prompts=part.get("prompts", str),
        prompts_sha256=part.get("prompts_sha256", str, optional=True),
        category=part.get("category", str),
        count=part.positive("count", int),
        turns=part.one_of("turns", (FIRST, ALL)),
        endpoint=part.one_of("endpoint", (CHAT, COMPLETIONS)),
        rendering=part.one_of("rendering", (SERVER, CLIENT)),
        output_len=part.positive("output_len", int),
        ignore_eos=part.get("ignore_eos", bool),
        concurrency=part.positive("concurrency", int),
        sampling=part.numbers("sampling", SAMPLING),
        template_kwargs=part.get("template_kwargs", dict, optional=True),
        thinking_marker=part.get("thinking_marker", str, optional=True) or None,
        seconds=part.positive("seconds", float),
    )
