"""The files of a run folder, as the node program wrote them: parsed strictly, for they come from a foreign machine."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from gatekit.domain.errors import BadInput
from gatekit.domain.job import ClientAnswer, Replay, Requests, Result, ScrapedWorker, Seconds
from gatekit.formats.validation import plain_words

SCHEMA = 1
REPLAYED = "replayed"
LONE_WORKER = "engine"  # the name of the worker in a scrape without section heads

MAX_RESULT = 1024 * 1024  # characters
MAX_SLICES = 64 * 1024 * 1024
_HEAD = re.compile(r"# worker (?P<name>[A-Za-z0-9._-]{1,64})(?: (?P<url>\S+))?\s*")
_STRICT = ConfigDict(strict=True, allow_inf_nan=False, extra="ignore")  # a newer node may say more

_Count = Annotated[int, Field(ge=0)]
_Text = Annotated[str, Field(max_length=4096)]


class _Requests(BaseModel):
    model_config = _STRICT
    expected: _Count
    ok: _Count
    failed: _Count
    output_tokens: _Count | None
    thinking_marked: _Count | None = None


class _Engine(BaseModel):
    model_config = _STRICT
    name: _Text
    version: _Text | None
    command: Annotated[tuple[str, ...], Field(max_length=4096)]


class _Worker(BaseModel):
    model_config = _STRICT
    role: _Text
    metrics: _Text


class _Seconds(BaseModel):
    model_config = _STRICT
    start: float | None = None
    replay: float | None = None


class _Replay(BaseModel):
    """The fields of `job.Replay`, as JSON."""

    model_config = _STRICT
    prompts: _Text
    prompts_sha256: _Text | None
    category: _Text
    count: _Count
    turns: _Text
    endpoint: _Text
    rendering: _Text
    output_len: _Count
    ignore_eos: bool
    concurrency: _Count
    sampling: dict[str, str | int | float | bool | None]
    template_kwargs: dict[str, str | int | float | bool | None] | None
    thinking_marker: _Text | None
    seconds: float


_Answer = tuple[_Count, float, float, _Count]  # prompt, begin, end, tokens


class _Result(BaseModel):
    model_config = _STRICT
    schema_: Literal[1] = Field(alias="schema")
    job: _Text
    gate: _Text
    attempt: _Count
    outcome: Literal["replayed", "failed"]
    reason: str | None
    requests: _Requests
    prompts_sha256: _Text | None
    rendered_sha256: _Text | None = None
    replay: _Replay | None = None
    workers: Annotated[tuple[_Worker, ...], Field(max_length=4096)]
    engine: _Engine
    aiperf: _Text | None
    seconds: _Seconds
    answers: Annotated[tuple[_Answer, ...], Field(max_length=8192)] = ()


@dataclass(frozen=True, slots=True)
class Slice:
    """One scrape during the replay: only the acceptance and token counters."""

    seconds: float  # since the replay began
    worker: str
    text: str


class _Slice(BaseModel):
    model_config = _STRICT
    t: float
    worker: _Text
    text: str


_RESULT = TypeAdapter(_Result)
_SLICE = TypeAdapter(_Slice)


def parse_result(text: str) -> Result:
    """Reads result.json. Raises BadInput that names the field; keys that we do not know are passed over."""
    if len(text) > MAX_RESULT:
        raise BadInput("result.json", f"is longer than {MAX_RESULT:,} characters")
    try:
        read = _RESULT.validate_json(text)
    except ValidationError as error:
        raise BadInput("result.json", _first(error)) from error
    except UnicodeError as error:  # half a surrogate pair
        raise BadInput("result.json", "is not valid Unicode text") from error
    return Result(
        schema=read.schema_,
        job=read.job,
        gate=read.gate,
        attempt=read.attempt,
        outcome=read.outcome,
        reason=read.reason,
        requests=Requests(**dict(read.requests)),
        prompts_sha256=read.prompts_sha256,
        rendered_sha256=read.rendered_sha256,
        replay=None if read.replay is None else Replay(**{**dict(read.replay), "seconds": int(read.replay.seconds)}),
        workers=tuple(ScrapedWorker(worker.role, worker.metrics) for worker in read.workers),
        engine_name=read.engine.name,
        engine_version=read.engine.version,
        engine_command=read.engine.command,
        aiperf=read.aiperf,
        seconds=Seconds(read.seconds.start, read.seconds.replay),
        answers=tuple(ClientAnswer(*answer) for answer in read.answers),
    )


def split_workers(text: str) -> Mapping[str, str]:
    """before.prom or after.prom → scrape by worker. A text without section heads is the scrape of one worker."""
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    loose = current
    for number, line in enumerate(text.split("\n"), 1):
        head = _HEAD.fullmatch(line)
        if head is None:
            current.append(line)
        elif head["name"] in sections:
            raise BadInput(f"scrapes:{number}", f"worker {head['name']} has two sections")
        else:
            current = sections[head["name"]] = []
    if any(line.strip() for line in loose):
        if sections:
            raise BadInput("scrapes:1", "text stands before the first `# worker` line")
        return {LONE_WORKER: text}
    return {name: "\n".join(lines) for name, lines in sections.items()}


def read_slices(text: str) -> tuple[Slice, ...]:
    """slices.jsonl in the order in which it was written. Raises BadInput with the line that cannot be read."""
    if len(text) > MAX_SLICES:
        raise BadInput("slices.jsonl", f"is longer than {MAX_SLICES:,} characters")
    slices = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            read = _SLICE.validate_json(line)
        except (ValidationError, UnicodeError) as error:
            problem = _first(error) if isinstance(error, ValidationError) else "is not valid Unicode text"
            raise BadInput(f"slices.jsonl:{number}", problem) from error
        slices.append(Slice(read.t, read.worker, read.text))
    return tuple(slices)


def _first(error: ValidationError) -> str:
    """The first complaint, without the value that it is about: that came from outside."""
    details = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in details["loc"])
    return f"{place} {plain_words(details)}" if place else plain_words(details)
