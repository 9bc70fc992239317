"""The operator's clusters.toml: what clusters there are, how to reach them, what a pull request may name on them."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import TypeAdapter, ValidationError

from bot.cluster.config_file import Entry, LocalEntry, SlurmEntry
from gatekit.cluster.policy import Cluster, Policy
from gatekit.domain.errors import BadInput
from gatekit.formats.validation import plain_words


@dataclass(frozen=True, slots=True)
class Local:
    """Processes on the bot's own machine."""


@dataclass(frozen=True, slots=True)
class Slurm:
    """How to reach a SLURM cluster, and what a job asks it for."""

    host: str
    port: int
    user: str
    key_file: str
    known_hosts_file: str
    jump: str | None
    partition: str
    account: str
    time_limit_minutes: int
    gpus_per_node: int
    setup_scripts: tuple[str, ...]  # SHA-256 digests, hex
    options: tuple[str, ...] = ("--exclusive",)  # more words for sbatch
    python: str = "python3"  # on the compute nodes, 3.9 or later
    scratch: str = "/tmp"  # on the compute nodes; each job makes a folder of its own in it


Reach: TypeAlias = Local | Slurm


@dataclass(frozen=True, slots=True)
class ClusterEntry:
    """One `[clusters.NAME]`: what planning must know, and what its executor must know."""

    cluster: Cluster
    reach: Reach
    root: str  # our folder on the cluster
    max_jobs: int  # gates submitted and not ended
    keep_days: int = 7  # what a job wrote, once it is over


def read_clusters(path: Path) -> tuple[ClusterEntry, ...]:
    """Raises BadInput, one sentence that says what to change."""
    try:
        data = path.read_bytes()
    except OSError as error:
        problem = f"cannot be read ({error.strerror}): write it, or name another with GATEKIT_CLUSTERS_FILE"
        raise BadInput(str(path), problem) from error
    return parse_clusters(data, str(path))


def parse_clusters(data: bytes, where: str = "clusters.toml") -> tuple[ClusterEntry, ...]:
    """The clusters in file order. Raises BadInput for the first thing that is wrong."""
    try:
        top = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BadInput(f"{where}:{data.count(10, 0, error.start) + 1}", "is no UTF-8: save the file as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise BadInput(where, f"is no TOML ({error}): correct that line or the one before") from None
    sections = top.pop("clusters", None)
    if top:
        raise BadInput(where, f"{next(iter(top))} is no key that we know: put everything under [clusters.NAME]")
    if not isinstance(sections, dict) or not sections:
        raise BadInput(where, "names no cluster: write a [clusters.NAME] section")
    entries = tuple(_entry(name, section, where) for name, section in sections.items())
    _refuse_shared_runners(entries, where)
    return entries


def _entry(name: str, section: object, where: str) -> ClusterEntry:
    if not isinstance(section, dict):
        raise BadInput(where, f"clusters.{name} is a value: write a [clusters.{name}] section")
    if not name.replace("-", "").isalnum() or not name.isascii():
        raise BadInput(where, f"{name!r} is no name for a cluster: take letters, digits and dashes")
    try:
        read = TypeAdapter[Entry](Entry).validate_python(section)
    except ValidationError as error:
        raise BadInput(where, _sentence(name, section, error)) from error
    return ClusterEntry(_cluster(name, read), _reach(read), read.root, read.max_jobs, read.keep_days)


def _cluster(name: str, read: Entry) -> Cluster:
    return Cluster(
        name=name,
        serves=read.serves,
        policy=Policy(read.policy.images, read.policy.models, read.policy.mounts),
        engines={engine: words for engine, words in read.engines.items() if words},
        aiperf=read.aiperf,
        prompts=read.prompts,
        tokenizer=read.tokenizer,
        container=read.container if isinstance(read, SlurmEntry) else "",
        start_minutes=read.start_minutes,
        replay_minutes=read.replay_minutes,
        gpus=read.gpus_per_node if isinstance(read, SlurmEntry) else 0,
    )


def _reach(read: Entry) -> Reach:
    if isinstance(read, LocalEntry):
        return Local()
    return Slurm(
        host=read.host,
        port=read.port,
        user=read.user,
        key_file=read.key_file,
        known_hosts_file=read.known_hosts_file,
        jump=read.jump,
        partition=read.partition,
        account=read.account,
        time_limit_minutes=read.time_limit_minutes,
        gpus_per_node=read.gpus_per_node,
        setup_scripts=read.policy.setup_scripts,
        options=read.options,
        python=read.python,
        scratch=read.scratch,
    )


def _refuse_shared_runners(entries: tuple[ClusterEntry, ...], where: str) -> None:
    owners: dict[str, str] = {}
    for entry in entries:
        for runner in entry.cluster.serves:
            if runner in owners:
                both = f"{owners[runner]} and {entry.cluster.name}"
                raise BadInput(where, f"{runner} is served by {both}: keep it in one of them")
            owners[runner] = entry.cluster.name


def _sentence(name: str, section: Mapping[str, Any], error: ValidationError) -> str:
    """The first problem, with its place as the file has it."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = [str(part) for part in first["loc"] if part not in ("slurm", "local", "[key]")]
    dotted = ".".join(("clusters", name, *place))
    match first["type"]:
        case "extra_forbidden":
            where = "a local cluster" if section.get("executor") == "local" else "a cluster"
            return f"{dotted} is no key that {where} has: take it out, or mend its name"
        case "missing":
            return f"{dotted} is missing: give it"
        case "union_tag_not_found" | "union_tag_invalid":
            return f'{dotted}.executor must be "slurm" or "local"'
        case _:
            return f"{dotted}: {plain_words(first)}"
