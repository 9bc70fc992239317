"""The prompt file: its digest, and the prompts of one category in file order."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Mapping, Protocol

from bot.node.failures import Failed
from bot.node.jobfile import FIRST

MAX_BYTES = 1 << 30
PLACEHOLDER = "FULL BENCHMARK DATA SHOULD BE FETCHED"  # what a source that was not fetched leaves in its rows


class Wanted(Protocol):
    """Which prompts: the first so many of a category, with their first turn or with all."""

    @property
    def count(self) -> int: ...

    @property
    def category(self) -> str: ...

    @property
    def turns(self) -> str: ...


class PromptsDiffer(Failed):
    """The file is not the one that the collection was measured with."""


@dataclass(frozen=True)
class Prompt:
    """`messages`: role and content, as they stand in the file; with turns=first no more than the first user turn."""

    id: str
    messages: tuple[Mapping[str, str], ...]


def digest(path: Path) -> tuple[bytes, str]:
    """The file and its SHA-256 in hex. Raises Failed where it cannot be read."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise Failed(f"the prompt file {path} is larger than {MAX_BYTES} bytes")
        data = path.read_bytes()
    except OSError as error:
        raise Failed(f"the prompt file {path} cannot be read: {error.strerror}") from None
    return data, hashlib.sha256(data).hexdigest()


def check(found: str, wanted: str | None) -> None:
    if wanted is not None and found != wanted.lower():
        raise PromptsDiffer(
            f"the prompt file has the digest {found}, the collection names {wanted}: put the collection's file in place"
        )


def select(data: bytes, wanted: Wanted) -> tuple[Prompt, ...]:
    """Raises Failed where there are fewer than are wanted, or one is odd."""
    found: list[Prompt] = []
    seen: set[str] = set()
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip() or len(found) == wanted.count:
            continue
        row = _row(number, line)
        if row.get("category") != wanted.category:
            continue
        prompt = _prompt(number, row, wanted.turns)
        if prompt.id in seen:
            raise Failed(f"the prompt file, line {number}: question_id {prompt.id!r} stands there twice")
        seen.add(prompt.id)
        found.append(prompt)
    if len(found) < wanted.count:
        raise Failed(
            f"the prompt file holds {len(found)} prompts of category {wanted.category!r}, the collection {wanted.count}"
        )
    return tuple(found)


def _row(number: int, line: bytes) -> Mapping[str, object]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise Failed(f"the prompt file, line {number}: it is no JSON object")
    return row


def _prompt(number: int, row: Mapping[str, object], turns: str) -> Prompt:
    name, messages = row.get("question_id"), row.get("messages")
    if not isinstance(name, str) or not name or not isinstance(messages, list) or not messages:
        raise Failed(f"the prompt file, line {number}: question_id and messages must be there: run prepare.py again")
    read = tuple(_message(number, message) for message in messages)
    users = [place for place, message in enumerate(read) if message["role"] == "user"]
    if not users or users[0] > 1 or users != list(range(users[0], len(read))):
        raise Failed(f"the prompt file, line {number}: it must be user turns, after at most one system message")
    return Prompt(name, read[: users[0] + 1] if turns == FIRST else read)


def _message(number: int, message: object) -> Mapping[str, str]:
    role = message.get("role") if isinstance(message, dict) else None
    text = message.get("content") if isinstance(message, dict) else None
    if role not in ("system", "user") or not isinstance(text, str) or not text:
        raise Failed(f"the prompt file, line {number}: a message must have the role user or system, and a text")
    if PLACEHOLDER in text:
        raise Failed(
            f"the prompt file, line {number}: its text was never fetched: run prepare.py with access to its source"
        )
    return {"role": role, "content": text}
