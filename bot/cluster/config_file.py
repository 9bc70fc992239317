"""The shape of a `[clusters.NAME]` section. Unknown keys are refused; nothing is converted."""

import re
from pathlib import PurePosixPath
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from gatekit.cluster.job import FOLDER
from gatekit.engines.registry import ENGINES

# What may be added to the bot's own words for sbatch: where and how a job is placed, never what it is.
_OPTION = re.compile(
    r"--(exclusive|oversubscribe|overcommit|contiguous"
    r"|(mem|mem-per-cpu|mem-per-gpu|cpus-per-task|cpus-per-gpu|gpus-per-node|gpu-bind|cores-per-socket|sockets-per-node"
    r"|tmp|qos|reservation|constraint|exclude|nodelist|licenses|nice|priority|wckey|comment|exclusive|core-spec|hint"
    r"|distribution|gres-flags|mem-bind|power|switches|network|prefer|segment)"
    r"=[A-Za-z0-9_.,:/+@&|*()\[\]-]+)"
)
_MOUNT_PATH = r"/[A-Za-z0-9._/+@=-]*"
_MOUNT = re.compile(rf"(?P<source>{_MOUNT_PATH}):(?P<target>{_MOUNT_PATH})(:(ro|rw))?")
_OURS = ("bin", "runs")  # below `root`: our programs, and what jobs write


def _printable(text: str) -> str:
    if not text or not text.isprintable():
        raise ValueError("must be a text without line breaks and control characters, and not empty")
    return text


def _absolute(text: str) -> str:
    if not text.startswith("/") or ".." in text.split("/"):
        raise ValueError("must be an absolute path")
    return text


def _mount(text: str) -> str:
    found = _MOUNT.fullmatch(text)
    if not found or ".." in text.replace(":", "/").split("/"):
        raise ValueError(
            "must be source:target, both absolute, with :ro or :rw behind where it matters; of letters, digits and "
            "._/+@=-, since pyxis gives others a meaning"
        )
    if _overlap(found["target"], FOLDER):
        raise ValueError(f"must not be mounted at {FOLDER}, where an engine has its own folder")
    return text


def _digest(text: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{64}", text):
        raise ValueError("must be a SHA-256 digest, 64 lower-case hex digits")
    return text


def _slurm_word(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.,-]*", text):
        raise ValueError("must be a name as SLURM has them: letters, digits and _.,-")
    return text


def _plain_path(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9._/+@=-]+", text) or text != text.rstrip("/"):
        raise ValueError("must be a path of letters, digits and ._/+@=-, since SLURM gives others a meaning")
    return text


def _option(text: str) -> str:
    if not _OPTION.fullmatch(text):
        raise ValueError(
            f"{text} is no option of sbatch that can be added: write --name=value of one that places a job"
        )
    return text


def _engine(text: str) -> str:
    if text not in ENGINES.gated:
        raise ValueError(f"must be {', '.join(map(repr, ENGINES.gated[:-1]))} or {ENGINES.gated[-1]!r}")
    return text


def _listed(value: object) -> object:
    """TOML knows arrays; here they become tuples, and nothing else does."""
    return tuple(value) if isinstance(value, list) else value


Text: TypeAlias = Annotated[str, AfterValidator(_printable)]
AbsolutePath: TypeAlias = Annotated[Text, AfterValidator(_absolute)]
Texts: TypeAlias = Annotated[tuple[Text, ...], BeforeValidator(_listed)]
Mounts: TypeAlias = Annotated[tuple[Annotated[Text, AfterValidator(_mount)], ...], BeforeValidator(_listed)]
Digests: TypeAlias = Annotated[tuple[Annotated[Text, AfterValidator(_digest)], ...], BeforeValidator(_listed)]
SlurmWord: TypeAlias = Annotated[Text, AfterValidator(_slurm_word)]
PlainPath: TypeAlias = Annotated[AbsolutePath, AfterValidator(_plain_path)]
Options: TypeAlias = Annotated[tuple[Annotated[Text, AfterValidator(_option)], ...], BeforeValidator(_listed)]
SomeTexts: TypeAlias = Annotated[tuple[Text, ...], BeforeValidator(_listed), Field(min_length=1)]
Count: TypeAlias = Annotated[int, Field(gt=0)]
EngineWord: TypeAlias = Annotated[str, AfterValidator(_engine)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _overlap(one: str, other: str) -> bool:
    """Whether one of two paths is the other, or lies below it."""
    first, second = PurePosixPath(one), PurePosixPath(other)
    return first.is_relative_to(second) or second.is_relative_to(first)


class PolicySection(_Section):
    """What a pull request may name. An empty list: nothing."""

    images: Texts = ()
    models: Texts = ()
    mounts: Mounts = ()
    setup_scripts: Digests = ()


class _Common(_Section):
    serves: SomeTexts
    root: AbsolutePath
    aiperf: SomeTexts
    prompts: AbsolutePath
    tokenizer: AbsolutePath | None = None
    start_minutes: Count = 30
    replay_minutes: Count = 120
    keep_days: Count = 7
    launcher: Literal["command", "srtctl"] = "command"
    policy: PolicySection
    engines: dict[EngineWord, SomeTexts]

    @model_validator(mode="after")
    def _known_launcher(self) -> Self:
        if self.launcher == "srtctl":
            raise ValueError('launcher "srtctl" is not there yet: write "command"')
        return self


class LocalEntry(_Common):
    executor: Literal["local"]
    max_jobs: Count = 1  # engines on one machine disturb each other


class SlurmEntry(_Common):
    executor: Literal["slurm"]
    root: PlainPath
    max_jobs: Count = 8
    host: Text
    port: Annotated[int, Field(gt=0, lt=65536)] = 22
    user: Text
    key_file: AbsolutePath
    known_hosts_file: AbsolutePath
    jump: Text | None = None
    partition: SlurmWord
    account: SlurmWord
    time_limit_minutes: Count = 240
    gpus_per_node: Annotated[int, Field(ge=0)] = 8
    container: Literal["", "pyxis"] = ""
    options: Options = ("--exclusive",)  # a gate has its node to itself
    python: Text = "python3"
    scratch: PlainPath = "/tmp"

    @model_validator(mode="after")
    def _long_enough(self) -> Self:
        needed = self.start_minutes + self.replay_minutes
        if self.time_limit_minutes < needed:
            raise ValueError(f"time_limit_minutes must be at least start_minutes + replay_minutes, which is {needed}")
        return self

    @model_validator(mode="after")
    def _results_out_of_reach(self) -> Self:
        for mount in self.policy.mounts:
            source = mount.partition(":")[0]
            if any(_overlap(source, f"{self.root}/{ours}") for ours in _OURS):
                raise ValueError(f"policy.mounts must not bring {self.root} into an engine's reach, as {mount} does")
        return self


Entry: TypeAlias = Annotated[LocalEntry | SlurmEntry, Field(discriminator="executor")]
