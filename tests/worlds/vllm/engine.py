"""vLLM's CPU build for tests: its models, trained once into .cache/vllm, and the command line that starts it."""

import json
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
BIN = CHECKOUT / ".venvs" / "vllm" / "bin"
MODELS = CHECKOUT / ".cache" / "vllm"
HERE = Path(__file__).parent

ENVIRONMENT = ("HF_HUB_OFFLINE=1", "VLLM_NO_USAGE_STATS=1")  # nothing is fetched, nothing is reported


@dataclass(frozen=True, slots=True)
class Parsed:
    """What vLLM's own command line said."""

    refused: tuple[str | None, ...]  # the reason, by command line; None: it is taken
    options: frozenset[str]


def make_models() -> None:
    subprocess.run([BIN / "python", HERE / "make_models.py", MODELS], check=True)


def model(name: str) -> str:
    return str(MODELS / name)


def engine_words(folder: Path) -> tuple[str, ...]:
    """What an operator writes as `engines.vllm`: a script, with each answer saying how much of its drafts was taken.

    vLLM wants the model right behind `serve`, so the operator's own options come after what a gate says.
    """
    script = folder / "vllm"
    serve = shlex.join(("env", *ENVIRONMENT, str(BIN / "vllm"), "serve"))
    script.write_text(f'#!/bin/sh\nexec {serve} "$@" --per-request-spec-decode-metrics summary\n')
    script.chmod(0o755)
    return (str(script),)


def parsed(command_lines: Sequence[Sequence[str]]) -> Parsed:
    """Each command line, without its `vllm serve`, put to vLLM's parser. Starts no engine."""
    command = ["env", *ENVIRONMENT, BIN / "python", HERE / "parse_arguments.py"]
    told = json.dumps([list(words) for words in command_lines])
    said = json.loads(subprocess.run(command, input=told, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return Parsed(tuple(said["refused"]), frozenset(said["options"]))
