"""result.json: what is known of an attempt, whatever became of it, written once and by rename."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bot.node.exports import Answer, Counts
from bot.node.jobfile import SCHEMA, Job
from bot.node.scrapes import Worker

RESULT = "result.json"


@dataclass
class Known:
    """Filled as the attempt goes on; what is not known yet stays None."""

    prompts_sha256: str | None = None
    rendered_sha256: str | None = None  # of the rendered prompts, where the collection posts such
    replayed: bool = False  # the replay ran with the job's settings
    expected: int | None = None  # requests
    counts: Counts | None = None
    workers: tuple[Worker, ...] = ()
    engine_command: tuple[str, ...] = ()
    engine_version: str | None = None
    start_seconds: float | None = None
    replay_seconds: float | None = None
    replay_began: float = 0.0  # seconds since 1970


def result(job: Job, known: Known, reason: str | None) -> dict[str, Any]:
    """The result of an attempt; with a reason it failed."""
    counts = known.counts
    return {
        "schema": SCHEMA,
        "job": job.job,
        "gate": job.gate,
        "attempt": job.attempt,
        "outcome": "replayed" if reason is None else "failed",
        "reason": reason,
        "requests": {
            "expected": job.replay.count if known.expected is None else known.expected,
            "ok": counts.ok if counts else 0,
            "failed": counts.failed if counts else 0,
            "output_tokens": counts.output_tokens if counts else None,
            "thinking_marked": counts.thinking_marked if counts else None,
        },
        "prompts_sha256": known.prompts_sha256,
        "rendered_sha256": known.rendered_sha256,
        "replay": asdict(job.replay) if known.replayed else None,
        "workers": [{"role": worker.role, "metrics": worker.url} for worker in known.workers],
        "engine": {"name": job.engine.name, "version": known.engine_version, "command": list(known.engine_command)},
        "aiperf": counts.version if counts else None,
        "seconds": {"start": known.start_seconds, "replay": known.replay_seconds},
        "answers": [_answer(answer, known.replay_began) for answer in counts.answers] if counts else [],
    }


def _answer(answer: Answer, began: float) -> list[float]:
    return [answer.prompt, round(answer.begin - began, 3), round(answer.end - began, 3), answer.tokens]


def unreadable(folder: Path, reason: str) -> dict[str, Any]:
    """The result where job.json could not be understood: the run folder is named like the job."""
    return {
        "schema": SCHEMA,
        "job": folder.name,
        "gate": "",
        "attempt": 0,
        "outcome": "failed",
        "reason": reason,
        "requests": {"expected": 0, "ok": 0, "failed": 0, "output_tokens": None, "thinking_marked": None},
        "prompts_sha256": None,
        "rendered_sha256": None,
        "replay": None,
        "workers": [],
        "engine": {"name": "", "version": None, "command": []},
        "aiperf": None,
        "seconds": {"start": None, "replay": None},
        "answers": [],
    }


def write(path: Path, text: str) -> None:
    """Puts a whole file in place, durable when it returns; nobody ever sees a part of it."""
    new = path.with_name(f".{path.name}.new")
    with new.open("w", encoding="utf-8", errors="replace") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_result(folder: Path, found: dict[str, Any]) -> None:
    write(folder / RESULT, json.dumps(found, indent=1) + "\n")
