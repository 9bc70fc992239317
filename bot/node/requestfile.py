"""The requests, written once into one fixed file: what the collection says, and nothing else."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Sequence

from bot.node.failures import Failed
from bot.node.jobfile import ALL, CHAT, CLIENT, COMPLETIONS, SERVER, Job, Replay
from bot.node.prompts import Prompt


@dataclass(frozen=True)
class RequestFile:
    """What aiperf replays. `count` requests come of `conversations` prompts."""

    path: Path
    dataset: str  # aiperf's name of the file's form
    count: int
    conversations: int


def write(job: Job, prompts: Sequence[Prompt], texts: Sequence[str] | None, path: Path) -> RequestFile:
    """Writes the file. Raises Failed where the collection asks for what cannot be sent.

    `texts`: the rendered prompts, where the endpoint does not render.

    One turn each: the body goes out as it stands here. All turns: aiperf has to put the live answers between the turns,
    so it builds the messages itself from the texts, and adds the values of each turn.
    """
    replay = job.replay
    check(replay, prompts)
    if replay.turns == ALL and any(len(_turns(prompt)) > 1 for prompt in prompts):
        lines: list[dict[str, Any]] = [_conversation(replay, prompt) for prompt in prompts]
        found = RequestFile(path, "multi_turn", sum(len(_turns(prompt)) for prompt in prompts), len(prompts))
    else:
        sent = [None if texts is None else texts[number] for number in range(len(prompts))]
        lines = [{"payload": body(job, prompt, sent[number])} for number, prompt in enumerate(prompts)]
        found = RequestFile(path, "mooncake_trace", len(prompts), len(prompts))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return found


def check(replay: Replay, prompts: Sequence[Prompt]) -> None:
    """Which settings of a collection go together."""
    if replay.endpoint == COMPLETIONS and replay.rendering == SERVER:
        raise Failed(
            f"the collection has {COMPLETIONS} render the messages, which it cannot: its rendering must be client"
        )
    if replay.endpoint == CHAT and replay.rendering == CLIENT:
        raise Failed(f"the collection posts rendered prompts to {CHAT}, which would render them again")
    if replay.endpoint == COMPLETIONS and replay.turns == ALL and any(len(_turns(prompt)) > 1 for prompt in prompts):
        raise Failed(f"the collection sends all turns to {COMPLETIONS}, but later turns need the chat endpoint")


def body(job: Job, prompt: Prompt, text: str | None) -> dict[str, Any]:
    """The body of one request; with the rendered text for the completions endpoint, else for the chat endpoint."""
    found: dict[str, Any] = {"model": job.model}
    if text is None:
        found["messages"] = list(prompt.messages)
    else:
        found["prompt"] = text
    found["max_tokens"] = job.replay.output_len
    found.update(_values(job.replay))
    return found


def _conversation(replay: Replay, prompt: Prompt) -> dict[str, Any]:
    turns = [
        {"role": "user", "text": message["content"], "output_length": replay.output_len, "extra": _values(replay)}
        if message["role"] == "user"
        else {"role": "system", "text": message["content"]}
        for message in prompt.messages
    ]
    return {"session_id": prompt.id, "turns": turns}


def _turns(prompt: Prompt) -> list[Mapping[str, str]]:
    return [message for message in prompt.messages if message["role"] == "user"]


def _values(replay: Replay) -> dict[str, Any]:
    """Sampling and the rest of a body. Template arguments are for whoever renders: here, where the endpoint does."""
    values = dict(replay.sampling)
    if replay.ignore_eos:
        values["ignore_eos"] = True
    if replay.rendering == SERVER and replay.template_kwargs is not None:
        values["chat_template_kwargs"] = dict(replay.template_kwargs)
    return values
