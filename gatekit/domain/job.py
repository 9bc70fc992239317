"""What the node program is told, and what it reports: the two JSON files of a run folder."""

from collections.abc import Mapping
from dataclasses import dataclass

from gatekit.domain.collection import Scalar


@dataclass(frozen=True, slots=True)
class Container:
    """`step` and a command behind it: that command in a container. `{scratch}` is the engine's folder on the node."""

    image: str  # as the step names it
    step: tuple[str, ...]
    folder: str  # what the engine's folder is called in the container


@dataclass(frozen=True, slots=True)
class EngineStart:
    """`{port}` in `command` and in the URLs of the job is the port that the node chose."""

    name: str
    command: tuple[str, ...]
    env: tuple[tuple[str, str], ...]
    unset: tuple[str, ...]
    health: str  # path that answers 200 when the engine serves, e.g. /health
    metrics: str  # path of the Prometheus text
    start_seconds: int  # the bound on start-up
    settle_seconds: float  # between the last answer and the second scrape: engines flush their counters late
    files: tuple[tuple[str, str], ...] = ()  # name, text: put into the engine's working folder before it starts
    container: Container | None = None  # None: it runs on the node as it is installed there


@dataclass(frozen=True, slots=True)
class Replay:
    """The collection, for one thinking mode, in the words of the node."""

    prompts: str  # path on the node
    prompts_sha256: str | None
    category: str
    count: int
    turns: str
    endpoint: str
    rendering: str
    output_len: int
    ignore_eos: bool
    concurrency: int
    sampling: Mapping[str, Scalar]  # temperature, top_p, top_k, presence_penalty, seed; only what is passed
    template_kwargs: Mapping[str, Scalar] | None
    thinking_marker: str | None
    seconds: int  # the bound on the replay


@dataclass(frozen=True, slots=True)
class Job:
    """`job.json`: all that the node program needs to run one attempt of one gate."""

    schema: int
    job: str
    gate: str
    attempt: int
    model: str  # the name that requests carry
    checkpoint: str  # what the engine loads: a folder on the node, or a name of the Hugging Face hub
    engine: EngineStart
    replay: Replay
    aiperf: tuple[str, ...]
    tokenizer: str | None  # folder for aiperf; None: the model's own name
    slice_seconds: float  # between two scrapes during the replay
    submitter: str = ""  # whose database knows this job; another one counts its sweeps from 1 as well


@dataclass(frozen=True, slots=True)
class Requests:
    expected: int
    ok: int
    failed: int
    output_tokens: int | None  # that the client got; None: not known
    thinking_marked: int | None  # answers that carry the collection's marker; None: not looked at


@dataclass(frozen=True, slots=True)
class ClientAnswer:
    """One answer that the client got. Seconds since the replay began."""

    prompt: int  # number of the prompt; the answers to its turns share it
    begin: float
    end: float
    tokens: int


@dataclass(frozen=True, slots=True)
class ScrapedWorker:
    role: str
    metrics: str


@dataclass(frozen=True, slots=True)
class Seconds:
    start: float | None
    replay: float | None


@dataclass(frozen=True, slots=True)
class Result:
    """`result.json`, written once, by rename. `outcome` is "replayed" or "failed"; it judges nothing."""

    schema: int
    job: str
    gate: str
    attempt: int
    outcome: str
    reason: str | None
    requests: Requests
    prompts_sha256: str | None
    rendered_sha256: str | None  # of the rendered prompts; None: the endpoint rendered them
    replay: Replay | None  # what was really sent, to hold against the collection
    workers: tuple[ScrapedWorker, ...]
    engine_name: str
    engine_version: str | None
    engine_command: tuple[str, ...]
    aiperf: str | None
    seconds: Seconds
    answers: tuple[ClientAnswer, ...] = ()  # none: not known


@dataclass(frozen=True, slots=True)
class Material:
    """The raw material of one finished attempt, as text. None: the file is not there."""

    result: str | None
    before: Mapping[str, str]  # scrape by worker, e.g. {"agg-0": "..."}
    after: Mapping[str, str]
    slices: str | None  # slices.jsonl
    engine_log: str | None  # the last lines, raw: redact and escape before printing
    job_log: str | None


CANCELLED = "cancelled"  # the node's reason where it was asked to stop
