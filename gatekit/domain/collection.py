"""Everything that a golden curve was measured with. A gate replays exactly this."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

Scalar: TypeAlias = str | int | float | bool | None


class Thinking(StrEnum):
    ON = "on"
    OFF = "off"


class Turns(StrEnum):
    """Which turns of a prompt are sent."""

    FIRST = "first"
    ALL = "all"  # in order, with the live answers as history


class Endpoint(StrEnum):
    CHAT = "/v1/chat/completions"
    COMPLETIONS = "/v1/completions"


class Rendering(StrEnum):
    """Who applies the model's chat template."""

    SERVER = "server"  # messages are posted, the endpoint renders
    CLIENT = "client"  # the prompt is rendered before it is posted


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the target samples in one thinking mode. None: not passed."""

    temperature: float
    top_p: float | None = None
    top_k: int | None = None
    presence_penalty: float | None = None
    seed: int | None = None
    template_kwargs: Mapping[str, Scalar] | None = None
    rendered_sha256: str | None = None  # of the prompts that the client rendered so; None: nobody wrote it down


@dataclass(frozen=True, slots=True)
class Collection:
    """The settings that a curve was collected with."""

    dataset: str
    split: str
    category: str
    prompts: int  # how many, each sent once
    prompts_sha256: str | None  # of the prepared prompt file; None: nobody wrote it down
    turns: Turns
    endpoint: Endpoint
    rendering: Rendering
    output_len: int  # tokens per answer at most
    ignore_eos: bool
    concurrency: int  # of the client, not of the point
    sampling: Mapping[Thinking, Sampling]
    thinking_marker: str | None  # text that a thinking answer carries and another does not; None: not known
    adaptive_verification: bool
    engine: str
    hardware: str
    server: Mapping[str, Scalar] = field(default_factory=dict)  # settings of the collecting server, as recorded
    source: str | None = None  # the run, or the command, that measured it
